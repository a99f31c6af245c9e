"""Other names of a bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.banks import Bank, check_bank_id
from recalld.domain.errors import Conflict, NotFound
from recalld.domain.records import Alias
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database
from recalld.store.queries.aliases import list_aliases
from recalld.store.queries.banks import known_bank
from recalld.store.writes.aliases import delete_alias, save_alias, set_primary
from recalld.store.writes.terms import lock_statistics


@dataclass(frozen=True, slots=True)
class AliasCatalog:
    """Names banks. Each answer is the bank with all its aliases."""

    database: Database

    async def list(self, bank_id: str) -> tuple[Bank, Sequence[Alias]]:
        """The bank's aliases, or ``BankNotFound``."""
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            return bank, await list_aliases(connection, bank.key)

    async def add(self, bank_id: str, alias: Alias) -> tuple[Bank, Sequence[Alias]]:
        """Add one, or raise ``Conflict`` when another bank goes by that name."""
        bank, _ = await self.list(bank_id)
        check_bank_id(alias.name)
        async with self.database.write() as connection:
            await lock_statistics(connection, bank.key)
            if not await save_alias(connection, bank.key, alias.name):
                raise Conflict(f"'{alias.name}' is taken")
            if alias.primary:
                await set_primary(connection, bank.key, alias.name, primary=True)
        return await self.list(bank_id)

    async def change(self, bank_id: str, alias: Alias) -> tuple[Bank, Sequence[Alias]]:
        """Show the alias in place of the bank's id, or stop that."""
        bank = await self._bank(bank_id, alias.name)
        async with self.database.write() as connection:
            await lock_statistics(connection, bank.key)
            if not await set_primary(connection, bank.key, alias.name, primary=alias.primary):
                raise _not_found(alias.name)
        return await self.list(bank.bank_id)

    async def delete(self, bank_id: str, name: str) -> tuple[Bank, Sequence[Alias]]:
        """Take one away."""
        bank = await self._bank(bank_id, name)
        async with self.database.write() as connection:
            if not await delete_alias(connection, bank.key, name):
                raise _not_found(name)
        return await self.list(bank.bank_id)

    async def _bank(self, bank_id: str, name: str) -> Bank:
        bank, _ = await self.list(bank_id)
        if has_forbidden(name):
            raise _not_found(name)
        return bank


def _not_found(name: str) -> NotFound:
    return NotFound(f"Alias '{name}' not found")
