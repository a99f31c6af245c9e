"""What a caller hands over to be remembered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recalld.domain.attachments import AttachmentDraft
from recalld.domain.documents import NO_NOTE, SourceNote
from recalld.encoders.protocols import NO_USAGE, ChatUsage


class UpdateMode(StrEnum):
    """What happens to a document that exists already.

    ``replace`` keeps the facts of pieces that did not change, ``anew`` none.
    """

    REPLACE = "replace"
    APPEND = "append"
    ANEW = "anew"


@dataclass(frozen=True, slots=True)
class RetainItem:
    """One text with what is known about it. ``timestamp`` is ``None`` for undated content."""

    content: str
    document_id: str
    timestamp: datetime | None
    context: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    observation_scopes: Any = None
    update_mode: UpdateMode = UpdateMode.REPLACE
    strategy: str | None = None
    resolve_entities: bool = True
    retain_params: tuple[tuple[str, Any], ...] = ()
    attachments: tuple[AttachmentDraft, ...] = ()
    source: SourceNote = NO_NOTE


@dataclass(frozen=True, slots=True)
class RetainOutcome:
    """What a retain did: documents written, facts added, facts kept unchanged, tokens of a model used."""

    documents: int
    facts_added: int
    facts_kept: int
    usage: ChatUsage = NO_USAGE
