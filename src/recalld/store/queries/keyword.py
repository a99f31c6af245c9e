"""Which facts share words with the query, by BM25?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import cast, literal, select, union_all
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType, RankedFact
from recalld.store.queries.vectors import bm25_score
from recalld.store.tables import memory_units
from recalld.store.where import fact_conditions


async def matching_facts(
    connection: AsyncConnection,
    facts: FactFilter,
    *,
    match: Sequence[str],
    weights: Mapping[int, float],
    limit: int,
    floor: float,
) -> tuple[RankedFact, ...]:
    """Up to ``limit`` facts of each type that hold a lexeme of ``match`` and reach ``floor``, best first."""
    score = bm25_score(memory_units, weights).label("score")
    parts = [
        select(memory_units.c.id, literal(str(fact_type)).label("fact_type"), score)
        .where(
            *fact_conditions(memory_units, facts),
            memory_units.c.fact_type == str(fact_type),
            memory_units.c.search_vector.op("@@", is_comparison=True)(cast(any_of(match), TSQUERY)),
        )
        .order_by(score.desc(), memory_units.c.id)
        .limit(limit)
        .subquery()
        for fact_type in facts.types
    ]
    rows = await connection.execute(union_all(*(select(part) for part in parts)))
    found = [RankedFact(id_, FactType(kind), score) for id_, kind, score in rows]
    return tuple(sorted((f for f in found if f.score >= floor), key=lambda f: (-f.score, f.id)))


def any_of(lexemes: Sequence[str]) -> str:
    """A ``tsquery`` literal that matches any of the lexemes, taken as they are."""
    return " | ".join("'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" for lexeme in lexemes)
