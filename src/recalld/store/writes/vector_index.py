"""HNSW indexes: one partial index per large bank, built in the background."""

from __future__ import annotations

import logging

from recalld.store.engine import Database, fetch

logger = logging.getLogger(__name__)

_STATE = """
    SELECT unit_count, coalesce(
        (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(name)s)), false)
    FROM banks WHERE bank_key = %(key)s UNION ALL SELECT 0, false
"""
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%(name)s, 0))"


def index_name(bank_key: int) -> str:
    """Name of a bank's index."""
    return f"memory_units_hnsw_{int(bank_key)}"


async def build_vector_index(database: Database, bank_key: int, dimension: int, threshold: int) -> bool:
    """Build the bank's index if it has ``threshold`` facts and none yet; returns whether it was built.

    Readers and writers go on meanwhile. Only one process builds, and what a crash left half-built is
    built again.
    """
    name = index_name(bank_key)
    async with database.read() as connection:
        (count, valid), *_ = await fetch(connection, _STATE, {"key": bank_key, "name": name})
        if count < threshold or valid:
            return False
        ((locked,),) = await fetch(connection, _LOCK, {"name": name})
        if not locked:
            return False
        try:
            await connection.execute("SET statement_timeout = 0")
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}".encode())
            await connection.execute(
                f"CREATE INDEX CONCURRENTLY {name} ON memory_units USING hnsw"
                f" ((embedding::halfvec({int(dimension)})) halfvec_cosine_ops)"
                f" WHERE bank_key = {int(bank_key)}".encode()
            )
            logger.info("built vector index %s over %d facts", name, count)
        finally:
            await connection.execute("RESET statement_timeout")
            await fetch(connection, _UNLOCK, {"name": name})
    return True


async def drop_vector_index(database: Database, bank_key: int) -> None:
    """Drop the bank's index if there is one."""
    async with database.read() as connection:
        await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(bank_key)}".encode())
