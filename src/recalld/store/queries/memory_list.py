"""Which memories does a bank hold, and what is known about each?"""

from __future__ import annotations

from collections.abc import Sequence

from recalld.domain.listing import MemoryQuery, Page
from recalld.domain.records import MemoryRecord
from recalld.domain.tags import NO_FILTER
from recalld.domain.text import has_forbidden
from recalld.store.engine import ReadConnection, fetch, id_list
from recalld.store.queries.patterns import containing
from recalld.store.where import Conditions, tag_conditions, time_conditions

_SHARED = """unit.id::text, unit.text, unit.context, unit.fact_type, unit.document_id, unit.chunk_id,
    unit.event_date, unit.occurred_start, unit.occurred_end, unit.mentioned_at, unit.metadata, unit.tags,
    unit.observation_scopes, unit.proof_count, unit.source_memory_ids::text[], unit.attachment_ids"""

VALID = f"""{_SHARED}, unit.consolidated_at, unit.consolidation_failed_at, unit.created_at, unit.updated_at,
    unit.edited_at, NULL::text, NULL::timestamptz"""
"""The columns of a ``MemoryRecord``, in order, from ``memory_units AS unit``."""

INVALIDATED = f"""{_SHARED}, NULL::timestamptz, NULL::timestamptz, unit.created_at, unit.updated_at,
    unit.edited_at, unit.reason, unit.invalidated_at"""
"""The same from ``invalidated_units AS unit``."""

_CONSOLIDATION = {
    "failed": "unit.consolidation_failed_at IS NOT NULL",
    "done": "unit.consolidated_at IS NOT NULL AND unit.consolidation_failed_at IS NULL",
    "pending": "unit.consolidated_at IS NULL AND unit.consolidation_failed_at IS NULL"
    " AND unit.fact_type <> 'observation'",
}

# An observation mentions what the facts it rests on mention.
_MENTIONS = """(
    unit.id IN (SELECT unit_id FROM unit_entities
                WHERE bank_key = %(bank_key)s AND entity_id = %(entity_id)s::uuid)
    OR unit.source_memory_ids && ARRAY(SELECT unit_id FROM unit_entities
                WHERE bank_key = %(bank_key)s AND entity_id = %(entity_id)s::uuid))"""

_MENTIONED = """EXISTS (SELECT FROM entities
    WHERE bank_key = %(bank_key)s AND id = %(entity_id)s::uuid AND canonical_name = ANY(unit.entities))"""


async def list_memories(
    connection: ReadConnection, bank_key: int, query: MemoryQuery, page: Page
) -> tuple[list[MemoryRecord], int]:
    """A page of memories, last mentioned first unless a time range says otherwise, and the total."""
    columns, table = (INVALIDATED, "invalidated_units") if query.invalidated else (VALID, "memory_units")
    where = _conditions(bank_key, query)
    source = f"FROM {table} AS unit WHERE {where.sql}"
    total = (await fetch(connection, f"SELECT count(*) {source}", where.params))[0][0]
    axis = query.time.column if query.time else "mentioned_at"
    rows = await fetch(
        connection,
        f"SELECT {columns} {source} ORDER BY unit.{axis} DESC NULLS LAST, unit.created_at DESC, unit.id"
        " LIMIT %(limit)s OFFSET %(offset)s",
        {**where.params, **page.bounds},
    )
    return [MemoryRecord(*row) for row in rows], total


async def read_records(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, MemoryRecord]:
    """Memories by id, valid and invalidated; unknown ids are missing."""
    if not ids:
        return {}
    where = "WHERE unit.bank_key = %(bank_key)s AND unit.id = ANY(%(ids)s::uuid[])"
    query = (
        f"SELECT {VALID} FROM memory_units AS unit {where}"
        f" UNION ALL SELECT {INVALIDATED} FROM invalidated_units AS unit {where}"
    )
    rows = await fetch(connection, query, {"bank_key": bank_key, "ids": id_list(ids)})
    return {row[0]: MemoryRecord(*row) for row in rows}


async def archived_names(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, list[str]]:
    """The names that invalidated memories mentioned, by id."""
    query = """
        SELECT id::text, entities FROM invalidated_units
        WHERE bank_key = %(bank_key)s AND id = ANY(%(ids)s::uuid[])
    """
    rows = await fetch(connection, query, {"bank_key": bank_key, "ids": id_list(ids)})
    return dict(rows)


def _conditions(bank_key: int, query: MemoryQuery) -> Conditions:
    found = Conditions("unit.bank_key = %(bank_key)s", {"bank_key": bank_key})
    for column in ("fact_type", "document_id"):
        value = getattr(query, column)
        if value is not None:
            found &= _equal(column, value)
    if (pattern := containing(query.search)) is not None:
        found &= Conditions(
            "(unit.text ILIKE %(pattern)s OR unit.context ILIKE %(pattern)s)", {"pattern": pattern}
        )
    if query.entity_id is not None:
        mentions = _MENTIONED if query.invalidated else _MENTIONS
        found &= Conditions(mentions, {"entity_id": query.entity_id})
    if query.tags != NO_FILTER:
        found &= tag_conditions(query.tags, "unit.tags")
    if query.consolidation is not None:
        found &= Conditions("false" if query.invalidated else f"({_CONSOLIDATION[query.consolidation]})")
    return found & time_conditions(query.time, "unit")


def _equal(column: str, value: str) -> Conditions:
    if has_forbidden(value):
        return Conditions("false")
    return Conditions(f"unit.{column} = %({column})s", {column: value})
