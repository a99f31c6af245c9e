"""Which documents does a bank hold, and what are they made of?"""

from __future__ import annotations

from recalld.domain.listing import DocumentQuery, Page
from recalld.domain.records import ChunkRecord, DocumentRecord
from recalld.domain.tags import NO_FILTER
from recalld.domain.text import has_forbidden
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.patterns import containing
from recalld.store.where import Conditions, tag_conditions, time_conditions

_COLUMNS = """document.id, document.content_hash, {text}, coalesce(length(document.original_text), 0),
    document.retain_params, document.document_metadata, document.tags, document.created_at,
    document.updated_at, {matched}, coalesce(held.facts, '{{}}'::jsonb)"""

# Observations belong to no document: those that rest on its facts count for it.
_FACTS = """
    LEFT JOIN LATERAL (
        SELECT jsonb_object_agg(fact_type, facts) AS facts FROM (
            SELECT unit.fact_type, count(*) AS facts FROM memory_units AS unit
            WHERE unit.bank_key = %(bank_key)s AND unit.document_id = document.id GROUP BY 1
        ) AS counted
    ) AS held ON true
"""

_MATCHED = """array_remove(ARRAY[
    CASE WHEN document.id ILIKE %(pattern)s THEN 'id' END,
    CASE WHEN document.original_text ILIKE %(pattern)s THEN 'original_text' END], NULL)"""

_CHUNK = "chunk.chunk_id, chunk.document_id, chunk.chunk_index, chunk.chunk_text, chunk.created_at"


async def list_documents(
    connection: ReadConnection, bank_key: int, query: DocumentQuery, page: Page
) -> tuple[list[DocumentRecord], int]:
    """A page of documents without their texts, last changed first, and the total."""
    where = Conditions("document.bank_key = %(bank_key)s", {"bank_key": bank_key})
    matched = "'{}'::text[]"
    if (pattern := containing(query.search)) is not None:
        where &= Conditions(
            "(document.id ILIKE %(pattern)s OR document.original_text ILIKE %(pattern)s)",
            {"pattern": pattern},
        )
        matched = _MATCHED
    if query.tags != NO_FILTER:
        where &= tag_conditions(query.tags, "document.tags")
    where &= time_conditions(query.time, "document")
    total = await fetch(
        connection, f"SELECT count(*) FROM documents AS document WHERE {where.sql}", where.params
    )
    columns = _COLUMNS.format(text="NULL::text", matched=matched)
    axis = query.time.column if query.time else "updated_at"
    rows = await fetch(
        connection,
        f"SELECT {columns} FROM (SELECT document.* FROM documents AS document WHERE {where.sql}"
        f" ORDER BY document.{axis} DESC, document.id LIMIT %(limit)s OFFSET %(offset)s) AS document {_FACTS}"
        f" ORDER BY document.{axis} DESC, document.id",
        {**where.params, **page.bounds},
    )
    return [DocumentRecord(*row) for row in rows], total[0][0]


async def read_document(connection: ReadConnection, bank_key: int, document_id: str) -> DocumentRecord | None:
    """One document with its text."""
    if has_forbidden(document_id):
        return None
    columns = _COLUMNS.format(text="document.original_text", matched="'{}'::text[]")
    query = (
        f"SELECT {columns} FROM documents AS document {_FACTS}"
        " WHERE document.bank_key = %(bank_key)s AND document.id = %(id)s"
    )
    rows = await fetch(connection, query, {"bank_key": bank_key, "id": document_id})
    return DocumentRecord(*rows[0]) if rows else None


async def list_chunks(
    connection: ReadConnection, bank_key: int, document_id: str, page: Page
) -> tuple[list[ChunkRecord], int]:
    """A page of a document's chunks in their order, and the total."""
    source = "FROM chunks AS chunk WHERE chunk.bank_key = %(bank_key)s AND chunk.document_id = %(id)s"
    params = {"bank_key": bank_key, "id": document_id, **page.bounds}
    total = (await fetch(connection, f"SELECT count(*) {source}", params))[0][0]
    query = f"SELECT {_CHUNK} {source} ORDER BY chunk.chunk_index LIMIT %(limit)s OFFSET %(offset)s"
    return [ChunkRecord(*row) for row in await fetch(connection, query, params)], total


async def read_chunk(connection: ReadConnection, bank_key: int, chunk_id: str) -> ChunkRecord | None:
    """One chunk."""
    query = f"SELECT {_CHUNK} FROM chunks AS chunk WHERE chunk.bank_key = %(bank_key)s AND chunk_id = %(id)s"
    rows = await fetch(connection, query, {"bank_key": bank_key, "id": chunk_id})
    return ChunkRecord(*rows[0]) if rows else None
