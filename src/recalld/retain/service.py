"""The whole retain on one screen: plan documents, find facts, embed them, write each in one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple
from uuid import UUID

from recalld.domain.attachments import placeholder_ids
from recalld.domain.banks import Bank, BankConfig
from recalld.domain.errors import Contended
from recalld.encoders.protocols import ChatModel, EmbedPassages, PassageEmbedding, TokenCounter
from recalld.retain.documents import DocumentPlan, group_by_document, plan_document
from recalld.retain.entities import resolve_names
from recalld.retain.facts import Fact
from recalld.retain.reader import FactReader
from recalld.retain.types import RetainItem, RetainOutcome
from recalld.store.engine import Database
from recalld.store.queries.banks import known_bank
from recalld.store.queries.documents import stored_documents
from recalld.store.queries.operations import documents_done
from recalld.store.queries.similar_entities import SimilarEntity, similar_entities
from recalld.store.writes.attachments import save_attachments
from recalld.store.writes.banks import bank_made_if_needed
from recalld.store.writes.documents import (
    delete_chunks,
    insert_chunks,
    refresh_units,
    save_document,
)
from recalld.store.writes.entities import link_mentions, save_entities
from recalld.store.writes.links import insert_causal_links, link_pending
from recalld.store.writes.operations import note_document
from recalld.store.writes.side_by_side import side_by_side
from recalld.store.writes.terms import count_facts, lock_statistics, refresh_planner, reweigh_if_drifted
from recalld.store.writes.units import insert_units
from recalld.store.writes.vector_index import build_vector_index

logger = logging.getLogger(__name__)

ATTEMPTS = 20
"""Tries for a document that others keep changing while it is embedded."""


_background: set[asyncio.Task[bool]] = set()


EMBEDDED_AT_ONCE = 4000
"""Characters the model reads while the batch before is written."""


class Made(NamedTuple):
    """The fresh facts of a document, each with its vector."""

    facts: Sequence[Fact]
    vectors: Sequence[PassageEmbedding]


class Writable(NamedTuple):
    """A document with its fresh facts and their vectors, on behalf of an operation if there is one."""

    group: Sequence[RetainItem]
    plan: DocumentPlan
    made: Made
    operation: UUID | None = None


class StaleDocument(Exception):
    """The document changed between planning and writing."""


class NotToBeWritten(Exception):
    """The operation has written the document already, or was cancelled."""


@dataclass(frozen=True, slots=True)
class RetainService:
    """Stores texts. Each document is written whole or not at all.

    ``after`` is told of a bank that has new facts. ``model`` finds the facts in texts, where banks want that.
    """

    database: Database
    embed: EmbedPassages
    tokens: TokenCounter
    defaults: BankConfig
    dimension: int
    index_min_rows: int = 10_000
    after: Callable[[Bank], None] | None = None
    model: ChatModel | None = None

    async def retain(
        self, bank_id: str, items: Sequence[RetainItem], operation: UUID | None = None
    ) -> RetainOutcome:
        """Store the items, creating the bank if need be; on return everything is committed.

        For an ``operation``, each document is written once, however often this is called for it, and
        none once the operation was cancelled.
        """
        bank = await (self.bank(bank_id) if operation is None else self._existing(bank_id))
        groups = group_by_document(await self._resolved(bank, items))
        if operation is not None:
            done = await self._done(bank, operation)
            groups = [group for group in groups if group[0].document_id not in done]
        plans = await self._plan(bank, groups)
        reader = FactReader(self.defaults.override(bank.overrides), self.tokens, self.model)
        await reader.read(plans)
        added = 0
        async for batch in self._embedded(bank, reader, plans):
            writable = [Writable(groups[i], plans[i], made, operation) for i, made in batch]
            added += await self._write_batch(bank, reader, writable)
        kept = sum(len(plan.kept) for plan in plans)
        await link_pending(self.database, bank.key, self.dimension)
        async with self.database.write() as connection:
            await reweigh_if_drifted(connection, bank.key)
            if grew(bank.unit_count, added):
                await refresh_planner(connection)
        if bank.unit_count + added >= self.index_min_rows:
            self._index_in_background(bank)
        if added and self.after is not None:
            self.after(bank)
        return RetainOutcome(len(groups), added, kept, reader.usage)

    def _index_in_background(self, bank: Bank) -> None:
        task = asyncio.create_task(
            build_vector_index(self.database, bank.key, self.dimension, self.index_min_rows)
        )
        _background.add(task)
        task.add_done_callback(_finished)

    async def _resolved(self, bank: Bank, items: Sequence[RetainItem]) -> list[RetainItem]:
        """The items with their names as the bank knows them."""
        names = {name for item in items if item.resolve_entities for name in item.entities}
        if not names:
            return list(items)
        namesakes: dict[str, list[SimilarEntity]] = defaultdict(list)
        async with self.database.read() as connection:
            for one in await similar_entities(connection, bank.key, sorted(names)):
                namesakes[one.wanted].append(one)
        return [resolve_names(item, namesakes) for item in items]

    async def _done(self, bank: Bank, operation: UUID) -> Collection[str]:
        async with self.database.read() as connection:
            return await documents_done(connection, bank.key, operation)

    async def bank(self, bank_id: str) -> Bank:
        """The bank, which is created if need be."""
        return await bank_made_if_needed(self.database, bank_id)

    async def _existing(self, bank_id: str) -> Bank:
        async with self.database.read() as connection:
            return await known_bank(connection, bank_id)

    async def _plan(self, bank: Bank, groups: Sequence[Sequence[RetainItem]]) -> list[DocumentPlan]:
        config = self.defaults.override(bank.overrides)
        async with self.database.read() as connection:
            stored = await stored_documents(connection, bank.key, [group[0].document_id for group in groups])
        return [
            plan_document(bank.bank_id, group, stored.get(group[0].document_id), config, self.tokens)
            for group in groups
        ]

    async def _embedded(
        self, bank: Bank, reader: FactReader, plans: Sequence[DocumentPlan]
    ) -> AsyncIterator[list[tuple[int, Made]]]:
        """Batches of plans by index, each with its fresh facts and their vectors, similar lengths together.

        While the caller writes one batch, the model is at work on the next.
        """
        batches = length_batches(plans)
        if not batches:
            return
        task = asyncio.ensure_future(self._embed(bank, reader, [plans[i] for i in batches[0]]))
        try:
            for batch, following in zip(batches, [*batches[1:], []], strict=True):
                embedded = await task
                task = asyncio.ensure_future(self._embed(bank, reader, [plans[i] for i in following]))
                yield list(zip(batch, embedded, strict=True))
        finally:
            task.cancel()

    async def _embed(self, bank: Bank, reader: FactReader, plans: Sequence[DocumentPlan]) -> list[Made]:
        """The fresh facts of each plan, with vectors from one call for all of them."""
        made = await self._named(bank, [reader.facts(plan) for plan in plans])
        texts = [fact.embedded_text for facts in made for fact in facts]
        vectors = iter(await self.embed(texts) if texts else [])
        return [Made(facts, [next(vectors) for _ in facts]) for facts in made]

    async def _named(self, bank: Bank, made: Sequence[Sequence[Fact]]) -> list[list[Fact]]:
        """The facts; names that a model found in them are as the bank knows them."""
        found = [fact.item for facts in made for fact in facts if fact.item is not fact.piece.item]
        resolved = iter(await self._resolved(bank, found))
        return [
            [fact if fact.item is fact.piece.item else replace(fact, item=next(resolved)) for fact in facts]
            for facts in made
        ]

    async def _write_batch(self, bank: Bank, reader: FactReader, batch: Sequence[Writable]) -> int:
        """Write documents side by side; returns how many facts were added."""
        return sum(await side_by_side(partial(self._write_until_current, bank, reader), batch))

    async def _write_until_current(self, bank: Bank, reader: FactReader, one: Writable) -> int:
        """Write a document, planned anew as often as others change it meanwhile; returns the facts added."""
        for _ in range(ATTEMPTS):
            try:
                await self._write(bank, one)
            except NotToBeWritten:
                return 0
            except (StaleDocument, Contended):
                (plan,) = await self._plan(bank, [one.group])
                await reader.read([plan])
                (made,) = await self._embed(bank, reader, [plan])
                one = one._replace(plan=plan, made=made)
            else:
                return len(one.made.facts)
        name = one.plan.draft.document_id
        raise Contended(f"Document '{name}' kept changing while it was written; try again.")

    async def _write(self, bank: Bank, one: Writable) -> None:
        """One document in one transaction. For a new one, the bank's statistics are locked at the end."""
        _, plan, (facts, vectors), operation = one
        key, document_id = bank.key, plan.draft.document_id
        units = [fact.unit(document_id, vector) for fact, vector in zip(facts, vectors, strict=True)]
        ids = [unit.id for unit in units]
        names = {fact.id: fact.item.entities for fact in facts}
        mentioned = [name for mentions in names.values() for name in mentions]
        seen = units[0].mentioned_at if units else None
        async with self.database.write() as connection:
            if operation is not None and not await note_document(
                connection, key, operation, document_id, len(ids)
            ):
                raise NotToBeWritten
            if not await save_document(connection, key, plan.draft, plan.base_hash):
                raise StaleDocument
            removed, entities = (0, 0.0), dict[str, UUID]()
            if not plan.is_new:
                # What is stored is changed in one order: entities, the bank's row, facts.
                entities = await save_entities(connection, key, mentioned, seen)
                await lock_statistics(connection, key)
                removed = await delete_chunks(connection, key, plan.stale)
            await insert_chunks(connection, key, document_id, [piece.chunk for piece in plan.fresh])
            await insert_units(connection, key, units, bank.average_length)
            await insert_causal_links(connection, key, [link for fact in facts for link in fact.links])
            for item, chunk_ids in plan.kept_by_item():
                refreshed = {"tags": list(item.tags), "metadata": dict(item.metadata)}
                await refresh_units(connection, key, chunk_ids, refreshed)
            wanted = placeholder_ids(plan.draft.text)
            if wanted or not plan.is_new:
                await save_attachments(connection, key, document_id, plan.attachments, wanted)
            if plan.is_new:
                entities = await save_entities(connection, key, mentioned, seen)
            await link_mentions(connection, key, names, entities)
            await count_facts(connection, key, ids, removed)


def length_batches(plans: Sequence[DocumentPlan]) -> list[list[int]]:
    """Indices of the plans in batches of about ``EMBEDDED_AT_ONCE`` characters, shortest texts first."""
    sizes = [sum(len(piece.chunk.text) for piece in plan.facts) for plan in plans]
    batches: list[list[int]] = []
    filled = 0
    for i in sorted(range(len(plans)), key=sizes.__getitem__):
        if not batches or filled + sizes[i] > EMBEDDED_AT_ONCE:
            batches.append([])
            filled = 0
        batches[-1].append(i)
        filled += sizes[i]
    return batches


def grew(before: int, added: int) -> bool:
    """Whether a bank doubled past a power of two from 64 up: time to tell the query planner."""
    return added > 0 and before + added >= 64 and (before + added).bit_length() > before.bit_length()  # noqa: PLR2004


def _finished(task: asyncio.Task[bool]) -> None:
    _background.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("vector index not built: %r", error)
