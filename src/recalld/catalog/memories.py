"""The memories of a bank: list, look at one, clear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recalld.catalog.attempts import undisturbed
from recalld.catalog.lookup import as_uuid
from recalld.domain.errors import NotFound
from recalld.domain.listing import MemoryQuery, Page
from recalld.domain.records import MemoryDetail, MemoryRecord
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database, ReadConnection
from recalld.store.queries.banks import find_bank, known_bank
from recalld.store.queries.hydrate import read_mentions
from recalld.store.queries.memory_list import archived_names, list_memories, read_records
from recalld.store.writes.removal import delete_everything, delete_facts_of_type
from recalld.store.writes.terms import reweigh_if_drifted


@dataclass(frozen=True, slots=True)
class MemoryCatalog:
    """Shows memories and clears them."""

    database: Database

    async def list(self, bank_id: str, query: MemoryQuery, page: Page) -> tuple[Sequence[MemoryDetail], int]:
        """A page of memories with the names they mention, and the total."""
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            if query.entity_id is not None:
                query = replace(query, entity_id=as_uuid("entity_id", query.entity_id))
            records, total = await list_memories(connection, bank.key, query, page)
            names = await read_names(connection, bank.key, records)
        return [MemoryDetail(record, names.get(record.id, ())) for record in records], total

    async def get(self, bank_id: str, memory_id: str) -> MemoryDetail:
        """One memory, valid or not, or ``NotFound``."""
        id_ = as_uuid("memory_id", memory_id)
        async with self.database.read() as connection:
            bank = await find_bank(connection, bank_id)
            found = await read_records(connection, bank.key, [id_]) if bank else {}
            if bank is None or id_ not in found:
                raise memory_not_found(memory_id)
            record = found[id_]
            names = await read_names(connection, bank.key, [record])
            sources = await read_records(connection, bank.key, record.source_ids)
        known = tuple(sources[i] for i in record.source_ids if i in sources)
        return MemoryDetail(record, names.get(id_, ()), known)

    async def clear(self, bank_id: str, fact_type: str | None) -> int:
        """Delete the memories of a type, or all with their documents; returns how many went."""
        async with self.database.read() as reading:
            bank = await find_bank(reading, bank_id)
        if bank is None or (fact_type is not None and has_forbidden(fact_type)):
            return 0
        key = bank.key

        async def write() -> int:
            async with self.database.write() as connection:
                if fact_type is None:
                    count = await delete_everything(connection, key)
                else:
                    count = await delete_facts_of_type(connection, key, fact_type)
                await reweigh_if_drifted(connection, key)
            return count

        return await undisturbed(write)


def memory_not_found(memory_id: str) -> NotFound:
    """There is no such memory."""
    return NotFound(f"Memory '{memory_id}' not found")


async def read_names(
    connection: ReadConnection, bank_key: int, records: Sequence[MemoryRecord]
) -> dict[str, tuple[str, ...]]:
    """The names each memory mentions; an observation mentions what its sources do."""
    carriers = {r.id: r.source_ids if r.is_observation else [r.id] for r in records if r.is_valid}
    by_unit = await read_mentions(connection, bank_key, [id_ for ids in carriers.values() for id_ in ids])
    archived = await archived_names(connection, bank_key, [r.id for r in records if not r.is_valid])
    names = {id_: [name for unit in ids for name in by_unit.get(unit, ())] for id_, ids in carriers.items()}
    return {id_: tuple(dict.fromkeys(found)) for id_, found in (names | archived).items()}
