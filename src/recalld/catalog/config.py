"""The settings a bank overrides: look, change, reset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recalld.domain.bank_settings import LANGUAGE, as_stored, checked, overridden, resolved
from recalld.domain.banks import Bank, BankConfig, Disposition, check_bank_id
from recalld.domain.errors import Conflict, InvalidRequest
from recalld.domain.text import scrub_all
from recalld.store.engine import Database, ReadConnection
from recalld.store.queries.banks import find_bank, known_bank, text_search_languages
from recalld.store.writes.banks import change_bank, ensure_bank, reset_config


@dataclass(frozen=True, slots=True)
class BankSettings:
    """Every setting's value, and those of them that the bank sets itself."""

    bank_id: str
    values: dict[str, Any]
    overrides: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ConfigCatalog:
    """Shows and changes the settings of banks, over the server's ``defaults``."""

    database: Database
    defaults: BankConfig

    async def get(self, bank_id: str) -> BankSettings:
        """The bank's settings, or ``BankNotFound``."""
        return self._settings(await self._bank(bank_id))

    async def change(self, bank_id: str, updates: Mapping[str, Any]) -> BankSettings:
        """Set some, creating the bank unless it exists. ``None`` goes back to the server's value."""
        values = scrub_all(checked(updates))
        async with self.database.read() as reading:
            bank = await find_bank(reading, bank_id)
            await _check_language(reading, bank, values.get(LANGUAGE))
        disposition = bank.disposition if bank else Disposition()
        async with self.database.write() as connection:
            if bank is None:
                await ensure_bank(connection, check_bank_id(bank_id))
            await change_bank(connection, bank_id, *as_stored(values, disposition))
        return await self.get(bank_id)

    async def reset(self, bank_id: str) -> BankSettings:
        """Go back to the server's values, or raise ``BankNotFound``."""
        bank = await self._bank(bank_id)
        async with self.database.write() as connection:
            await reset_config(connection, bank.key)
        return await self.get(bank_id)

    async def _bank(self, bank_id: str) -> Bank:
        async with self.database.read() as connection:
            return await known_bank(connection, bank_id)

    def _settings(self, bank: Bank) -> BankSettings:
        return BankSettings(bank.bank_id, resolved(bank, self.defaults), overridden(bank))


async def _check_language(connection: ReadConnection, bank: Bank | None, language: str | None) -> None:
    """Refuse a language PostgreSQL does not know, and any other for a bank whose facts are indexed."""
    if language is None or (bank is not None and bank.language == language):
        return
    if bank is not None and bank.unit_count:
        raise Conflict(f"'{LANGUAGE}' can be changed only while the bank holds no memories")
    known = await text_search_languages(connection)
    if language not in known:
        raise InvalidRequest(f"'{LANGUAGE}' must be one of {', '.join(known)}")
