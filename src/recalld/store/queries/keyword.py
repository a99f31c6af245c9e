"""Which facts share words with the query, by BM25?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FACT_TYPES, RankedFact
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.vectors import sparse
from recalld.store.where import fact_conditions


async def matching_facts(
    connection: ReadConnection,
    facts: FactFilter,
    *,
    match: Sequence[str],
    weights: Mapping[int, float],
    limit: int,
    floor: float,
) -> tuple[RankedFact, ...]:
    """Up to ``limit`` facts of each type that hold a lexeme of ``match`` and reach ``floor``, best first."""
    conditions = fact_conditions(facts)
    parts = [
        "(SELECT unit.id::text, unit.fact_type, -(unit.term_weights <#> %(weights)s::sparsevec) AS score"
        f" FROM memory_units AS unit WHERE {conditions.sql} AND unit.fact_type = '{fact_type}'"
        " AND unit.search_vector @@ %(match)s::tsquery ORDER BY score DESC, unit.id LIMIT %(limit)s)"
        for fact_type in facts.types
    ]
    params = {**conditions.params, "weights": sparse(weights), "match": any_of(match), "limit": limit}
    rows = await fetch(connection, " UNION ALL ".join(parts), params)
    found = [RankedFact(id_, FACT_TYPES[kind], score) for id_, kind, score in rows]
    return tuple(sorted((f for f in found if f.score >= floor), key=lambda f: (-f.score, f.id)))


def any_of(lexemes: Sequence[str]) -> str:
    """A ``tsquery`` literal that matches any of the lexemes, taken as they are."""
    return " | ".join("'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" for lexeme in lexemes)
