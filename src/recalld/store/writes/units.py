"""Writes facts: text, vectors and the document side of BM25."""

from __future__ import annotations

from collections.abc import Sequence

from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ARRAY, DateTime, Text, Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.documents import NOTHING, UnitDraft
from recalld.store.writes.facts import confirm_embedder

_PAST = (
    "occurred_start",
    "occurred_end",
    "created_at",
    "edited_at",
    "consolidated_at",
    "consolidation_failed_at",
)

_INSERT = text("""
    WITH unit AS (
        INSERT INTO memory_units (
            bank_key, id, document_id, chunk_id, text, context, fact_type, event_date, mentioned_at,
            metadata, tags, observation_scopes, attachment_ids, token_count, embedding, search_vector,
            length, term_weights, occurred_start, occurred_end, created_at, edited_at, consolidated_at,
            consolidation_failed_at, proof_count, source_memory_ids
        )
        SELECT banks.bank_key, :id, :document_id, :chunk_id, :text, :context, :fact_type, :event_date,
               :mentioned_at, :metadata, :tags, :observation_scopes, :attachment_ids, :token_count,
               :embedding, terms, document_length(terms),
               bm25_weights(terms, document_length(terms), CAST(:average_length AS real)),
               :occurred_start, :occurred_end, coalesce(:created_at, now()), :edited_at, :consolidated_at,
               :consolidation_failed_at, :proof_count, :source_ids
        FROM banks
        CROSS JOIN LATERAL to_tsvector(CAST(banks.text_search_language AS regconfig), :index_text) AS terms
        WHERE banks.bank_key = :bank_key
        RETURNING bank_key, id
    ), queued AS (
        INSERT INTO unlinked_units (bank_key, unit_id) SELECT bank_key, id FROM unit
    )
    INSERT INTO memory_token_vectors (bank_key, unit_id, vectors) SELECT bank_key, id, :vectors FROM unit
""").bindparams(
    bindparam("id", type_=Uuid),
    *(bindparam(name, type_=DateTime(timezone=True)) for name in ("event_date", "mentioned_at", *_PAST)),
    bindparam("metadata", type_=JSONB),
    bindparam("tags", type_=ARRAY(Text)),
    bindparam("attachment_ids", type_=ARRAY(Text)),
    bindparam("source_ids", type_=ARRAY(Uuid)),
    bindparam("observation_scopes", type_=JSONB(none_as_null=True)),
    bindparam("embedding", type_=HALFVEC()),
)


async def insert_units(
    connection: AsyncConnection, bank_key: int, units: Sequence[UnitDraft], average_length: float
) -> None:
    """Add facts with their vectors, in one batch, and queue them for linking."""
    rows = [
        {
            "bank_key": bank_key,
            "id": unit.id,
            "document_id": unit.document_id,
            "chunk_id": unit.chunk_id,
            "text": unit.text,
            "context": unit.context,
            "fact_type": str(unit.fact_type),
            "event_date": unit.event_date,
            "mentioned_at": unit.mentioned_at,
            "metadata": unit.metadata,
            "tags": list(unit.tags),
            "observation_scopes": unit.observation_scopes,
            "attachment_ids": list(unit.attachment_ids),
            "token_count": unit.token_count,
            "embedding": HalfVector(unit.vector),
            "index_text": unit.index_text,
            "average_length": average_length,
            "vectors": unit.token_vectors,
            "proof_count": past.proof_count,
            "source_ids": list(past.source_ids),
            **{name: getattr(past, name) for name in _PAST},
        }
        for unit in units
        for past in [unit.past or NOTHING]
    ]
    if rows:
        await connection.execute(_INSERT, rows)
        await confirm_embedder(connection)
