"""Writes observations in words of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ARRAY, DateTime, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.banks import Bank
from recalld.domain.documents import Past, UnitDraft
from recalld.domain.memory import FactType
from recalld.store.writes.facts import confirm_embedder
from recalld.store.writes.observations import ObservationDraft, remember
from recalld.store.writes.terms import count_facts, forget_facts
from recalld.store.writes.units import insert_units

_REWORD = text("""
    WITH vectors AS (
        UPDATE memory_token_vectors SET vectors = :vectors WHERE bank_key = :bank_key AND unit_id = :id
    ), unlinked AS (
        DELETE FROM memory_links WHERE bank_key = :bank_key AND (from_id = :id OR to_id = :id)
    ), queued AS (
        INSERT INTO unlinked_units (bank_key, unit_id) VALUES (:bank_key, :id) ON CONFLICT DO NOTHING
    )
    UPDATE memory_units AS unit
    SET text = :text, token_count = :token_count, embedding = :embedding, search_vector = terms,
        length = document_length(terms),
        term_weights = bm25_weights(terms, document_length(terms), CAST(:average_length AS real)),
        event_date = :event_date, occurred_start = :occurred_start, occurred_end = :occurred_end,
        mentioned_at = :mentioned_at, source_memory_ids = :source_ids,
        proof_count = cardinality(:source_ids), updated_at = now()
    FROM banks
    CROSS JOIN LATERAL to_tsvector(CAST(banks.text_search_language AS regconfig), :index_text) AS terms
    WHERE banks.bank_key = :bank_key AND unit.bank_key = :bank_key AND unit.id = :id
""").bindparams(
    bindparam("id", type_=Uuid),
    bindparam("source_ids", type_=ARRAY(Uuid)),
    bindparam("embedding", type_=HALFVEC()),
    *(
        bindparam(name, type_=DateTime(timezone=True))
        for name in ("event_date", "occurred_start", "occurred_end", "mentioned_at")
    ),
)

_DROP = text("""
    DELETE FROM memory_units WHERE bank_key = :bank_key AND fact_type = 'observation' AND id = ANY(:ids)
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))


@dataclass(frozen=True, slots=True)
class Wording:
    """A text in the form it is stored in."""

    text: str
    token_count: int
    index_text: str
    vector: list[float]
    token_vectors: bytes


async def make_observation(
    connection: AsyncConnection, bank: Bank, draft: ObservationDraft, wording: Wording
) -> None:
    """Add an observation. The bank's row must be locked."""
    unit = UnitDraft(
        id=draft.id,
        document_id=None,
        chunk_id=None,
        text=wording.text,
        context=None,
        fact_type=FactType.OBSERVATION,
        mentioned_at=draft.mentioned_at,
        metadata={},
        tags=tuple(draft.scope),
        observation_scopes=None,
        token_count=wording.token_count,
        index_text=wording.index_text,
        attachment_ids=(),
        vector=wording.vector,
        token_vectors=wording.token_vectors,
        past=Past(
            event_date=draft.event_date,
            occurred_start=draft.occurred_start,
            occurred_end=draft.occurred_end,
            proof_count=len(draft.source_ids),
            source_ids=tuple(draft.source_ids),
        ),
    )
    await insert_units(connection, bank.key, [unit], bank.average_length)
    await count_facts(connection, bank.key, [draft.id], retained=False)


async def reword(connection: AsyncConnection, bank: Bank, draft: ObservationDraft, wording: Wording) -> None:
    """Let an observation say something else, or rest on more facts; what it said is remembered.

    The bank's row must be locked.
    """
    await remember(connection, bank.key, draft)
    removed = await forget_facts(connection, bank.key, [draft.id])
    said = {
        "text": wording.text,
        "token_count": wording.token_count,
        "index_text": wording.index_text,
        "embedding": HalfVector(wording.vector),
        "vectors": wording.token_vectors,
        "average_length": bank.average_length,
    }
    params = draft.params(bank.key)
    del params["newest_id"]
    await connection.execute(_REWORD, {**params, **said})
    await confirm_embedder(connection)
    await count_facts(connection, bank.key, [draft.id], removed, retained=False)


async def drop_observations(connection: AsyncConnection, bank_key: int, ids: Sequence[UUID]) -> None:
    """Delete observations for good: what they rested on does not wait to be consolidated again.

    The bank's row must be locked.
    """
    if ids:
        removed = await forget_facts(connection, bank_key, ids)
        await connection.execute(_DROP, {"bank_key": bank_key, "ids": list(ids)})
        await count_facts(connection, bank_key, [], removed, retained=False)
