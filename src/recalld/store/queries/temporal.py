"""Which facts carry a date inside a window?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType
from recalld.domain.time import TimeWindow
from recalld.store.queries.vectors import FloatArray, cosine_distance
from recalld.store.tables import memory_units
from recalld.store.where import Condition, fact_conditions


@dataclass(frozen=True, slots=True)
class DatedFact:
    """A fact of the window with its similarity to the query and the moment that stands for it."""

    id: UUID
    fact_type: FactType
    similarity: float
    instant: datetime | None


async def facts_in_window(
    connection: AsyncConnection,
    facts: FactFilter,
    vector: FloatArray,
    *,
    window: TimeWindow,
    limit: int,
    floor: float,
) -> list[DatedFact]:
    """Up to ``limit`` facts of each type in the window with cosine at least ``floor``, most similar first."""
    parts = [select(_of_type(facts, t, vector, window, limit).subquery()) for t in facts.types]
    rows = await connection.execute(union_all(*parts))
    found = [
        DatedFact(id_, FactType(kind), 1.0 - distance, _instant(start, end, mentioned))
        for id_, kind, distance, start, end, mentioned in rows
    ]
    return sorted((f for f in found if f.similarity >= floor), key=lambda f: (-f.similarity, f.id))


def _of_type(
    facts: FactFilter, fact_type: FactType, vector: FloatArray, window: TimeWindow, limit: int
) -> Select[Any]:
    units = memory_units.c
    distance = cosine_distance(memory_units, vector).label("distance")
    return (
        select(
            units.id, units.fact_type, distance, units.occurred_start, units.occurred_end, units.mentioned_at
        )
        .where(
            *fact_conditions(memory_units, facts), units.fact_type == str(fact_type), dated_within(window)
        )
        .order_by(distance, units.id)
        .limit(limit)
    )


def dated_within(window: TimeWindow) -> Condition:
    """Any date of the fact lies in the window, or its range overlaps it."""
    units = memory_units.c
    overlaps = (units.occurred_start <= window.end) & (units.occurred_end >= window.start)
    return or_(
        overlaps,
        units.mentioned_at.between(window.start, window.end),
        units.occurred_start.between(window.start, window.end),
        units.occurred_end.between(window.start, window.end),
    )


def _instant(start: datetime | None, end: datetime | None, mentioned: datetime | None) -> datetime | None:
    if start and end:
        return start + (end - start) / 2
    return start or end or mentioned
