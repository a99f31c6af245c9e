"""Documents on their way into the store."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from recalld.domain.memory import FactType


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document."""

    chunk_id: str
    index: int
    text: str
    token_count: int

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text: what the diff of an upsert compares."""
        return sha256(self.text)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it is: hash of its text, the text, and chunk index to (chunk id, content hash)."""

    content_hash: str
    text: str
    chunks: dict[int, tuple[str, str]]
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    retain_params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceNote:
    """What came with a document besides its text, to be given back as it was sent.

    ``metadata`` is JSON text. Two ingests of one ``fingerprint`` are the same; ``ingestion`` is the
    operation that wrote the document.
    """

    label: str | None = None
    metadata: str | None = None
    fingerprint: str | None = None
    ingestion: UUID | None = None


NO_NOTE = SourceNote()


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document row about to be written."""

    document_id: str
    text: str
    tags: tuple[str, ...]
    metadata: dict[str, str]
    retain_params: dict[str, Any]
    keeps_text: bool = True
    source: SourceNote = NO_NOTE

    @property
    def content_hash(self) -> str:
        """SHA-256 of the whole text."""
        return sha256(self.text)


@dataclass(frozen=True, slots=True)
class Past:
    """What a fact from elsewhere brings along: its dates, and for an observation what it rests on."""

    event_date: datetime | None = None
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    created_at: datetime | None = None
    edited_at: datetime | None = None
    consolidated_at: datetime | None = None
    consolidation_failed_at: datetime | None = None
    proof_count: int = 1
    source_ids: tuple[UUID, ...] = ()


NOTHING = Past()
"""The past of a fact that is made here."""


@dataclass(frozen=True, slots=True)
class UnitDraft:
    """A fact about to be written. ``index_text`` is what the keyword index reads.

    ``vector`` has one number per dimension; ``token_vectors`` holds the int8 rows, one after another.
    """

    id: UUID
    document_id: str | None
    chunk_id: str | None
    text: str
    context: str | None
    fact_type: FactType
    mentioned_at: datetime | None
    metadata: dict[str, str]
    tags: tuple[str, ...]
    observation_scopes: Any
    token_count: int
    index_text: str
    attachment_ids: tuple[str, ...]
    vector: list[float]
    token_vectors: bytes
    past: Past | None = None

    @property
    def event_date(self) -> datetime | None:
        """The date facts are ordered by."""
        if self.past is None:
            return self.mentioned_at
        return self.past.event_date or self.past.occurred_start or self.mentioned_at


def sha256(text: str) -> str:
    """Hex digest of the text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def chunk_id(bank_id: str, document_id: str, index: int) -> str:
    """The public id of a chunk: escaped bank, escaped document, index, joined by underscores."""
    return f"{escaped(bank_id)}_{escaped(document_id)}_{index}"


def escaped(part: str) -> str:
    """A part of a chunk id without the underscore that joins the parts."""
    return part.replace("~", "~7E").replace("_", "~5F")


def bank_of_chunk(id_: str) -> str:
    """The bank that the public id of a chunk names."""
    return id_.partition("_")[0].replace("~5F", "_").replace("~7E", "~")
