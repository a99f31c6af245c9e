"""Keeps the vectors of another model aside, and at last puts them in the place of the old ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.errors import Conflict
from recalld.store.engine import Database, fetch
from recalld.store.queries.reembed import Unmade

_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('recalld reembed', 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('recalld reembed', 0))"

_CURRENT = text("SELECT value FROM store_facts WHERE name = 'reembedding'")
_BEGIN = text("""
    INSERT INTO store_facts (name, value) VALUES ('reembedding', :wanted)
    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
""")
_CLEAR = text("TRUNCATE reembedded_units")

# A fact that is gone in the meantime is left out; the others stay until the row is there.
_KEEP = text("""
    INSERT INTO reembedded_units (bank_key, unit_id, source, embedding, vectors)
    SELECT bank_key, id, :source, :embedding, :vectors FROM memory_units
    WHERE bank_key = :bank_key AND id = :id FOR KEY SHARE
    ON CONFLICT (bank_key, unit_id) DO UPDATE
    SET source = EXCLUDED.source, embedding = EXCLUDED.embedding, vectors = EXCLUDED.vectors
""").bindparams(
    bindparam("id", type_=Uuid), bindparam("source", type_=Uuid), bindparam("embedding", type_=HALFVEC())
)

# In this order: whoever writes facts holds the first before the second.
_WRITERS_OUT = (
    text("SET LOCAL statement_timeout = 0"),
    text("SET LOCAL lock_timeout = '5s'"),
    text("LOCK TABLE memory_units IN SHARE ROW EXCLUSIVE MODE"),
    text("LOCK TABLE unlinked_units IN SHARE ROW EXCLUSIVE MODE"),
)

_EXCHANGE = (
    text("""
        UPDATE memory_units AS unit SET embedding = made.embedding FROM reembedded_units AS made
        WHERE made.bank_key = unit.bank_key AND made.unit_id = unit.id
    """),
    text("""
        INSERT INTO memory_token_vectors (bank_key, unit_id, vectors)
        SELECT bank_key, unit_id, vectors FROM reembedded_units
        ON CONFLICT (bank_key, unit_id) DO UPDATE SET vectors = EXCLUDED.vectors
    """),
    text("DELETE FROM memory_links WHERE link_type = 'semantic'"),
    text("""
        INSERT INTO unlinked_units (bank_key, unit_id) SELECT bank_key, unit_id FROM reembedded_units
        ON CONFLICT DO NOTHING
    """),
    _CLEAR,
    text("DELETE FROM store_facts WHERE name = 'reembedding'"),
)
_NAME = text("UPDATE store_facts SET value = :wanted WHERE name = 'embedder'")


class Remade(NamedTuple):
    """A fact with its new vectors."""

    unit: Unmade
    vector: list[float]
    token_vectors: bytes


@asynccontextmanager
async def only_one(database: Database) -> AsyncIterator[None]:
    """Be the only one who makes vectors anew for the length of the block, or raise ``Conflict``."""
    async with database.read() as connection:
        ((locked,),) = await fetch(connection, _LOCK, {})
        if not locked:
            raise Conflict("Another recalld reembed is at work on this database.")
        try:
            yield
        finally:
            await fetch(connection, _UNLOCK, {})


async def begin_reembedding(connection: AsyncConnection, wanted: str) -> None:
    """Note the model that is on its way; vectors left by an attempt with another one are dropped."""
    if await connection.scalar(_CURRENT) != wanted:
        await connection.execute(_CLEAR)
        await connection.execute(_BEGIN, {"wanted": wanted})


async def keep_aside(connection: AsyncConnection, remade: Sequence[Remade]) -> None:
    """Keep new vectors beside the old ones."""
    rows = [
        {
            "bank_key": unit.place.bank_key,
            "id": unit.place.id,
            "source": unit.source,
            "embedding": HalfVector(vector),
            "vectors": token_vectors,
        }
        for unit, vector, token_vectors in remade
    ]
    await connection.execute(_KEEP, rows)


async def keep_writers_out(connection: AsyncConnection) -> None:
    """Let nobody write facts, nor build their indexes, until the transaction ends; reading goes on."""
    for statement in _WRITERS_OUT:
        await connection.execute(statement)


async def exchange_vectors(connection: AsyncConnection, wanted: str) -> None:
    """Put the new vectors in place, and queue all facts to be linked by their new meaning."""
    for statement in _EXCHANGE:
        await connection.execute(statement)
    await connection.execute(_NAME, {"wanted": wanted})


async def drop_indexes(database: Database, names: Sequence[str]) -> None:
    """Drop indexes while others read and write."""
    async with database.read() as connection:
        await connection.execute("SET statement_timeout = 0")
        try:
            for name in names:
                await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}".encode())
        finally:
            await connection.execute("RESET statement_timeout")
