"""The banks that facts are kept in: create, change, list, delete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recalld.domain.banks import Bank, BankSummary, check_bank_id
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database
from recalld.store.queries.banks import known_bank, list_banks
from recalld.store.writes.banks import change_bank, delete_bank, ensure_bank
from recalld.store.writes.vector_index import drop_vector_index


@dataclass(frozen=True, slots=True)
class BankChange:
    """Columns to set and configuration overrides to merge; what is absent stays."""

    columns: Mapping[str, Any]
    overrides: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BankService:
    """Manages banks."""

    database: Database

    async def put(self, bank_id: str, change: BankChange) -> Bank:
        """Create the bank unless it exists, then change it."""
        check_bank_id(bank_id)
        async with self.database.write() as connection:
            await ensure_bank(connection, bank_id)
            await change_bank(connection, bank_id, change.columns, change.overrides)
        return await self.get(bank_id)

    async def patch(self, bank_id: str, change: BankChange) -> Bank:
        """Change a bank that exists."""
        await self.get(bank_id)
        async with self.database.write() as connection:
            await change_bank(connection, bank_id, change.columns, change.overrides)
        return await self.get(bank_id)

    async def get(self, bank_id: str) -> Bank:
        """The bank, or ``BankNotFound``."""
        async with self.database.read() as connection:
            return await known_bank(connection, bank_id)

    async def list(
        self, search: str | None, prefix: str, limit: int, offset: int
    ) -> tuple[list[BankSummary], int]:
        """A page of banks whose id begins with ``prefix``, last written first, and the total."""
        async with self.database.read() as connection:
            return await list_banks(connection, search, prefix, limit, offset)

    async def delete(self, bank_id: str) -> int:
        """Delete the bank with all it holds; returns how many things went. A missing bank is 0."""
        if has_forbidden(bank_id):
            return 0
        async with self.database.write() as connection:
            key, count = await delete_bank(connection, bank_id)
        if key is not None:
            await drop_vector_index(self.database, key)
        return count
