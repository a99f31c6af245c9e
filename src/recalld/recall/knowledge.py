"""What planning asks the store: the bank, and how rare the query's words are in it."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.domain.banks import Bank
from recalld.domain.text import QueryTerm
from recalld.store.engine import Database
from recalld.store.queries.terms import bank_and_terms


@dataclass(frozen=True, slots=True)
class StoreKnowledge:
    """``Knowledge`` over the database."""

    database: Database

    async def look_up(self, bank_id: str, text: str) -> tuple[Bank, tuple[QueryTerm, ...]] | None:
        """The bank and the query's terms; ``None`` for an unknown bank."""
        async with self.database.read() as connection:
            return await bank_and_terms(connection, bank_id, text)
