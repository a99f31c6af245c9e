"""Writes documents and their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Text, Uuid, bindparam, func, insert, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.documents import Chunk, DocumentDraft
from recalld.store.tables import chunks, documents, memory_units

_CREATE = text("""
    INSERT INTO documents (
        bank_key, id, original_text, content_hash, retain_params, document_metadata, tags,
        label, source_metadata, fingerprint, ingestion_id
    ) VALUES (
        :bank_key, :id, :original_text, :content_hash, :retain_params, :document_metadata, :tags,
        :label, :source_metadata, :fingerprint, :ingestion_id
    )
    ON CONFLICT DO NOTHING RETURNING id
""").bindparams(
    bindparam("retain_params", type_=JSONB),
    bindparam("document_metadata", type_=JSONB),
    bindparam("tags", type_=ARRAY(Text)),
    bindparam("ingestion_id", type_=Uuid),
)


async def save_document(
    connection: AsyncConnection, bank_key: int, draft: DocumentDraft, base_hash: str | None
) -> bool:
    """Write the document's row, and with it become the only writer of the document until the end.

    Returns whether the stored document was still the one with ``base_hash`` (``None``: there was none).
    """
    values = {
        "original_text": draft.text if draft.keeps_text else None,
        "content_hash": draft.content_hash,
        "retain_params": draft.retain_params,
        "document_metadata": draft.metadata,
        "tags": list(draft.tags),
        "label": draft.source.label,
        "source_metadata": draft.source.metadata,
        "fingerprint": draft.source.fingerprint,
        "ingestion_id": draft.source.ingestion,
    }
    if base_hash is None:
        created = await connection.execute(_CREATE, {"bank_key": bank_key, "id": draft.document_id, **values})
        return created.first() is not None
    changed = await connection.execute(
        update(documents)
        .where(
            documents.c.bank_key == bank_key,
            documents.c.id == draft.document_id,
            documents.c.content_hash == base_hash,
        )
        .values(**values, updated_at=func.now())
    )
    return changed.rowcount == 1


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
        RETURNING unit.fact_type, unit.source_memory_ids, unit.search_vector, unit.length
    ), pending AS (
        UPDATE memory_units AS unit SET consolidated_at = NULL, consolidation_failed_at = NULL
        WHERE unit.bank_key = :bank_key AND (unit.chunk_id IS NULL OR unit.chunk_id <> ALL(:chunk_ids))
          AND unit.id IN (SELECT unnest(source_memory_ids) FROM gone WHERE fact_type = 'observation')
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

    Other facts those observations rest on wait to be consolidated again. Returns the number of facts
    removed and the sum of their lengths. The bank's row must be locked.
    """
    if not chunk_ids:
        return 0, 0.0
    row = (
        await connection.execute(_DELETE_CHUNKS, {"bank_key": bank_key, "chunk_ids": list(chunk_ids)})
    ).one()
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
