"""Imports observations: those whose every source is there, and that the bank does not have yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from recalld.domain.banks import Bank
from recalld.domain.documents import Past, UnitDraft
from recalld.domain.indexing import embedded_text, indexed_text
from recalld.domain.memory import FactType
from recalld.encoders.protocols import EmbedPassages, PassageEmbedding, TokenCounter
from recalld.store.engine import Database, WriteConnection
from recalld.store.queries.hydrate import read_mentions
from recalld.store.queries.transfer import observations_resting_on, units_there
from recalld.store.writes.observations import stamp_consolidated
from recalld.store.writes.operations import still_wanted
from recalld.store.writes.terms import count_facts, lock_statistics
from recalld.store.writes.units import insert_units
from recalld.transfer.contents import Observation
from recalld.transfer.draft import OBSERVATION, unit_id
from recalld.transfer.report import Behind, not_ours_any_more

AT_ONCE = 128
Key = tuple[str, frozenset[str], frozenset[UUID]]
"""What tells observations apart: text, tags, sources."""


@dataclass(frozen=True, slots=True)
class Rests:
    """What observations rest on: by document the ids of its facts, in the order of the archive."""

    bank: Bank
    behind: Behind | None
    seed: UUID
    facts: Mapping[str, Sequence[str | None]]


class _Candidate(NamedTuple):
    """An observation with the id it gets and those of its sources."""

    id: UUID
    observation: Observation
    sources: tuple[UUID, ...]

    @property
    def key(self) -> Key:
        return self.observation.text, frozenset(self.observation.tags), frozenset(self.sources)


@dataclass(frozen=True, slots=True)
class ObservationImporter:
    """Imports observations, some in each transaction."""

    database: Database
    embed: EmbedPassages
    tokens: TokenCounter

    async def run(self, rests: Rests, found: Sequence[Observation]) -> tuple[int, int]:
        """How many were imported, and how many skipped."""
        candidates = [
            _Candidate(unit_id(rests.seed, "", OBSERVATION, place), one, sources)
            for place, one in enumerate(found)
            if (sources := _sources(one, rests.facts)) is not None
        ]
        imported = 0
        for start in range(0, len(candidates), AT_ONCE):
            imported += await self._some(rests, candidates[start : start + AT_ONCE])
        return imported, len(found) - imported

    async def _some(self, rests: Rests, candidates: Sequence[_Candidate]) -> int:
        """How many of them were imported, by an earlier attempt or now."""
        key = rests.bank.key
        async with self.database.write() as connection:
            fresh, before = await _new(connection, key, candidates)
        if not fresh:
            return before
        drafts = await self._drafts(key, fresh)
        async with self.database.write() as connection:
            behind = rests.behind
            if behind is not None and not await still_wanted(connection, behind.bank_key, behind.id):
                raise not_ours_any_more()
            await lock_statistics(connection, key)
            fresh, _ = await _new(connection, key, fresh)
            await insert_units(connection, key, [drafts[one.id] for one in fresh], rests.bank.average_length)
            await count_facts(connection, key, [one.id for one in fresh], retained=False)
            await stamp_consolidated(connection, key, list({id_ for one in fresh for id_ in one.sources}))
        return before + len(fresh)

    async def _drafts(self, key: int, fresh: Sequence[_Candidate]) -> dict[UUID, UnitDraft]:
        """Their indexed forms; they mention what their sources do."""
        async with self.database.read() as connection:
            ids = list({str(id_) for one in fresh for id_ in one.sources})
            names = await read_mentions(connection, key, ids)
        mentioned = [
            sorted({name for id_ in one.sources for name in names.get(str(id_), ())}) for one in fresh
        ]
        texts = [one.observation.text for one in fresh]
        vectors = await self.embed([embedded_text(*pair) for pair in zip(texts, mentioned, strict=True)])
        counts = self.tokens.count_many(texts)
        together = zip(fresh, mentioned, vectors, counts, strict=True)
        return {one.id: _draft(one, mentions, vector, count) for one, mentions, vector, count in together}


async def _new(
    connection: WriteConnection, key: int, candidates: Sequence[_Candidate]
) -> tuple[list[_Candidate], int]:
    """Those whose sources are there and that nobody has made, and how many this import has made before."""
    sources = list({id_ for one in candidates for id_ in one.sources})
    there = await units_there(connection, key, [*sources, *(one.id for one in candidates)])
    resting = await observations_resting_on(connection, key, sources)
    known: set[Key] = {(text, frozenset(tags), frozenset(ids)) for text, tags, ids in resting}
    fresh: list[_Candidate] = []
    for one in candidates:
        if one.id not in there and there.issuperset(one.sources) and one.key not in known:
            known.add(one.key)
            fresh.append(one)
    return fresh, sum(one.id in there for one in candidates)


def _sources(one: Observation, facts: Mapping[str, Sequence[str | None]]) -> tuple[UUID, ...] | None:
    """The ids of the facts it rests on; ``None`` if it rests on nothing, or on what is not there."""
    found: dict[UUID, None] = {}
    for source in one.sources:
        ids = facts.get(source.document_id, ())
        id_ = ids[source.fact_index] if source.fact_index < len(ids) else None
        if id_ is None:
            return None
        found[UUID(id_)] = None
    return tuple(found) or None


def _draft(one: _Candidate, names: Sequence[str], embedding: PassageEmbedding, count: int) -> UnitDraft:
    told = one.observation
    return UnitDraft(
        id=one.id,
        document_id=None,
        chunk_id=None,
        text=told.text,
        context=None,
        fact_type=FactType.OBSERVATION,
        mentioned_at=told.mentioned_at,
        metadata={},
        tags=tuple(dict.fromkeys(told.tags)),
        observation_scopes=told.observation_scopes,
        token_count=count,
        index_text=indexed_text(told.text, None, names, told.occurred_start),
        attachment_ids=(),
        vector=embedding.vector.tolist(),
        token_vectors=embedding.tokens.tobytes(),
        past=Past(
            event_date=told.event_date,
            occurred_start=told.occurred_start,
            occurred_end=told.occurred_end,
            created_at=told.created_at,
            proof_count=max(told.proof_count or 0, len(one.sources)),
            source_ids=one.sources,
        ),
    )
