"""The sources of a bank: whose they are, and whether one is known already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from recalld.domain.banks import Bank
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database
from recalld.store.queries.banks import find_bank
from recalld.store.queries.sources import (
    NotedSource,
    audiences,
    bank_of_operation,
    banks_behind,
    banks_with,
    identities,
    noted_sources,
)

__all__ = ["NotedSource", "SourceCatalog"]


@dataclass(frozen=True, slots=True)
class SourceCatalog:
    """Lists identities and audiences. A bank that does not exist has none."""

    database: Database

    async def bank(self, bank_id: str) -> Bank | None:
        """The bank, unless there is none."""
        async with self.database.read() as connection:
            return await find_bank(connection, bank_id)

    async def bank_of_operation(self, id_: UUID) -> Bank | None:
        """The bank an operation belongs to."""
        async with self.database.read() as connection:
            return await bank_of_operation(connection, id_)

    async def banks_with(self, document_id: str, prefix: str) -> Sequence[str]:
        """Ids that begin with the prefix, of banks that have a document of that id."""
        if has_forbidden(document_id):
            return []
        async with self.database.read() as connection:
            return await banks_with(connection, document_id, prefix)

    async def banks_behind(self, prefix: str, after: str | None, limit: int) -> Sequence[tuple[str, int]]:
        """What comes after the prefix in ids of banks, in order, with the number of their documents."""
        async with self.database.read() as connection:
            return await banks_behind(connection, prefix, after, limit)

    async def noted(self, bank: Bank, ids: Sequence[str]) -> Mapping[str, NotedSource]:
        """The last ingest of each document that came by one."""
        async with self.database.read() as connection:
            return await noted_sources(connection, bank.key, ids)

    async def audiences_of(self, bank: Bank, identity: str) -> Sequence[str]:
        """Audiences an identity belongs to: it has a document that is for them."""
        async with self.database.read() as connection:
            return [name for name, _ in await audiences(connection, bank.key, identity)]

    async def audiences(self, bank: Bank) -> Sequence[tuple[str, int]]:
        """All audiences, each with the number of its documents."""
        async with self.database.read() as connection:
            return await audiences(connection, bank.key)

    async def identities(self, bank: Bank, after: str | None, limit: int) -> Sequence[tuple[str, int]]:
        """Identities in order, each with the number of its documents."""
        async with self.database.read() as connection:
            return await identities(connection, bank.key, after, limit)
