"""Facts as the pipeline sees them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class FactType(StrEnum):
    """Kind of a memory, in the fixed order that breaks ties (D6)."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OBSERVATION = "observation"


ALL_FACT_TYPES = tuple(FactType)


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored fact. Dates are aware, in UTC; ``token_count`` counts ``text`` only."""

    id: UUID
    text: str
    fact_type: FactType
    context: str | None
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime | None
    document_id: str | None
    chunk_id: str | None
    metadata: dict[str, str]
    tags: tuple[str, ...]
    proof_count: int
    source_ids: tuple[UUID, ...]
    token_count: int
    attachment_ids: tuple[str, ...] = ()

    @property
    def happened_at(self) -> datetime | None:
        """The date the fact is about: when it occurred, else when it was mentioned."""
        return self.occurred_start or self.mentioned_at or self.occurred_end

    @property
    def instant(self) -> datetime | None:
        """The single moment that stands for the fact: the middle of its range when it has one."""
        if self.occurred_start and self.occurred_end:
            return self.occurred_start + (self.occurred_end - self.occurred_start) / 2
        return self.occurred_start or self.occurred_end or self.mentioned_at


@dataclass(frozen=True, slots=True)
class RankedFact:
    """One hit of one retriever."""

    id: UUID
    fact_type: FactType
    score: float
