"""HNSW indexes: one partial index per large bank, built in the background."""

from __future__ import annotations

import logging

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.engine import Database

logger = logging.getLogger(__name__)


def index_name(bank_key: int) -> str:
    """Name of a bank's index."""
    return f"memory_units_hnsw_{int(bank_key)}"


async def build_vector_index(database: Database, bank_key: int, dimension: int, threshold: int) -> bool:
    """Build the bank's index if it has ``threshold`` facts and none yet; returns whether it was built.

    Readers and writers go on meanwhile. Only one process builds, and what a crash left half-built is
    built again.
    """
    async with database.read() as connection:
        count = await connection.scalar(
            text("SELECT unit_count FROM banks WHERE bank_key = :key"), {"key": bank_key}
        )
        if (count or 0) < threshold or await _is_valid(connection, bank_key):
            return False
        name = index_name(bank_key)
        lock = {"key": f"{name} build"}
        locked = await connection.scalar(text("SELECT pg_try_advisory_lock(hashtextextended(:key, 0))"), lock)
        if not locked:
            return False
        try:
            await connection.execute(text("SET statement_timeout = 0"))
            await connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))
            await connection.execute(
                text(
                    f"CREATE INDEX CONCURRENTLY {name} ON memory_units USING hnsw"
                    f" ((embedding::halfvec({int(dimension)})) halfvec_cosine_ops) WHERE bank_key = {int(bank_key)}"
                )
            )
            logger.info("built vector index %s over %d facts", name, count)
        finally:
            await connection.execute(text("RESET statement_timeout"))
            await connection.execute(text("SELECT pg_advisory_unlock(hashtextextended(:key, 0))"), lock)
    return True


async def drop_vector_index(database: Database, bank_key: int) -> None:
    """Drop the bank's index if there is one."""
    async with database.read() as connection:
        await connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(bank_key)}"))


async def _is_valid(connection: AsyncConnection, bank_key: int) -> bool:
    found = await connection.scalar(
        text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)"),
        {"name": index_name(bank_key)},
    )
    return bool(found)
