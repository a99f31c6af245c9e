"""What is still to be embedded by another model: which facts, how many?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from recalld.store.engine import ReadConnection, fetch

# Names come in a fixed order, so that the digest of an unchanged fact stays what it is. An observation
# mentions what its sources do.
_FACTS = """
    FROM memory_units AS unit
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(DISTINCT entity.canonical_name), '{}') AS names
        FROM unit_entities AS held
        JOIN entities AS entity ON entity.bank_key = held.bank_key AND entity.id = held.entity_id
        WHERE held.bank_key = unit.bank_key AND held.unit_id = ANY(unit.source_memory_ids || unit.id)
    ) AS mentions
    CROSS JOIN LATERAL md5(unit.text || chr(1) || array_to_string(names, chr(1))) AS digest
    LEFT JOIN reembedded_units AS made ON made.bank_key = unit.bank_key AND made.unit_id = unit.id
"""

_MISSING = f"""
    SELECT unit.bank_key, unit.id, unit.text, names, digest::uuid {_FACTS}
    WHERE (unit.bank_key, unit.id) > (%(bank_key)s, %(id)s)
      AND (made.source IS NULL OR made.source <> digest::uuid)
    ORDER BY unit.bank_key, unit.id LIMIT %(limit)s
"""

_COUNTS = "SELECT (SELECT count(*) FROM reembedded_units), (SELECT count(*) FROM memory_units)"

_BANKS = "SELECT bank_key FROM banks ORDER BY 1"

_INDEXES = """
    SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'memory_units'::regclass AND starts_with(relname, 'memory_units_hnsw_')
"""


class Place(NamedTuple):
    """A fact's place in the order they are gone through."""

    bank_key: int
    id: UUID


START = Place(0, UUID(int=0))


class Unmade(NamedTuple):
    """A fact without a vector of the other model. ``source`` tells what is to be embedded."""

    place: Place
    text: str
    names: Sequence[str]
    source: UUID


async def missing_units(connection: ReadConnection, after: Place, limit: int) -> list[Unmade]:
    """The next facts that lack a vector, or whose text or names changed since they were given one."""
    rows = await fetch(connection, _MISSING, {**after._asdict(), "limit": limit})
    return [Unmade(Place(key, id_), *rest) for key, id_, *rest in rows]


async def reembedding_counts(connection: ReadConnection) -> tuple[int, int]:
    """How many vectors are made, and how many facts there are."""
    ((made, all_),) = await fetch(connection, _COUNTS, {})
    return made, all_


async def bank_keys(connection: ReadConnection) -> list[int]:
    """All banks."""
    return [key for (key,) in await fetch(connection, _BANKS, {})]


async def vector_indexes(connection: ReadConnection) -> list[str]:
    """Names of the HNSW indexes, half-built ones included."""
    return [name for (name,) in await fetch(connection, _INDEXES, {})]
