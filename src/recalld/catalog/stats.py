"""How much a bank holds."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.domain.records import BankStats
from recalld.store.engine import Database
from recalld.store.queries.banks import known_bank
from recalld.store.queries.stats import read_stats


@dataclass(frozen=True, slots=True)
class StatsCatalog:
    """Counts what there is."""

    database: Database

    async def get(self, bank_id: str) -> BankStats:
        """Counts by kind, as of now."""
        async with self.database.read() as connection:
            return await read_stats(connection, await known_bank(connection, bank_id))
