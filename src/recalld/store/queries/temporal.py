"""Which facts carry a date inside a window, and which hang together with them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FACT_TYPES, FactType, instant_of
from recalld.domain.time import TimeWindow
from recalld.store.engine import ReadConnection, fetch, id_list
from recalld.store.queries.vectors import FloatArray, dense
from recalld.store.where import fact_conditions, of_types

LINKS_PER_FACT = 10
FRONTIER = 100
"""Facts the second step starts from, the strongest of the first."""

# A fact is in the window when its range overlaps it or any one of its dates lies in it.
_IN_WINDOW = """(
    (unit.occurred_start <= %(window_end)s AND unit.occurred_end >= %(window_start)s)
    OR unit.mentioned_at BETWEEN %(window_start)s AND %(window_end)s
    OR unit.occurred_start BETWEEN %(window_start)s AND %(window_end)s
    OR unit.occurred_end BETWEEN %(window_start)s AND %(window_end)s)
"""

_OF_TYPE = """
    (SELECT unit.id::text, unit.fact_type,
            unit.embedding::halfvec({d}) <=> %(vector)s::halfvec({d}) AS distance,
            unit.occurred_start, unit.occurred_end, unit.mentioned_at
     FROM memory_units AS unit
     WHERE {conditions} AND unit.fact_type = '{fact_type}' AND {in_window}
     ORDER BY distance, unit.id LIMIT %(limit)s)
"""

# A cause may lie before the time that was asked for; a mere neighbour in time may not.
_STEP = """
    SELECT near.id, max(start.score * near.strength * 0.7) AS score
    FROM {start} AS start
    CROSS JOIN LATERAL (
        SELECT unit.id, edge.weight * edge.factor AS strength
        FROM (
            SELECT link.id, link.weight, link.link_type,
                   CASE link.link_type WHEN 'temporal' THEN 1.0
                        WHEN 'enables' THEN 1.5 WHEN 'prevents' THEN 1.5 ELSE 2.0 END AS factor
            FROM (
                SELECT to_id AS id, weight, link_type FROM memory_links
                WHERE bank_key = %(bank_key)s AND from_id = start.id
                UNION ALL
                SELECT from_id, weight, link_type FROM memory_links
                WHERE bank_key = %(bank_key)s AND to_id = start.id AND link_type <> 'temporal'
            ) AS link
            WHERE link.link_type <> 'semantic' AND link.weight >= 0.1
        ) AS edge
        JOIN memory_units AS unit ON unit.id = edge.id
        WHERE {conditions} AND (edge.link_type <> 'temporal' OR {in_window})
          AND unit.embedding::halfvec({d}) <=> %(vector)s::halfvec({d}) <= 1 - %(floor)s
        ORDER BY strength DESC, unit.id LIMIT {links}
    ) AS near
    GROUP BY near.id
"""

_LINKED = """
    WITH seed AS MATERIALIZED (
        SELECT * FROM unnest(%(ids)s::uuid[], %(scores)s::double precision[]) AS seed(id, score)
    ), first AS MATERIALIZED (
        {first} ORDER BY score DESC, near.id LIMIT {frontier}
    ), frontier AS MATERIALIZED (
        SELECT * FROM first WHERE score > 0.2 AND id NOT IN (SELECT id FROM seed)
    ), second AS (
        {second}
    ), reached AS (
        SELECT id, max(score) AS score FROM (SELECT * FROM first UNION ALL SELECT * FROM second) AS every
        WHERE id NOT IN (SELECT id FROM seed)
        GROUP BY id ORDER BY 2 DESC, id LIMIT %(limit)s
    )
    SELECT unit.id::text, unit.fact_type,
           unit.embedding::halfvec({d}) <=> %(vector)s::halfvec({d}),
           unit.occurred_start, unit.occurred_end, unit.mentioned_at, reached.score
    FROM reached JOIN memory_units AS unit ON unit.bank_key = %(bank_key)s AND unit.id = reached.id
"""


class DatedFact(NamedTuple):
    """A fact with its similarity to the query and the moment that stands for it."""

    id: str
    fact_type: FactType
    similarity: float
    instant: datetime | None


@dataclass(frozen=True, slots=True)
class WindowSearch:
    """What to look for: facts of a window, like ``vector`` by a cosine of at least ``floor``.

    ``limit`` is the most facts of each type, or the most that links lead to.
    """

    vector: FloatArray
    window: TimeWindow
    limit: int
    floor: float


async def facts_in_window(
    connection: ReadConnection, facts: FactFilter, search: WindowSearch
) -> list[DatedFact]:
    """Facts of each type in the window, most similar first."""
    conditions = fact_conditions(facts)
    parts = [
        _OF_TYPE.format(
            d=len(search.vector), conditions=conditions.sql, fact_type=fact_type, in_window=_IN_WINDOW
        )
        for fact_type in facts.types
    ]
    rows = await fetch(connection, " UNION ALL ".join(parts), {**conditions.params, **_params(search)})
    found = [_dated(row) for row in rows]
    return sorted((f for f in found if f.similarity >= search.floor), key=lambda f: (-f.similarity, f.id))


async def linked_facts(
    connection: ReadConnection, facts: FactFilter, search: WindowSearch, seeds: Mapping[str, float]
) -> list[tuple[DatedFact, float]]:
    """Facts up to two links away from scored seeds, each with the score of the best path to it.

    A path's score is that of its seed, times weight, kind (causal 2, enabling or preventing 1.5,
    temporal 1) and 0.7 for each link. Temporal links stay inside the window; causal ones are followed
    both ways, wherever they lead.
    """
    conditions = fact_conditions(facts) & of_types(facts)
    given = {
        "d": len(search.vector),
        "conditions": conditions.sql,
        "in_window": _IN_WINDOW,
        "links": LINKS_PER_FACT,
    }
    query = _LINKED.format(
        first=_STEP.format(start="seed", **given),
        second=_STEP.format(start="frontier", **given),
        frontier=FRONTIER,
        d=len(search.vector),
    )
    params = {
        **conditions.params,
        **_params(search),
        "ids": id_list(seeds),
        "scores": list(seeds.values()),
    }
    return [(_dated(row), row[6]) for row in await fetch(connection, query, params)]


def _params(search: WindowSearch) -> dict[str, Any]:
    return {
        "vector": dense(search.vector),
        "window_start": search.window.start,
        "window_end": search.window.end,
        "limit": search.limit,
        "floor": search.floor,
    }


def _dated(row: tuple[Any, ...]) -> DatedFact:
    id_, kind, distance, start, end, mentioned = row[:6]
    return DatedFact(id_, FACT_TYPES[kind], 1.0 - distance, instant_of(start, end, mentioned))
