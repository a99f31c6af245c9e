"""Which facts are nearest to a vector?"""

from __future__ import annotations

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FACT_TYPES, RankedFact
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.vectors import FloatArray, dense
from recalld.store.where import Conditions, fact_conditions


async def nearest_facts(
    connection: ReadConnection,
    facts: FactFilter,
    vector: FloatArray,
    *,
    limit: int,
    floor: float,
) -> tuple[RankedFact, ...]:
    """Up to ``limit`` facts of each type with cosine at least ``floor``, most similar first."""
    query = nearest(facts, vector, limit)
    rows = await fetch(connection, query.sql, query.params)
    found = [RankedFact(id_, FACT_TYPES[kind], 1.0 - distance) for id_, kind, distance in rows]
    return tuple(sorted((f for f in found if f.score >= floor), key=lambda f: (-f.score, f.id)))


def nearest(facts: FactFilter, vector: FloatArray, limit: int) -> Conditions:
    """A query for the ``limit`` nearest rows of each type as (id, fact_type, distance).

    The cast is the one the partial HNSW indexes are built on.
    """
    conditions = fact_conditions(facts)
    distance = f"unit.embedding::halfvec({len(vector)}) <=> %(vector)s::halfvec({len(vector)})"
    parts = [
        f"(SELECT unit.id::text AS id, unit.fact_type, {distance} AS distance FROM memory_units AS unit"
        f" WHERE {conditions.sql} AND unit.fact_type = '{fact_type}'"
        " ORDER BY distance, unit.id LIMIT %(nearest)s)"
        for fact_type in facts.types
    ]
    return Conditions(
        " UNION ALL ".join(parts), {**conditions.params, "vector": dense(vector), "nearest": limit}
    )
