"""What planning asks the store: the bank, and how rare the query's words are in it."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.domain.banks import Bank
from recalld.domain.text import QueryTerm
from recalld.store.engine import Database
from recalld.store.queries.banks import find_bank
from recalld.store.queries.terms import query_terms


@dataclass(frozen=True, slots=True)
class StoreKnowledge:
    """``Knowledge`` over the database."""

    database: Database

    async def bank(self, bank_id: str) -> Bank | None:
        """The bank, or ``None``."""
        async with self.database.read() as connection:
            return await find_bank(connection, bank_id)

    async def terms(self, bank: Bank, text: str) -> tuple[QueryTerm, ...]:
        """The query's lexemes with their statistics in the bank."""
        async with self.database.read() as connection:
            return await query_terms(connection, bank, text)
