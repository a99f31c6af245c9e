"""Which facts are nearest to a vector?"""

from __future__ import annotations

from sqlalchemy import Select, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType, RankedFact
from recalld.store.queries.vectors import FloatArray, cosine_distance, widen_index_scans
from recalld.store.tables import memory_units
from recalld.store.where import fact_conditions


async def nearest_facts(
    connection: AsyncConnection, facts: FactFilter, vector: FloatArray, *, limit: int, floor: float
) -> tuple[RankedFact, ...]:
    """Up to ``limit`` facts of each type with cosine at least ``floor``, most similar first."""
    await widen_index_scans(connection)
    per_type = [nearest_of_type(facts, fact_type, vector, limit) for fact_type in facts.types]
    rows = await connection.execute(union_all(*(select(part.subquery()) for part in per_type)))
    found = [RankedFact(id_, FactType(kind), 1.0 - distance) for id_, kind, distance in rows]
    return tuple(sorted((f for f in found if f.score >= floor), key=lambda f: (-f.score, f.id)))


def nearest_of_type(
    facts: FactFilter, fact_type: FactType, vector: FloatArray, limit: int
) -> Select[tuple[object, str, float]]:
    """The ``limit`` nearest rows of one type as (id, fact_type, distance)."""
    distance = cosine_distance(memory_units, vector).label("distance")
    return (
        select(memory_units.c.id, literal(str(fact_type)).label("fact_type"), distance)
        .where(*fact_conditions(memory_units, facts), memory_units.c.fact_type == str(fact_type))
        .order_by(distance, memory_units.c.id)
        .limit(limit)
    )
