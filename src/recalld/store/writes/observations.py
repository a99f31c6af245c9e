"""Writes observations: what they say and are found by is copied from the fact they repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, DateTime, Text, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.writes.terms import count_facts, forget_facts

VERSIONS = 50
"""Earlier versions of one observation that are kept."""

_CREATE = text("""
    WITH made AS (
        INSERT INTO memory_units (
            bank_key, id, text, fact_type, event_date, occurred_start, occurred_end, mentioned_at, tags,
            proof_count, source_memory_ids, token_count, embedding, search_vector, length, term_weights
        )
        SELECT newest.bank_key, :id, newest.text, 'observation', :event_date, :occurred_start, :occurred_end,
               :mentioned_at, :scope, cardinality(:source_ids), :source_ids, newest.token_count,
               newest.embedding, newest.search_vector, newest.length, newest.term_weights
        FROM memory_units AS newest WHERE newest.bank_key = :bank_key AND newest.id = :newest_id
        RETURNING bank_key, id
    ), queued AS (
        INSERT INTO unlinked_units (bank_key, unit_id) SELECT bank_key, id FROM made
    )
    INSERT INTO memory_token_vectors (bank_key, unit_id, vectors)
    SELECT made.bank_key, made.id, known.vectors FROM made
    JOIN memory_token_vectors AS known ON known.bank_key = made.bank_key AND known.unit_id = :newest_id
""")

_REMEMBER = text("""
    INSERT INTO observation_history (
        bank_key, observation_id, version, text, tags, occurred_start, occurred_end, mentioned_at,
        new_source_ids
    )
    SELECT unit.bank_key, unit.id,
           coalesce((SELECT max(version) FROM observation_history AS earlier
                     WHERE earlier.bank_key = unit.bank_key AND earlier.observation_id = unit.id), 0) + 1,
           unit.text, unit.tags, unit.occurred_start, unit.occurred_end, unit.mentioned_at,
           ARRAY(SELECT unnest(CAST(:source_ids AS uuid[])) EXCEPT SELECT unnest(unit.source_memory_ids))
    FROM memory_units AS unit WHERE unit.bank_key = :bank_key AND unit.id = :id
""")

_TRIM = text("""
    DELETE FROM observation_history
    WHERE bank_key = :bank_key AND observation_id = :id AND version <= (
        SELECT max(version) FROM observation_history
        WHERE bank_key = :bank_key AND observation_id = :id) - :versions
""")

_REWRITE = text("""
    WITH newest AS (
        SELECT unit.*, known.vectors FROM memory_units AS unit
        JOIN memory_token_vectors AS known ON known.bank_key = unit.bank_key AND known.unit_id = unit.id
        WHERE unit.bank_key = :bank_key AND unit.id = :newest_id
    ), vectors AS (
        UPDATE memory_token_vectors AS mine SET vectors = newest.vectors FROM newest
        WHERE mine.bank_key = :bank_key AND mine.unit_id = :id
    ), unlinked AS (
        DELETE FROM memory_links WHERE bank_key = :bank_key AND (from_id = :id OR to_id = :id)
    ), queued AS (
        INSERT INTO unlinked_units (bank_key, unit_id) VALUES (:bank_key, :id) ON CONFLICT DO NOTHING
    )
    UPDATE memory_units AS unit
    SET text = newest.text, token_count = newest.token_count, embedding = newest.embedding,
        search_vector = newest.search_vector, length = newest.length, term_weights = newest.term_weights,
        event_date = :event_date, occurred_start = :occurred_start, occurred_end = :occurred_end,
        mentioned_at = :mentioned_at, source_memory_ids = :source_ids,
        proof_count = cardinality(:source_ids), updated_at = now()
    FROM newest WHERE unit.bank_key = :bank_key AND unit.id = :id
""")

_STAMP = text("""
    UPDATE memory_units SET consolidated_at = now()
    WHERE bank_key = :bank_key AND id = ANY(:ids) AND consolidated_at IS NULL
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_FORGIVE = text("""
    UPDATE memory_units SET consolidation_failed_at = NULL
    WHERE bank_key = :bank_key AND consolidation_failed_at IS NOT NULL
""")

_TYPED = (
    bindparam("id", type_=Uuid),
    bindparam("newest_id", type_=Uuid),
    bindparam("source_ids", type_=ARRAY(Uuid)),
    bindparam("event_date", type_=DateTime(timezone=True)),
    bindparam("occurred_start", type_=DateTime(timezone=True)),
    bindparam("occurred_end", type_=DateTime(timezone=True)),
    bindparam("mentioned_at", type_=DateTime(timezone=True)),
)
_CREATE = _CREATE.bindparams(*_TYPED, bindparam("scope", type_=ARRAY(Text)))
_REWRITE = _REWRITE.bindparams(*_TYPED)
_REMEMBER = _REMEMBER.bindparams(bindparam("source_ids", type_=ARRAY(Uuid)))


@dataclass(frozen=True, slots=True)
class ObservationDraft:
    """An observation about to be written: it says what the fact ``newest_id`` says, for a scope.

    Dates span those of its sources.
    """

    id: UUID
    newest_id: UUID
    scope: Sequence[str]
    source_ids: Sequence[UUID]
    event_date: datetime | None
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime | None

    def params(self, bank_key: int) -> dict[str, object]:
        """Parameters of the statements that write it."""
        return {
            "bank_key": bank_key,
            "id": self.id,
            "newest_id": self.newest_id,
            "source_ids": list(self.source_ids),
            "event_date": self.event_date,
            "occurred_start": self.occurred_start,
            "occurred_end": self.occurred_end,
            "mentioned_at": self.mentioned_at,
        }


async def create_observation(connection: AsyncConnection, bank_key: int, draft: ObservationDraft) -> None:
    """Add an observation. The bank's row must be locked."""
    await connection.execute(_CREATE, {**draft.params(bank_key), "scope": list(draft.scope)})
    await count_facts(connection, bank_key, [draft.id], retained=False)


async def rewrite_observation(connection: AsyncConnection, bank_key: int, draft: ObservationDraft) -> None:
    """Let an observation rest on more facts and say what the newest says; what it said is remembered.

    The bank's row must be locked.
    """
    params = draft.params(bank_key)
    await remember(connection, bank_key, draft)
    removed = await forget_facts(connection, bank_key, [draft.id])
    await connection.execute(_REWRITE, params)
    await count_facts(connection, bank_key, [draft.id], removed, retained=False)


async def remember(connection: AsyncConnection, bank_key: int, draft: ObservationDraft) -> None:
    """Keep what an observation says now, before it is written anew as the draft."""
    known = {"bank_key": bank_key, "id": draft.id}
    await connection.execute(_REMEMBER, {**known, "source_ids": list(draft.source_ids)})
    await connection.execute(_TRIM, {**known, "versions": VERSIONS})


async def stamp_consolidated(connection: AsyncConnection, bank_key: int, ids: Sequence[UUID]) -> None:
    """Note that facts were consolidated."""
    await connection.execute(_STAMP, {"bank_key": bank_key, "ids": list(ids)})


async def forgive_failures(connection: AsyncConnection, bank_key: int) -> int:
    """Let facts whose consolidation failed be tried again; returns how many there are."""
    return (await connection.execute(_FORGIVE, {"bank_key": bank_key})).rowcount
