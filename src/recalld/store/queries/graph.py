"""What lies around the best seeds: the entities they share and the links they have?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FACT_TYPES, FactType
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.semantic import nearest
from recalld.store.queries.vectors import FloatArray
from recalld.store.where import fact_conditions, of_types

UNITS_PER_ENTITY = 200
LINKS_PER_SEED = 20

# Rows are (source, target, weight, kind): a seed has no target, a fact reached has a kind.
_NEIGHBOURHOOD = """
    WITH seed AS MATERIALIZED (
        SELECT id::uuid, 1 - distance AS similarity FROM ({nearest}) AS near WHERE distance <= 1 - %(floor)s
    ), named AS (
        SELECT id FROM entities WHERE bank_key = %(bank_key)s AND lower(canonical_name) = ANY(%(names)s)
    ), posting AS (
        SELECT held.unit_id, held.entity_id FROM unit_entities AS held
        WHERE held.bank_key = %(bank_key)s AND held.unit_id IN (SELECT id FROM seed)
    ), hub AS (
        SELECT entity_id FROM posting UNION SELECT id FROM named
    )
    SELECT id::text, NULL::text, similarity, NULL::text FROM seed
    UNION ALL SELECT id::text, NULL, 1, NULL FROM named
    UNION ALL SELECT unit_id::text, entity_id::text, 1, NULL FROM posting
    UNION ALL SELECT hub.entity_id::text, member.id::text, 1, member.fact_type
    FROM hub CROSS JOIN LATERAL (
        SELECT unit.id, unit.fact_type
        FROM unit_entities AS held JOIN memory_units AS unit ON unit.id = held.unit_id
        WHERE held.bank_key = %(bank_key)s AND held.entity_id = hub.entity_id AND {conditions}
        ORDER BY held.unit_id DESC LIMIT {units}
    ) AS member
    UNION ALL SELECT seed.id::text, link.target::text, link.weight, link.fact_type
    FROM seed CROSS JOIN LATERAL (
        SELECT unit.id AS target, unit.fact_type, edge.weight
        FROM (
            SELECT to_id AS id, weight
            FROM memory_links WHERE bank_key = %(bank_key)s AND from_id = seed.id AND link_type <> 'temporal'
            UNION ALL
            SELECT from_id, weight
            FROM memory_links WHERE bank_key = %(bank_key)s AND to_id = seed.id AND link_type <> 'temporal'
        ) AS edge JOIN memory_units AS unit ON unit.id = edge.id
        WHERE {conditions}
        ORDER BY edge.weight DESC, unit.id LIMIT {links}
    ) AS link
"""


@dataclass(frozen=True, slots=True)
class Seeding:
    """Where to start: the ``nearest`` facts of each type from cosine ``floor`` up, and entities by name."""

    nearest: int
    floor: float
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A bounded piece of the bank's graph.

    ``seeds`` holds facts with their similarity and named entities with 1. ``edges`` are (node, node,
    weight) between facts and entities. ``types`` holds the facts that edges lead to; nodes missing
    from it are entities or seeds.
    """

    seeds: dict[str, float]
    edges: list[tuple[str, str, float]]
    types: dict[str, FactType]


async def read_neighbourhood(
    connection: ReadConnection,
    facts: FactFilter,
    vector: FloatArray,
    seeding: Seeding,
) -> Neighbourhood:
    """The neighbourhood of the seeds."""
    near = nearest(facts, vector, seeding.nearest)
    conditions = fact_conditions(facts) & of_types(facts)
    query = _NEIGHBOURHOOD.format(
        nearest=near.sql,
        conditions=conditions.sql,
        units=UNITS_PER_ENTITY,
        links=LINKS_PER_SEED,
    )
    params = {**near.params, **conditions.params, "names": list(seeding.names), "floor": seeding.floor}
    rows = await fetch(connection, query, params)
    return Neighbourhood(
        seeds={source: weight for source, target, weight, _ in rows if target is None},
        edges=[(node, other, weight) for node, other, weight, _ in rows if other is not None],
        types={target: FACT_TYPES[kind] for _, target, _, kind in rows if kind is not None},
    )
