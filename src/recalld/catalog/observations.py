"""Observations: for which tags there are any, what they said before, and how to be rid of them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from recalld.catalog.lookup import as_uuid
from recalld.catalog.memories import memory_not_found
from recalld.domain.listing import Page
from recalld.domain.memory import FactType
from recalld.store.engine import Database
from recalld.store.queries.banks import known_bank
from recalld.store.queries.memory_list import read_records
from recalld.store.queries.observations import Version, observation_scopes, observation_versions
from recalld.store.writes.observations import forgive_failures
from recalld.store.writes.removal import delete_facts_of_type, remove_derived
from recalld.store.writes.terms import lock_statistics


@dataclass(frozen=True, slots=True)
class ObservationCatalog:
    """Lists and clears observations."""

    database: Database

    async def scopes(self, bank_id: str, page: Page) -> tuple[list[tuple[list[str], int]], int]:
        """A page of sets of tags with their number of observations, and the total of sets."""
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            return await observation_scopes(connection, bank.key, page)

    async def history(self, bank_id: str, memory_id: str) -> list[Version]:
        """What an observation said before, latest first; empty for a fact. ``NotFound`` for neither."""
        id_ = as_uuid("memory_id", memory_id)
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            if id_ not in await read_records(connection, bank.key, [id_]):
                raise memory_not_found(id_)
            return await observation_versions(connection, bank.key, id_)

    async def recover(self, bank_id: str) -> int:
        """Let facts whose consolidation failed wait for it again; returns how many there were."""
        async with self.database.read() as reading:
            bank = await known_bank(reading, bank_id)
        async with self.database.write() as connection:
            return await forgive_failures(connection, bank.key)

    async def clear(self, bank_id: str) -> int:
        """Delete all observations; what they rested on waits to be consolidated anew."""
        async with self.database.read() as reading:
            bank = await known_bank(reading, bank_id)
        async with self.database.write() as connection:
            return await delete_facts_of_type(connection, bank.key, FactType.OBSERVATION)

    async def clear_on(self, bank_id: str, memory_id: str) -> int:
        """Delete the observations that rest on one fact, or raise ``NotFound``."""
        id_ = as_uuid("memory_id", memory_id)
        async with self.database.read() as reading:
            bank = await known_bank(reading, bank_id)
            if id_ not in await read_records(reading, bank.key, [id_]):
                raise memory_not_found(id_)
        async with self.database.write() as connection:
            await lock_statistics(connection, bank.key)
            return await remove_derived(connection, bank.key, [UUID(id_)])
