"""Assemble: entities, source chunks and source facts to go with the selected facts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from recalld.domain.attachments import Attachment, placeholder_ids
from recalld.domain.memory import FactType, Memory
from recalld.encoders.protocols import TokenCounter
from recalld.recall.types import ChunkText, Enrichment, EntityState, QueryPlan, ScoredCandidate, Selection
from recalld.store.engine import Database
from recalld.store.queries.attachments import Place, attachments_of
from recalld.store.queries.hydrate import (
    ChunkRow,
    EntityRow,
    read_chunks,
    read_entities,
    read_entity_observations,
    read_memories,
)


class Assembler:
    """Reads what was asked for, all parts at once on connections of their own."""

    def __init__(self, database: Database, tokens: TokenCounter) -> None:
        self._database = database
        self._tokens = tokens

    async def assemble(self, plan: QueryPlan, selection: Selection) -> Enrichment:
        """The parts the query includes; the others stay ``None``."""
        (names, entities), chunks, (sources, truncated), files = await asyncio.gather(
            self._entities(plan, selection),
            self._chunks(plan, selection),
            self._sources(plan, selection),
            self._files(plan, selection),
        )
        return Enrichment(entities, names, chunks, sources, truncated, files)

    async def _entities(
        self, plan: QueryPlan, selection: Selection
    ) -> tuple[Mapping[str, tuple[str, ...]], tuple[EntityState, ...] | None]:
        budget = plan.query.includes.entity_tokens
        if budget is None:
            return {}, None
        owners = {s.memory.id: _entity_carriers(s.memory) for s in selection.kept}
        async with self._database.read() as connection:
            rows = await read_entities(
                connection, plan.facts.bank_key, sorted({i for o in owners.values() for i in o})
            )
            by_unit = _by_unit(rows)
            per_fact = {fact: _first_seen(owners[fact], by_unit) for fact in owners}
            ordered = list({e.entity_id: e for found in per_fact.values() for e in found}.values())
            observations = (
                await read_entity_observations(
                    connection, plan.facts, [entity.entity_id for entity in ordered]
                )
                if ordered and budget > 0
                else {}
            )
        states = self._spend_on_observations(ordered, observations, budget)
        return {fact: tuple(e.name for e in found) for fact, found in per_fact.items()}, states

    def _spend_on_observations(
        self, ordered: Sequence[EntityRow], found: Mapping[str, Sequence[Memory]], budget: int
    ) -> tuple[EntityState, ...]:
        """Newest observations first, entity after entity, until the budget is spent (D4)."""
        left, states = budget, []
        for entity in ordered:
            texts = []
            for memory in found.get(entity.entity_id, ()):
                if memory.token_count <= left:
                    left -= memory.token_count
                    texts.append((memory.text, memory.mentioned_at))
            states.append(EntityState(entity.entity_id, entity.name, tuple(texts)))
        return tuple(states)

    async def _chunks(self, plan: QueryPlan, selection: Selection) -> tuple[ChunkText, ...] | None:
        budget = plan.query.includes.chunk_tokens
        if budget is None or budget <= 0 or not selection.window:
            return None
        async with self._database.read() as connection:
            cited = [i for s in selection.window for i in s.memory.source_ids]
            sources = await read_memories(connection, plan.facts, cited)
            wanted = _chunk_order(selection.window, sources)
            rows = await read_chunks(connection, plan.facts, wanted)
            chunks = self._cut(wanted, rows, budget)
            places = {
                chunk.chunk_id: [
                    (rows[chunk.chunk_id].document_id, id_) for id_ in placeholder_ids(chunk.text)
                ]
                for chunk in chunks
            }
            files = await attachments_of(connection, plan.facts.bank_key, places)
        return tuple(replace(chunk, attachments=files.get(chunk.chunk_id, ())) for chunk in chunks)

    def _cut(self, wanted: Sequence[str], rows: Mapping[str, ChunkRow], budget: int) -> tuple[ChunkText, ...]:
        """Whole chunks while they fit; the one that does not is cut, and is the last."""
        taken: list[ChunkText] = []
        for row in (rows[chunk_id] for chunk_id in wanted if chunk_id in rows):
            if budget <= 0:
                break
            fits = row.token_count <= budget
            text = row.text if fits else self._tokens.truncate(row.text, budget)
            taken.append(ChunkText(row.chunk_id, text, row.index, truncated=not fits))
            if not fits:
                break
            budget -= row.token_count
        return tuple(taken)

    async def _files(self, plan: QueryPlan, selection: Selection) -> dict[str, tuple[Attachment, ...]]:
        """The files of each fact; an observation shows those of its sources, in their order."""
        memories = [scored.memory for scored in selection.kept]
        cited = [i for memory in memories for i in memory.source_ids]
        if not cited and not any(memory.attachment_ids for memory in memories):
            return {}
        async with self._database.read() as connection:
            sources = await read_memories(connection, plan.facts, cited)
            places = {
                memory.id: [
                    place
                    for carrier in (memory, *(sources[i] for i in memory.source_ids if i in sources))
                    for place in _places(carrier)
                ]
                for memory in memories
            }
            return await attachments_of(connection, plan.facts.bank_key, places)

    async def _sources(
        self, plan: QueryPlan, selection: Selection
    ) -> tuple[tuple[Memory, ...] | None, bool | None]:
        total = plan.query.includes.source_fact_tokens
        if total is None:
            return None, None
        observations = [s.memory for s in selection.kept if s.memory.fact_type is FactType.OBSERVATION]
        wanted = list(dict.fromkeys(i for memory in observations for i in memory.source_ids))
        if not wanted:
            return (), False
        async with self._database.read() as connection:
            found = await read_memories(connection, plan.facts, wanted)
        return pick_sources(observations, found, total, plan.query.includes.source_fact_tokens_each)


def pick_sources(
    observations: Sequence[Memory], found: Mapping[str, Memory], total: int, each: int
) -> tuple[tuple[Memory, ...], bool]:
    """Source facts within their budget, and whether a resolvable one was left out by every budget.

    ``each >= 0`` gives each observation a budget of its own and replaces ``total``; a negative
    ``total`` is no limit.
    """
    picked: dict[str, Memory] = {}
    skipped: set[str] = set()
    left = total
    for observation in observations:
        if each >= 0:
            left = each
        for source in (found[i] for i in observation.source_ids if i in found):
            if source.id in picked and each < 0:
                continue
            unlimited = each < 0 and total < 0
            if unlimited or source.token_count <= left:
                left -= source.token_count
                picked[source.id] = source
            else:
                skipped.add(source.id)
    return tuple(picked.values()), bool(skipped - picked.keys())


def _places(memory: Memory) -> list[Place]:
    return [(memory.document_id, id_) for id_ in memory.attachment_ids] if memory.document_id else []


def _entity_carriers(memory: Memory) -> tuple[str, ...]:
    """Units whose entities a fact shows: itself, then (for an observation) its sources."""
    return (memory.id, *memory.source_ids) if memory.fact_type is FactType.OBSERVATION else (memory.id,)


def _by_unit(rows: Sequence[EntityRow]) -> dict[str, list[EntityRow]]:
    grouped: dict[str, list[EntityRow]] = {}
    for row in rows:
        grouped.setdefault(row.unit_id, []).append(row)
    return grouped


def _first_seen(carriers: Sequence[str], by_unit: Mapping[str, Sequence[EntityRow]]) -> list[EntityRow]:
    """Each entity of the carriers once. An observation's own entities replace its sources'."""
    own = by_unit.get(carriers[0], ())
    rows = own or [row for carrier in carriers[1:] for row in by_unit.get(carrier, ())]
    seen: dict[str, EntityRow] = {}
    for row in rows:
        seen.setdefault(row.entity_id, row)
    return list(seen.values())


def _chunk_order(window: Sequence[ScoredCandidate], sources: Mapping[str, Memory]) -> list[str]:
    """Chunk ids in rank order; an observation stands for the chunks of its sources."""
    ordered: dict[str, None] = {}
    for scored in window:
        if scored.memory.chunk_id is not None:
            ordered[scored.memory.chunk_id] = None
        else:
            cited = (sources[i].chunk_id for i in scored.memory.source_ids if i in sources)
            ordered.update({chunk_id: None for chunk_id in cited if chunk_id is not None})
    return list(ordered)
