"""Work that goes on after its request was answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

Payload = dict[str, Any]


class OperationStatus(StrEnum):
    """Where an operation stands."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN = frozenset({OperationStatus.PENDING, OperationStatus.PROCESSING})
UNDONE = frozenset({OperationStatus.FAILED, OperationStatus.CANCELLED})


@dataclass(frozen=True, slots=True)
class NewPart:
    """One share of a new operation, done by one worker at a time."""

    id: UUID
    payload: Payload
    items_count: int
    document_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewOperation:
    """An operation about to be queued: a parent that clients follow, and the parts workers take."""

    id: UUID
    type: str
    part_type: str
    parts: Sequence[NewPart]
    result: Payload = field(default_factory=dict)

    @property
    def items_count(self) -> int:
        """Items over all parts."""
        return sum(part.items_count for part in self.parts)


@dataclass(frozen=True, slots=True)
class NewSingle:
    """An operation about to be queued that is its own only part."""

    id: UUID
    type: str
    payload: Payload = field(default_factory=dict)
    items_count: int = 0


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as stored. ``due_at`` is when it is tried, or when its worker counts as dead.

    ``documents_done`` is how many documents of it are committed.
    """

    id: UUID
    parent_id: UUID | None
    type: str
    status: OperationStatus
    items_count: int
    payload: Payload
    result: Payload
    document_id: str | None
    failures: int
    due_at: datetime | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    documents_done: int


class Backlog(NamedTuple):
    """What waits of one type: operations, their items, and when the oldest came."""

    operations: int
    items: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Claim:
    """A part in the hands of a worker."""

    bank_key: int
    bank_id: str
    id: UUID
    parent_id: UUID | None
    type: str
    payload: Payload
    claims: int
    failures: int


@dataclass(frozen=True, slots=True)
class OperationFilter:
    """Which operations to list; ``None`` for any."""

    status: str | None = None
    type: str | None = None
    exclude_parents: bool = False
