"""Curating: edit a fact, set it aside, bring it back.

Every change takes the fact out as it was and puts it in as it will be, so that vectors, words, entities
and links are always made in one way. Observations that rest on it go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from recalld.catalog.lookup import as_uuid
from recalld.catalog.memories import memory_not_found, read_names
from recalld.domain.attachments import placeholder_ids
from recalld.domain.banks import Bank
from recalld.domain.documents import UnitDraft
from recalld.domain.errors import Conflict, Contended, InvalidRequest
from recalld.domain.indexing import embedded_text, indexed_text
from recalld.domain.memory import FACT_TYPES
from recalld.domain.records import MemoryEdit, MemoryRecord
from recalld.encoders.protocols import EmbedPassages, TokenCounter
from recalld.store.engine import Database
from recalld.store.queries.banks import find_bank
from recalld.store.queries.memory_list import read_records
from recalld.store.writes.curation import (
    Placement,
    change_reason,
    link_again,
    lock_fact,
    put_in,
    set_aside,
    take_out,
)
from recalld.store.writes.entities import recount_entities
from recalld.store.writes.settle import settle

ATTEMPTS = 10
"""Tries for a fact that others keep changing while it is embedded."""


class StaleFact(Exception):
    """The fact changed between reading and writing."""


@dataclass(frozen=True, slots=True)
class Curator:
    """Changes single facts. ``dimension`` is that of the embedder's vectors."""

    database: Database
    embed: EmbedPassages
    tokens: TokenCounter
    dimension: int

    async def curate(self, bank_id: str, memory_id: str, edit: MemoryEdit) -> None:
        """Make the change, or raise ``NotFound``, ``InvalidRequest`` or ``Conflict``."""
        id_ = as_uuid("memory_id", memory_id)
        for _ in range(ATTEMPTS):
            bank, before, names = await self._read(bank_id, id_)
            _check(before, edit)
            valid = before.is_valid if edit.valid is None else edit.valid
            if not edit.changes and valid == before.is_valid:
                await self._give_reason(bank, before, edit)
                return
            new_names = names if edit.entities is None else edit.entities
            after = _edited(before, edit, valid=valid)
            placement = await self._placement(after, new_names) if valid else None
            try:
                await self._write(bank, before, placement or after, (names, new_names))
            except (StaleFact, Contended):
                continue
            await settle(self.database, bank.key, self.dimension)
            return
        raise Contended(f"Memory '{memory_id}' kept changing; try again.")

    async def _read(self, bank_id: str, id_: str) -> tuple[Bank, MemoryRecord, tuple[str, ...]]:
        async with self.database.read() as connection:
            bank = await find_bank(connection, bank_id)
            found = await read_records(connection, bank.key, [id_]) if bank else {}
            if bank is None or id_ not in found:
                raise memory_not_found(id_)
            names = await read_names(connection, bank.key, [found[id_]])
        return bank, found[id_], names.get(id_, ())

    async def _give_reason(self, bank: Bank, before: MemoryRecord, edit: MemoryEdit) -> None:
        if not before.is_valid and edit.reason is not None:
            async with self.database.write() as connection:
                await change_reason(connection, bank.key, before.id, edit.reason)

    async def _placement(self, after: MemoryRecord, names: Sequence[str]) -> Placement:
        (embedding,) = await self.embed([embedded_text(after.text, names)])
        draft = UnitDraft(
            id=UUID(after.id),
            document_id=after.document_id,
            chunk_id=after.chunk_id,
            text=after.text,
            context=after.context,
            fact_type=FACT_TYPES[after.fact_type],
            mentioned_at=after.mentioned_at,
            metadata=after.metadata,
            tags=tuple(after.tags),
            observation_scopes=after.observation_scopes,
            token_count=self.tokens.count(after.text),
            index_text=indexed_text(after.text, after.context, names, after.occurred_start),
            attachment_ids=tuple(after.attachment_ids),
            vector=embedding.vector.tolist(),
            token_vectors=embedding.tokens.tobytes(),
        )
        return Placement(after, draft, names)

    async def _write(
        self,
        bank: Bank,
        before: MemoryRecord,
        after: Placement | MemoryRecord,
        names: tuple[Sequence[str], Sequence[str]],
    ) -> None:
        """One fact in one transaction; a record without a placement is set aside."""
        old, new = names
        async with self.database.write() as connection:
            entities = await lock_fact(connection, bank.key, before, [*old, *new])
            if entities is None:
                raise StaleFact
            links = await take_out(connection, bank.key, before)
            if isinstance(after, Placement):
                await put_in(connection, bank.key, after, entities, bank.average_length)
                await link_again(connection, bank.key, before.id, links)
            else:
                await set_aside(connection, bank.key, after, new, links)
            await recount_entities(connection, bank.key, list(entities.values()))


def _check(before: MemoryRecord, edit: MemoryEdit) -> None:
    if before.is_observation:
        raise InvalidRequest("An observation is derived: change the memories it rests on")
    if not before.is_valid and edit.changes and not edit.valid:
        raise Conflict("The memory is invalidated; set its state to 'valid' to change it")


def _edited(before: MemoryRecord, edit: MemoryEdit, *, valid: bool) -> MemoryRecord:
    now = datetime.now(UTC)
    after = before._replace(**edit.columns)
    if after.occurred_start and after.occurred_end and after.occurred_end < after.occurred_start:
        raise InvalidRequest("occurred_end must not be earlier than occurred_start")
    return after._replace(
        event_date=after.occurred_start or after.mentioned_at,
        attachment_ids=list(placeholder_ids(after.text)) if "text" in edit.columns else after.attachment_ids,
        edited_at=now if edit.changes else after.edited_at,
        reason=None if valid else edit.reason,
        invalidated_at=None if valid else now,
    )
