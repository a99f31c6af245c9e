"""What follows a change of single facts."""

from __future__ import annotations

from recalld.store.engine import Database
from recalld.store.writes.links import link_pending
from recalld.store.writes.terms import reweigh_if_drifted


async def settle(database: Database, bank_key: int, dimension: int) -> None:
    """Link what is not linked yet, and keep the weights of words fresh."""
    await link_pending(database, bank_key, dimension)
    async with database.write() as connection:
        await reweigh_if_drifted(connection, bank_key)
