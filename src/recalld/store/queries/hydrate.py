"""What goes with the selected facts: entities, chunks, source facts?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType, Memory
from recalld.domain.tags import NO_FILTER
from recalld.store.queries.rows import memory, memory_columns
from recalld.store.queries.vectors import any_id
from recalld.store.tables import chunks, documents, entities, memory_units, unit_entities
from recalld.store.where import fact_conditions, tag_condition


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One entity of one unit."""

    unit_id: UUID
    entity_id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One stored chunk."""

    chunk_id: str
    text: str
    index: int
    token_count: int


async def read_entities(
    connection: AsyncConnection, bank_key: int, unit_ids: Sequence[UUID]
) -> list[EntityRow]:
    """Entities of the units, most mentioned first, then by name (F23)."""
    if not unit_ids:
        return []
    rows = await connection.execute(
        select(unit_entities.c.unit_id, entities.c.id, entities.c.canonical_name)
        .join(
            entities,
            (entities.c.bank_key == unit_entities.c.bank_key) & (entities.c.id == unit_entities.c.entity_id),
        )
        .where(unit_entities.c.bank_key == bank_key, unit_entities.c.unit_id == any_id(unit_ids))
        .order_by(entities.c.mention_count.desc(), entities.c.canonical_name)
    )
    return [EntityRow(*row) for row in rows]


async def read_entity_observations(
    connection: AsyncConnection, facts: FactFilter, entity_ids: Sequence[UUID]
) -> dict[UUID, list[Memory]]:
    """Per entity, the newest observations that rest on a fact about it, under the same filters."""
    observation, about = memory_units.alias("observation"), unit_entities
    rests_on = observation.c.source_memory_ids.op("@>", is_comparison=True)(array([about.c.unit_id]))
    rows = await connection.execute(
        select(*memory_columns(observation), about.c.entity_id)
        .join(about, (about.c.bank_key == observation.c.bank_key) & rests_on)
        .where(
            *fact_conditions(observation, facts),
            observation.c.fact_type == str(FactType.OBSERVATION),
            about.c.entity_id == any_id(entity_ids),
        )
        .order_by(observation.c.mentioned_at.desc().nulls_last(), observation.c.id)
    )
    found: dict[UUID, dict[UUID, Memory]] = defaultdict(dict)
    for row in rows:
        found[row[-1]].setdefault(row[0], memory(row))
    return {entity: list(memories.values()) for entity, memories in found.items()}


async def read_chunks(
    connection: AsyncConnection, facts: FactFilter, chunk_ids: Sequence[str]
) -> dict[str, ChunkRow]:
    """Chunks by id. Under a tag filter, only those whose document passes it."""
    if not chunk_ids:
        return {}
    statement = select(
        chunks.c.chunk_id, chunks.c.chunk_text, chunks.c.chunk_index, chunks.c.token_count
    ).where(chunks.c.bank_key == facts.bank_key, chunks.c.chunk_id.in_(chunk_ids))
    if facts.tags != NO_FILTER:
        statement = statement.join(
            documents,
            (documents.c.bank_key == chunks.c.bank_key) & (documents.c.id == chunks.c.document_id),
        ).where(tag_condition(documents.c.tags, facts.tags))
    rows = await connection.execute(statement)
    return {row[0]: ChunkRow(*row) for row in rows}


async def read_source_chunk_ids(
    connection: AsyncConnection, facts: FactFilter, source_ids: Sequence[UUID]
) -> dict[UUID, str]:
    """Chunk of each source fact that passes the filters."""
    sources = await read_memories(connection, facts, source_ids)
    return {id_: fact.chunk_id for id_, fact in sources.items() if fact.chunk_id is not None}


async def read_memories(
    connection: AsyncConnection, facts: FactFilter, ids: Sequence[UUID]
) -> dict[UUID, Memory]:
    """Facts by id, under the filters but of any type (F16)."""
    if not ids:
        return {}
    rows = await connection.execute(
        select(*memory_columns(memory_units)).where(
            *fact_conditions(memory_units, facts), memory_units.c.id == any_id(ids)
        )
    )
    return {row[0]: memory(row) for row in rows}
