"""What goes with the selected facts: entities, chunks, source facts?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.filters import FactFilter
from recalld.domain.memory import Memory
from recalld.domain.tags import NO_FILTER
from recalld.store.engine import ReadConnection, fetch, id_list
from recalld.store.queries.rows import MEMORY, memory
from recalld.store.where import Conditions, fact_conditions, tag_conditions

_ENTITIES = """
    SELECT held.unit_id::text, entity.id::text, entity.canonical_name
    FROM unit_entities AS held
    JOIN entities AS entity ON entity.bank_key = held.bank_key AND entity.id = held.entity_id
    WHERE held.bank_key = %(bank_key)s AND held.unit_id = ANY(%(unit_ids)s::uuid[])
    ORDER BY entity.mention_count DESC, entity.canonical_name
"""

_OBSERVATIONS = """
    SELECT {memory}, about.entity_id::text
    FROM unit_entities AS about
    JOIN memory_units AS unit ON unit.source_memory_ids @> ARRAY[about.unit_id]
    WHERE about.bank_key = %(bank_key)s AND about.entity_id = ANY(%(entity_ids)s::uuid[])
      AND unit.fact_type = 'observation' AND {conditions}
    ORDER BY unit.mentioned_at DESC NULLS LAST, unit.id
"""

_CHUNKS = """
    SELECT chunk.chunk_id, chunk.chunk_text, chunk.chunk_index, chunk.token_count, chunk.document_id
    FROM chunks AS chunk
    JOIN documents AS document ON document.bank_key = chunk.bank_key AND document.id = chunk.document_id
    WHERE chunk.bank_key = %(bank_key)s AND chunk.chunk_id = ANY(%(chunk_ids)s) AND {conditions}
"""

_MEMORIES = """
    SELECT {memory} FROM memory_units AS unit WHERE {conditions} AND unit.id = ANY(%(ids)s::uuid[])
"""


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One entity of one unit."""

    unit_id: str
    entity_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One stored chunk."""

    chunk_id: str
    text: str
    index: int
    token_count: int
    document_id: str


async def read_entities(
    connection: ReadConnection, bank_key: int, unit_ids: Sequence[str]
) -> list[EntityRow]:
    """Entities of the units, most mentioned first, then by name (F23)."""
    if not unit_ids:
        return []
    rows = await fetch(connection, _ENTITIES, {"bank_key": bank_key, "unit_ids": id_list(unit_ids)})
    return [EntityRow(*row) for row in rows]


async def read_mentions(
    connection: ReadConnection, bank_key: int, unit_ids: Sequence[str]
) -> dict[str, list[str]]:
    """The names that units mention, in the same order; a unit that mentions none is missing."""
    names: dict[str, list[str]] = {}
    for row in await read_entities(connection, bank_key, unit_ids):
        names.setdefault(row.unit_id, []).append(row.name)
    return names


async def read_entity_observations(
    connection: ReadConnection, facts: FactFilter, entity_ids: Sequence[str]
) -> dict[str, list[Memory]]:
    """Per entity, the newest observations that rest on a fact about it, under the same filters."""
    conditions = fact_conditions(facts)
    query = _OBSERVATIONS.format(memory=MEMORY, conditions=conditions.sql)
    found: dict[str, dict[str, Memory]] = defaultdict(dict)
    for row in await fetch(connection, query, {**conditions.params, "entity_ids": id_list(entity_ids)}):
        found[row[-1]].setdefault(row[0], memory(row))
    return {entity: list(memories.values()) for entity, memories in found.items()}


async def read_chunks(
    connection: ReadConnection, facts: FactFilter, chunk_ids: Sequence[str]
) -> dict[str, ChunkRow]:
    """Chunks by id. Under a tag filter, only those whose document passes it."""
    if not chunk_ids:
        return {}
    tagged = Conditions("true") if facts.tags == NO_FILTER else tag_conditions(facts.tags, "document.tags")
    params = {**tagged.params, "bank_key": facts.bank_key, "chunk_ids": list(chunk_ids)}
    rows = await fetch(connection, _CHUNKS.format(conditions=tagged.sql), params)
    return {row[0]: ChunkRow(*row) for row in rows}


async def read_memories(
    connection: ReadConnection, facts: FactFilter, ids: Sequence[str]
) -> dict[str, Memory]:
    """Facts by id, under the filters but of any type (F16)."""
    if not ids:
        return {}
    conditions = fact_conditions(facts)
    query = _MEMORIES.format(memory=MEMORY, conditions=conditions.sql)
    rows = await fetch(connection, query, {**conditions.params, "ids": id_list(ids)})
    return {row[0]: memory(row) for row in rows}
