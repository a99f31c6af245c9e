"""Which facts carry a date inside a window?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FACT_TYPES, FactType, instant_of
from recalld.domain.time import TimeWindow
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.vectors import FloatArray, dense
from recalld.store.where import fact_conditions

# A fact is in the window when its range overlaps it or any one of its dates lies in it.
_OF_TYPE = """
    (SELECT unit.id::text, unit.fact_type,
            unit.embedding::halfvec({d}) <=> %(vector)s::halfvec({d}) AS distance,
            unit.occurred_start, unit.occurred_end, unit.mentioned_at
     FROM memory_units AS unit
     WHERE {conditions} AND unit.fact_type = '{fact_type}' AND (
           (unit.occurred_start <= %(window_end)s AND unit.occurred_end >= %(window_start)s)
           OR unit.mentioned_at BETWEEN %(window_start)s AND %(window_end)s
           OR unit.occurred_start BETWEEN %(window_start)s AND %(window_end)s
           OR unit.occurred_end BETWEEN %(window_start)s AND %(window_end)s)
     ORDER BY distance, unit.id LIMIT %(limit)s)
"""


@dataclass(frozen=True, slots=True)
class DatedFact:
    """A fact of the window with its similarity to the query and the moment that stands for it."""

    id: str
    fact_type: FactType
    similarity: float
    instant: datetime | None


async def facts_in_window(
    connection: ReadConnection,
    facts: FactFilter,
    vector: FloatArray,
    *,
    window: TimeWindow,
    limit: int,
    floor: float,
) -> list[DatedFact]:
    """Up to ``limit`` facts of each type in the window with cosine at least ``floor``, most similar first."""
    conditions = fact_conditions(facts)
    parts = [_OF_TYPE.format(d=len(vector), conditions=conditions.sql, fact_type=t) for t in facts.types]
    params = {
        **conditions.params,
        "vector": dense(vector),
        "window_start": window.start,
        "window_end": window.end,
        "limit": limit,
    }
    rows = await fetch(connection, " UNION ALL ".join(parts), params)
    found = [
        DatedFact(id_, FACT_TYPES[kind], 1.0 - distance, instant_of(start, end, mentioned))
        for id_, kind, distance, start, end, mentioned in rows
    ]
    return sorted((f for f in found if f.similarity >= floor), key=lambda f: (-f.similarity, f.id))
