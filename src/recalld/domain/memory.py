"""Facts as the pipeline sees them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from recalld.domain.time import TimeWindow


class FactType(StrEnum):
    """Kind of a memory, in the fixed order that breaks ties (D6)."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OBSERVATION = "observation"

    # Enum hashes in Python code, which shows where thousands of facts are grouped by type.
    __hash__ = str.__hash__


ALL_FACT_TYPES = tuple(FactType)
FACT_TYPES = {str(fact_type): fact_type for fact_type in FactType}


class Memory(NamedTuple):
    """One stored fact. Dates are aware, in UTC; ``token_count`` counts ``text`` only."""

    id: str
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
    source_ids: tuple[str, ...]
    token_count: int
    attachment_ids: tuple[str, ...] = ()

    @property
    def happened_at(self) -> datetime | None:
        """The date the fact is about: when it occurred, else when it was mentioned."""
        return self.occurred_start or self.mentioned_at or self.occurred_end

    @property
    def instant(self) -> datetime | None:
        """The single moment that stands for the fact: the middle of its range when it has one."""
        return instant_of(self.occurred_start, self.occurred_end, self.mentioned_at)

    def dated_in(self, window: TimeWindow) -> bool:
        """Whether any date of the fact lies in the window, or its range overlaps it."""
        start, end = self.occurred_start, self.occurred_end
        if start and end and start <= window.end and end >= window.start:
            return True
        moments = (start, end, self.mentioned_at)
        return any(moment is not None and window.start <= moment <= window.end for moment in moments)


class RankedFact(NamedTuple):
    """One hit of one retriever."""

    id: str
    fact_type: FactType
    score: float


def instant_of(
    start: datetime | None, end: datetime | None, mentioned_at: datetime | None
) -> datetime | None:
    """The moment that stands for a fact with these dates."""
    if start and end:
        return start + (end - start) / 2
    return start or end or mentioned_at
