"""Writes one document of an archive in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from recalld.domain.attachments import AttachmentDraft
from recalld.domain.banks import Bank
from recalld.encoders.protocols import PassageEmbedding, TokenCounter
from recalld.store.engine import Database, WriteConnection
from recalld.store.writes.attachments import insert_attachments
from recalld.store.writes.documents import insert_chunks, save_document
from recalld.store.writes.entities import (
    date_entities,
    hold_entities,
    link_mentions,
    recount_entities,
    save_entities,
)
from recalld.store.writes.imports import date_document, insert_set_aside
from recalld.store.writes.links import insert_causal_links
from recalld.store.writes.operations import note_document
from recalld.store.writes.removal import drop_documents, facts_of_documents, lock_documents
from recalld.store.writes.terms import count_facts, lock_statistics
from recalld.store.writes.units import insert_units
from recalld.transfer.draft import (
    FACT,
    causal_links,
    chunk_drafts,
    document_draft,
    set_aside_rows,
    unit_drafts,
    unit_id,
)
from recalld.transfer.place import Goal
from recalld.transfer.report import Behind, not_ours_any_more

Embedded = list[tuple[int, PassageEmbedding]]
"""Token count and vectors of each fact of a document."""


class Stale(Exception):
    """The bank got a document of that id meanwhile."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Where documents are written, and for whom."""

    bank: Bank
    behind: Behind | None
    seed: UUID
    tokens: TokenCounter


async def write_document(
    database: Database,
    writing: Writing,
    goal: Goal,
    embedded: Embedded,
    files: Sequence[AttachmentDraft],
) -> None:
    """Write it, or raise ``Stale``. Nothing is written for an operation that was cancelled."""
    whole, target, key = goal.whole, goal.target, writing.bank.key
    place = (writing.bank.bank_id, target)
    ids = [unit_id(writing.seed, target, FACT, i) for i in range(len(embedded))]
    units = unit_drafts(whole, place, ids, embedded)
    chunks = chunk_drafts(whole, *place, writing.tokens)
    rows = set_aside_rows(whole, place, writing.seed, ids, datetime.now(UTC))
    mentions = {id_: fact.entities for id_, fact in zip(ids, whole.document.facts, strict=True)}
    seen = whole.seen
    async with database.write() as connection:
        await _note(connection, writing.behind, target, len(ids))
        entities, held = await _made_room(connection, key, goal)
        if not await save_document(connection, key, document_draft(whole, target), None):
            raise Stale
        await date_document(connection, key, target, whole.document.created_at)
        await insert_chunks(connection, key, target, chunks)
        await insert_units(connection, key, units, writing.bank.average_length)
        await insert_set_aside(connection, key, rows)
        await insert_attachments(connection, key, target, files)
        await insert_causal_links(connection, key, causal_links(whole, ids))
        if not goal.replaces:
            entities = await save_entities(connection, key, whole.names, None)
        await link_mentions(connection, key, mentions, entities)
        await date_entities(connection, key, {entities[name]: dates for name, dates in seen.items()})
        await count_facts(connection, key, ids)
        await recount_entities(connection, key, held)


async def _note(connection: WriteConnection, behind: Behind | None, target: str, facts: int) -> None:
    if behind is not None and not await note_document(connection, behind.bank_key, behind.id, target, facts):
        raise not_ours_any_more()


async def _made_room(
    connection: WriteConnection, key: int, goal: Goal
) -> tuple[dict[str, UUID], Sequence[UUID]]:
    """Delete the document that is replaced; the entities by name, and those to be counted anew."""
    if not goal.replaces or goal.there is None:
        return {}, ()
    await lock_documents(connection, key, [goal.target])
    entities = await save_entities(connection, key, [*goal.whole.names, *goal.there.names], None)
    facts = await facts_of_documents(connection, key, [goal.target])
    held = await hold_entities(connection, key, facts)
    await lock_statistics(connection, key)
    await drop_documents(connection, key, [goal.target], facts)
    return entities, list({*held, *entities.values()})
