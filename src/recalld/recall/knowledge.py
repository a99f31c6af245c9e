"""What planning asks the store: the bank, and how rare the query's words are in it."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.domain.banks import Bank
from recalld.domain.text import QueryTerm
from recalld.store.engine import Database
from recalld.store.queries.observations import any_observation
from recalld.store.queries.tags import distinct_tags
from recalld.store.queries.terms import bank_and_terms


@dataclass(frozen=True, slots=True)
class StoreKnowledge:
    """``Knowledge`` over the database."""

    database: Database

    async def look_up(self, bank_id: str, text: str) -> tuple[Bank, tuple[QueryTerm, ...]] | None:
        """The bank and the query's terms; ``None`` for an unknown bank."""
        async with self.database.read() as connection:
            return await bank_and_terms(connection, bank_id, text, self.database.embedder)

    async def tags(self, bank_key: int, limit: int) -> list[str]:
        """The bank's tags, the most frequent first."""
        async with self.database.read() as connection:
            return await distinct_tags(connection, bank_key, limit)

    async def has_observations(self, bank_key: int) -> bool:
        """Whether the bank holds any observation."""
        async with self.database.read() as connection:
            return await any_observation(connection, bank_key)
