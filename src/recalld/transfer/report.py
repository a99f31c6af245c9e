"""What an import is to do, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from recalld.domain.errors import Conflict


class OnConflict(StrEnum):
    """What becomes of a document whose id the bank has for another one."""

    SKIP = "skip"
    REPLACE = "replace"
    NEW_ID = "new-id"


@dataclass(frozen=True, slots=True)
class Choices:
    """How to import."""

    on_conflict: OnConflict = OnConflict.SKIP
    data: bool = True
    bank_config: bool = False


@dataclass(frozen=True, slots=True)
class Behind:
    """The operation an import is done for, and the bank that has it."""

    bank_key: int
    id: UUID


def not_ours_any_more() -> Conflict:
    """Nothing more is to be written for an operation."""
    return Conflict("The import was cancelled, or another worker goes on with it")


@dataclass(slots=True)
class Report:
    """Counts. What an earlier attempt of the same operation wrote counts as imported."""

    documents_imported: int = 0
    documents_skipped: int = 0
    facts_imported: int = 0
    invalidated_imported: int = 0
    invalidated_skipped: int = 0
    attachments_imported: int = 0
    observations_imported: int = 0
    observations_skipped: int = 0
    remapped_document_ids: dict[str, str] = field(default_factory=dict)
    settings_skipped: list[str] = field(default_factory=list)
    members_skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def as_result(self) -> dict[str, Any]:
        """The same as an operation tells it."""
        return {name: getattr(self, name) for name in self.__slots__}
