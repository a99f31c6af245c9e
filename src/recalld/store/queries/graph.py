"""What lies around the best seeds: the entities they share and the links they have?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    Double,
    Select,
    Text,
    Uuid,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType
from recalld.store.queries.semantic import nearest_of_type
from recalld.store.queries.vectors import FloatArray, widen_index_scans
from recalld.store.tables import entities, memory_links, memory_units, unit_entities
from recalld.store.where import fact_conditions, type_condition

UNITS_PER_ENTITY = 200
LINKS_PER_SEED = 40
TEMPORAL_SHARE = 0.3
"""Weight of a temporal link beside a semantic or causal one."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection between two nodes (facts or entities) of the neighbourhood."""

    source: UUID
    target: UUID
    weight: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A bounded piece of the bank's graph.

    ``seeds`` holds facts with their similarity and named entities with 1. ``types`` holds the
    facts that edges lead to; nodes missing from it are entities.
    """

    seeds: dict[UUID, float]
    edges: tuple[Edge, ...]
    types: dict[UUID, FactType]


async def read_neighbourhood(
    connection: AsyncConnection,
    facts: FactFilter,
    vector: FloatArray,
    *,
    names: Sequence[str],
    seeds: int,
    floor: float,
) -> Neighbourhood:
    """Seeds are the ``seeds`` nearest facts of each type and the entities called one of ``names``."""
    await widen_index_scans(connection)
    rows = (await connection.execute(_neighbourhood(facts, vector, names, seeds, floor))).all()
    return Neighbourhood(
        seeds={source: weight for source, target, weight, _ in rows if target is None},
        edges=tuple(Edge(s, t, weight) for s, t, weight, _ in rows if t is not None and s != t),
        types={target: FactType(kind) for _, target, _, kind in rows if target is not None and kind is not None},
    )


def _neighbourhood(
    facts: FactFilter, vector: FloatArray, names: Sequence[str], seeds: int, floor: float
) -> Select[Any]:
    nearest = union_all(
        *(select(nearest_of_type(facts, t, vector, seeds).subquery()) for t in facts.types)
    ).subquery()
    seed = (
        select(nearest.c.id, (1.0 - nearest.c.distance).label("similarity"))
        .where(nearest.c.distance <= 1.0 - floor)
        .cte("seed")
    )
    named = (
        select(entities.c.id)
        .where(entities.c.bank_key == facts.bank_key, func.lower(entities.c.canonical_name).in_(names))
        .cte("named")
    )
    posting = (
        select(seed.c.id.label("unit_id"), unit_entities.c.entity_id)
        .join(unit_entities, unit_entities.c.unit_id == seed.c.id)
        .where(unit_entities.c.bank_key == facts.bank_key)
        .cte("posting")
    )
    hub = select(posting.c.entity_id).union(select(named.c.id)).cte("hub")
    member = _members(facts, hub)
    link = _links(facts, seed)
    whole = union_all(
        _rows(seed.c.id, null(), seed.c.similarity, null()),
        _rows(named.c.id, null(), literal(1.0), null()),
        _rows(posting.c.unit_id, posting.c.entity_id, literal(1.0), null()),
        _rows(hub.c.entity_id, member.c.unit_id, literal(1.0), member.c.fact_type).select_from(
            hub.join(member, true())
        ),
        _rows(seed.c.id, link.c.target, link.c.weight, link.c.fact_type).select_from(seed.join(link, true())),
    )
    return select(whole.subquery())


def _rows(source: Any, target: Any, weight: Any, kind: Any) -> Select[Any]:
    """Rows of the one shape all parts share: a seed without target, or an edge."""
    return select(
        cast(source, Uuid).label("source"),
        cast(target, Uuid).label("target"),
        cast(weight, Double).label("weight"),
        cast(kind, Text).label("kind"),
    )


def _members(facts: FactFilter, hub: CTE) -> Any:
    """Per entity, the first facts that pass every filter."""
    return (
        select(unit_entities.c.unit_id, memory_units.c.fact_type)
        .select_from(unit_entities.join(memory_units, memory_units.c.id == unit_entities.c.unit_id))
        .where(
            unit_entities.c.bank_key == facts.bank_key,
            unit_entities.c.entity_id == hub.c.entity_id,
            *fact_conditions(memory_units, facts),
            type_condition(memory_units, facts),
        )
        .order_by(unit_entities.c.unit_id.desc())
        .limit(UNITS_PER_ENTITY)
        .lateral("member")
    )


def _links(facts: FactFilter, seed: CTE) -> Any:
    """Per seed, its heaviest links in either direction to facts that pass every filter."""
    links = memory_links.c
    touches = or_(links.from_id == seed.c.id, links.to_id == seed.c.id)
    target = case((links.from_id == seed.c.id, links.to_id), else_=links.from_id)
    weight = case((links.link_type == "temporal", links.weight * TEMPORAL_SHARE), else_=links.weight)
    return (
        select(target.label("target"), weight.label("weight"), memory_units.c.fact_type)
        .select_from(memory_links.join(memory_units, memory_units.c.id == target))
        .where(links.bank_key == facts.bank_key, touches)
        .where(*fact_conditions(memory_units, facts), type_condition(memory_units, facts))
        .order_by(weight.desc(), target)
        .limit(LINKS_PER_SEED)
        .lateral("link")
    )
