"""The entities a bank's memories mention: list, look at one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recalld.catalog.lookup import as_uuid, literal_tags
from recalld.domain.errors import NotFound
from recalld.domain.filters import FactFilter
from recalld.domain.listing import Page
from recalld.domain.memory import Memory
from recalld.domain.records import EntityRecord
from recalld.domain.tags import TagNode
from recalld.store.engine import Database
from recalld.store.queries.banks import find_bank, known_bank
from recalld.store.queries.entity_list import list_entities, read_entity
from recalld.store.queries.hydrate import read_entity_observations

MAX_OBSERVATIONS = 50
"""Observations shown with one entity, the newest first."""


@dataclass(frozen=True, slots=True)
class EntityCatalog:
    """Shows entities."""

    database: Database

    async def list(self, bank_id: str, tags: TagNode, page: Page) -> tuple[Sequence[EntityRecord], int]:
        """A page of entities, most mentioned first, and the total."""
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            literal = await literal_tags(connection, bank.key, tags)
            return await list_entities(connection, bank.key, literal, page)

    async def get(self, bank_id: str, entity_id: str, tags: TagNode) -> tuple[EntityRecord, Sequence[Memory]]:
        """One entity and the observations about it, or ``NotFound``."""
        id_ = as_uuid("entity_id", entity_id)
        async with self.database.read() as connection:
            bank = await find_bank(connection, bank_id)
            if bank is not None:
                literal = await literal_tags(connection, bank.key, tags)
                entity = await read_entity(connection, bank.key, id_, literal)
                if entity is not None:
                    facts = FactFilter(bank.key, tags=literal)
                    found = await read_entity_observations(connection, facts, [id_])
                    return entity, found.get(id_, [])[:MAX_OBSERVATIONS]
        raise NotFound(f"Entity '{entity_id}' not found")
