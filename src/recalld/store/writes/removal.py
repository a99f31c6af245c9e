"""Takes facts and documents away, with what rests on them and their share of the term statistics.

Whatever locks several kinds of rows takes documents first, then entities, then the bank's row.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

from sqlalchemy import ARRAY, Text, TextClause, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.writes.entities import hold_entities, recount_entities
from recalld.store.writes.terms import count_facts, forget_facts, lock_statistics


def _over_ids(statement: str) -> TextClause:
    return text(statement).bindparams(bindparam("ids", type_=ARRAY(Uuid)))


def _over_names(statement: str) -> TextClause:
    return text(statement).bindparams(bindparam("names", type_=ARRAY(Text)))


_LOCK = _over_names("""
    SELECT id FROM documents
    WHERE bank_key = :bank_key AND (CAST(:names AS text[]) IS NULL OR id = ANY(:names)) ORDER BY id FOR UPDATE
""")

_OF_DOCUMENTS = _over_names("""
    SELECT id FROM memory_units WHERE bank_key = :bank_key AND document_id = ANY(:names)
""")

_LOOSE = text("SELECT id FROM memory_units WHERE bank_key = :bank_key AND document_id IS NULL")

_OF_TYPE = text("SELECT id FROM memory_units WHERE bank_key = :bank_key AND fact_type = :fact_type")

_DERIVED = _over_ids("""
    SELECT id FROM memory_units
    WHERE bank_key = :bank_key AND fact_type = 'observation' AND source_memory_ids && :ids
""")

# What a dropped observation rested on, and stays, waits to be consolidated again.
_REVIVE = _over_ids("""
    UPDATE memory_units SET consolidated_at = NULL, consolidation_failed_at = NULL
    WHERE bank_key = :bank_key AND id <> ALL(:ids) AND id IN (
        SELECT unnest(source_memory_ids) FROM memory_units
        WHERE bank_key = :bank_key AND id = ANY(:ids) AND fact_type = 'observation')
""")

# A chunk without its facts goes too: were it kept, storing the same text again would find it unchanged.
_DELETE = _over_ids("""
    WITH gone AS (
        DELETE FROM memory_units WHERE bank_key = :bank_key AND id = ANY(:ids) RETURNING chunk_id
    )
    DELETE FROM chunks WHERE bank_key = :bank_key AND chunk_id IN (SELECT chunk_id FROM gone)
      AND :with_chunks
      AND NOT EXISTS (SELECT FROM memory_units AS other WHERE other.bank_key = :bank_key
                      AND other.chunk_id = chunks.chunk_id AND other.id <> ALL(:ids))
      AND NOT EXISTS (SELECT FROM invalidated_units AS other WHERE other.bank_key = :bank_key
                      AND other.chunk_id = chunks.chunk_id)
""")

_DELETE_ARCHIVED = _over_names("""
    DELETE FROM invalidated_units
    WHERE bank_key = :bank_key AND (document_id = ANY(:names) OR document_id IS NULL AND :loose)
""")

_DELETE_DOCUMENTS = _over_names("DELETE FROM documents WHERE bank_key = :bank_key AND id = ANY(:names)")


async def lock_documents(
    connection: AsyncConnection, bank_key: int, ids: Sequence[str] | None = None
) -> list[str]:
    """Become the only writer of these documents, or of all there are; returns those that exist."""
    names = None if ids is None else list(ids)
    return list((await connection.execute(_LOCK, {"bank_key": bank_key, "names": names})).scalars())


async def facts_of_documents(connection: AsyncConnection, bank_key: int, ids: Sequence[str]) -> list[UUID]:
    """The facts that came from documents."""
    found = await connection.execute(_OF_DOCUMENTS, {"bank_key": bank_key, "names": list(ids)})
    return list(found.scalars())


async def delete_documents(connection: AsyncConnection, bank_key: int, ids: Sequence[str]) -> int:
    """Delete locked documents with all that came from them; returns how many facts went."""
    facts = await facts_of_documents(connection, bank_key, ids)
    async with _recounted(connection, bank_key, facts):
        await drop_documents(connection, bank_key, ids, facts)
    return len(facts)


async def drop_documents(
    connection: AsyncConnection,
    bank_key: int,
    ids: Sequence[str],
    facts: Sequence[UUID],
    *,
    loose: bool = False,
) -> None:
    """Delete locked documents and their facts. Entities and the bank's row must be locked too.

    The mentions of the entities are to be counted anew. ``loose`` also deletes facts that were set aside
    and came from no document.
    """
    await remove_facts(connection, bank_key, facts)
    params = {"bank_key": bank_key, "names": list(ids)}
    await connection.execute(_DELETE_ARCHIVED, {**params, "loose": loose})
    await connection.execute(_DELETE_DOCUMENTS, params)


async def delete_everything(connection: AsyncConnection, bank_key: int) -> int:
    """Delete all facts, those without a document too, and all documents; returns how many facts went."""
    ids = await lock_documents(connection, bank_key)
    facts = await facts_of_documents(connection, bank_key, ids)
    facts += (await connection.execute(_LOOSE, {"bank_key": bank_key})).scalars()
    async with _recounted(connection, bank_key, facts):
        await drop_documents(connection, bank_key, ids, facts, loose=True)
    return len(facts)


async def delete_facts_of_type(connection: AsyncConnection, bank_key: int, fact_type: str) -> int:
    """Delete the facts of a type with their chunks; returns how many went. Documents keep their text."""
    await lock_documents(connection, bank_key)
    found = await connection.execute(_OF_TYPE, {"bank_key": bank_key, "fact_type": fact_type})
    facts = list(found.scalars())
    async with _recounted(connection, bank_key, facts):
        await remove_facts(connection, bank_key, facts, with_chunks=True)
    return len(facts)


@asynccontextmanager
async def _recounted(
    connection: AsyncConnection, bank_key: int, facts: Sequence[UUID]
) -> AsyncIterator[None]:
    """Lock the entities that facts mention and the bank's row; afterwards count the mentions anew."""
    held = await hold_entities(connection, bank_key, facts)
    await lock_statistics(connection, bank_key)
    yield
    await recount_entities(connection, bank_key, held)


async def remove_facts(
    connection: AsyncConnection, bank_key: int, ids: Sequence[UUID], *, with_chunks: bool = False
) -> None:
    """Remove facts and the observations that rest on them. The bank's row must be locked."""
    gone = list(dict.fromkeys([*ids, *await _derived(connection, bank_key, ids)]))
    await _remove(connection, bank_key, gone, with_chunks=with_chunks)


async def remove_derived(connection: AsyncConnection, bank_key: int, ids: Sequence[UUID]) -> int:
    """Remove the observations that rest on facts, which stay; returns how many.

    The bank's row must be locked.
    """
    derived = await _derived(connection, bank_key, ids)
    await _remove(connection, bank_key, derived, with_chunks=False)
    return len(derived)


async def _derived(connection: AsyncConnection, bank_key: int, ids: Sequence[UUID]) -> list[UUID]:
    found = await connection.execute(_DERIVED, {"bank_key": bank_key, "ids": list(ids)})
    return list(found.scalars())


async def _remove(
    connection: AsyncConnection, bank_key: int, ids: Sequence[UUID], *, with_chunks: bool
) -> None:
    if not ids:
        return
    params = {"bank_key": bank_key, "ids": list(ids)}
    removed = await forget_facts(connection, bank_key, ids)
    await connection.execute(_REVIVE, params)
    await connection.execute(_DELETE, {**params, "with_chunks": with_chunks})
    await count_facts(connection, bank_key, [], removed, retained=False)
