"""The tags of a bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.listing import Page
from recalld.store.engine import Database
from recalld.store.queries.banks import known_bank
from recalld.store.queries.tags import list_tags


@dataclass(frozen=True, slots=True)
class TagCatalog:
    """Counts tags."""

    database: Database

    async def list(
        self, bank_id: str, pattern: str | None, page: Page
    ) -> tuple[Sequence[tuple[str, int]], int]:
        """A page of tags with their counts, and the total."""
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            return await list_tags(connection, bank.key, pattern, page)
