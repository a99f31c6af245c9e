"""Writes documents and their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.documents import Chunk, DocumentDraft
from recalld.store.tables import chunks, documents, memory_units


async def lock_document(connection: AsyncConnection, bank_key: int, document_id: str) -> str | None:
    """Make this transaction the only writer of the document; returns its content hash, ``None`` when new.

    The row appears with the first writer; later ones wait for it here.
    """
    created = await connection.execute(
        upsert(documents)
        .values(bank_key=bank_key, id=document_id)
        .on_conflict_do_nothing()
        .returning(documents.c.id)
    )
    if created.first() is not None:
        return None
    return await connection.scalar(
        select(documents.c.content_hash)
        .where(documents.c.bank_key == bank_key, documents.c.id == document_id)
        .with_for_update()
    )


async def save_document(connection: AsyncConnection, bank_key: int, draft: DocumentDraft) -> None:
    """Fill in the locked row."""
    await connection.execute(
        update(documents)
        .where(documents.c.bank_key == bank_key, documents.c.id == draft.document_id)
        .values(
            original_text=draft.text,
            content_hash=draft.content_hash,
            retain_params=draft.retain_params,
            document_metadata=draft.metadata,
            tags=list(draft.tags),
            updated_at=func.now(),
        )
    )


async def insert_chunks(
    connection: AsyncConnection, bank_key: int, document_id: str, new: Sequence[Chunk]
) -> None:
    """Add chunks."""
    rows = [
        {
            "bank_key": bank_key,
            "chunk_id": chunk.chunk_id,
            "document_id": document_id,
            "chunk_index": chunk.index,
            "chunk_text": chunk.text,
            "content_hash": chunk.content_hash,
            "token_count": chunk.token_count,
        }
        for chunk in new
    ]
    if rows:
        await connection.execute(insert(chunks), rows)


_DELETE_CHUNKS = text("""
    WITH gone AS (
        DELETE FROM memory_units AS unit
        WHERE unit.bank_key = :bank_key
          AND (unit.chunk_id = ANY(:chunk_ids)
               OR unit.source_memory_ids && ARRAY(
                    SELECT id FROM memory_units WHERE bank_key = :bank_key AND chunk_id = ANY(:chunk_ids)))
        RETURNING unit.search_vector, unit.length
    ), terms AS (
        SELECT term.lexeme, count(*) AS facts FROM gone, unnest(gone.search_vector) AS term GROUP BY 1
    ), forgotten AS (
        UPDATE bank_terms SET df = df - terms.facts FROM terms
        WHERE bank_terms.bank_key = :bank_key AND bank_terms.term = terms.lexeme
    ), dropped AS (
        DELETE FROM chunks WHERE bank_key = :bank_key AND chunk_id = ANY(:chunk_ids)
    )
    SELECT count(*), coalesce(sum(length), 0) FROM gone
""")


async def delete_chunks(
    connection: AsyncConnection, bank_key: int, chunk_ids: Sequence[str]
) -> tuple[int, float]:
    """Remove chunks with their facts, the observations that rest on them, and their term counts.

    Returns the number of facts removed and the sum of their lengths. The bank's row must be locked.
    """
    if not chunk_ids:
        return 0, 0.0
    row = (await connection.execute(_DELETE_CHUNKS, {"bank_key": bank_key, "chunk_ids": list(chunk_ids)})).one()
    return int(row[0]), float(row[1])


async def refresh_units(
    connection: AsyncConnection, bank_key: int, chunk_ids: Sequence[str], values: dict[str, Any]
) -> None:
    """Give the facts of unchanged chunks the new tags and metadata."""
    if chunk_ids:
        await connection.execute(
            update(memory_units)
            .where(memory_units.c.bank_key == bank_key, memory_units.c.chunk_id.in_(chunk_ids))
            .values(**values, updated_at=func.now())
        )
