"""Stored things with all that is known about them, as the catalogue shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from recalld.domain.attachments import Attachment
from recalld.domain.memory import FactType


class MemoryRecord(NamedTuple):
    """One memory. ``invalidated_at`` is set for those set aside."""

    id: str
    text: str
    context: str | None
    fact_type: str
    document_id: str | None
    chunk_id: str | None
    event_date: datetime | None
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime | None
    metadata: dict[str, str]
    tags: list[str]
    observation_scopes: Any
    proof_count: int
    source_ids: list[str]
    attachment_ids: list[str]
    consolidated_at: datetime | None
    consolidation_failed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    edited_at: datetime | None
    reason: str | None
    invalidated_at: datetime | None

    @property
    def is_observation(self) -> bool:
        """Whether it was derived from others."""
        return self.fact_type == FactType.OBSERVATION

    @property
    def is_valid(self) -> bool:
        """Whether recall may find it."""
        return self.invalidated_at is None


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """A memory with the names it mentions and, for an observation, the facts it rests on."""

    record: MemoryRecord
    entities: tuple[str, ...] = ()
    sources: tuple[MemoryRecord, ...] = ()


class CausalLink(NamedTuple):
    """A causal link of a memory. ``outward`` links lead from it to ``other``, the rest from there to it."""

    other: str
    kind: str
    weight: float
    outward: bool


class DocumentRecord(NamedTuple):
    """One document. ``text`` is filled when it is looked at alone, ``matched`` when it was searched for."""

    id: str
    content_hash: str
    text: str | None
    text_length: int
    retain_params: dict[str, Any]
    metadata: dict[str, Any]
    tags: list[str]
    created_at: datetime
    updated_at: datetime
    matched: list[str]
    facts: dict[str, int]


class ChunkRecord(NamedTuple):
    """One chunk of a document."""

    chunk_id: str
    document_id: str
    chunk_index: int
    text: str
    created_at: datetime


class EntityRecord(NamedTuple):
    """One entity, with how many memories mention it and the first and last date of those."""

    id: str
    name: str
    metadata: dict[str, Any]
    mentions: int
    first_seen: datetime | None
    last_seen: datetime | None


Held = TypeVar("Held", DocumentRecord, ChunkRecord)


@dataclass(frozen=True, slots=True)
class WithFiles(Generic[Held]):
    """A document or chunk of a bank, with the files its text stands for."""

    bank_id: str
    record: Held
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class BankStats:
    """How much a bank holds. ``links`` counts by type of the fact a link leaves, then by kind."""

    bank_id: str
    facts: dict[str, int]
    documents: int
    links: dict[str, dict[str, int]]
    operations: dict[str, int]
    last_consolidated_at: datetime | None
    last_write_at: datetime | None
    pending_consolidation: int
    failed_consolidation: int


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a bank; the ``primary`` one is shown in its place."""

    name: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """What to change of a memory: ``columns`` by name, and the names it mentions unless ``None``.

    ``valid`` says whether it counts from now on; ``None`` leaves that as it is.
    """

    columns: dict[str, Any] = field(default_factory=dict)
    entities: tuple[str, ...] | None = None
    valid: bool | None = None
    reason: str | None = None

    @property
    def changes(self) -> bool:
        """Whether the memory itself becomes another."""
        return bool(self.columns) or self.entities is not None
