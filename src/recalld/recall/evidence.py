"""Evidence: what ranked facts rest on, and when later statements took their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recalld.domain.memory import FactType, Memory
from recalld.domain.statements import Frame, frames, restates
from recalld.recall.types import Evidence, QueryPlan, ScoredCandidate, Selection, SourceEvidence
from recalld.store.engine import Database
from recalld.store.queries.evidence import EvidenceRow, LaterStatement, later_statements, read_evidence


@dataclass(frozen=True, slots=True)
class EvidenceReader:
    """Reads evidence where the caller wants documents, under the same conditions as every retriever."""

    database: Database

    async def read(self, plan: QueryPlan, ranked: Sequence[ScoredCandidate]) -> dict[str, Evidence]:
        """Evidence by fact id. A fact whose sources are not all in sight has none."""
        if plan.query.by_document is None or not ranked:
            return {}
        ids = {id_ for one in ranked for id_ in (one.memory.id, *one.memory.source_ids)}
        async with self.database.read() as connection:
            rows = await read_evidence(connection, plan.facts, sorted(ids))
        found = ((one.memory.id, evidence_of(one.memory, rows)) for one in ranked)
        return {id_: evidence for id_, evidence in found if evidence is not None}

    async def superseded(self, plan: QueryPlan, selection: Selection) -> dict[str, datetime]:
        """When a later statement took a fact's place, by fact id. Observations have no such moment.

        It is looked for among what was ranked, the facts most like it by link, and what was observed with it.
        """
        if plan.query.by_document is None or not selection.kept:
            return {}
        async with self.database.read() as connection:
            ids = [one.memory.id for one in selection.kept]
            linked = superseded_at(await later_statements(connection, plan.facts, ids))
        ranked = superseded_among(selection)
        both = {*linked, *ranked}
        return {id_: min(found[id_] for found in (linked, ranked) if id_ in found) for id_ in both}


def evidence_of(memory: Memory, rows: Mapping[str, EvidenceRow]) -> Evidence | None:
    """What a fact rests on: its document, or, for an observation, the facts it was made of."""
    own = rows.get(memory.id)
    if own is None:
        return None
    if memory.fact_type is FactType.OBSERVATION:
        cited = [rows[id_] for id_ in memory.source_ids if id_ in rows]
        if len(cited) < len(memory.source_ids):
            return None
        return Evidence(own.date, None, _sources((row, row.text) for row in cited))
    verbatim = own.document_id is not None and own.text == own.chunk_text
    excerpt = None if verbatim else own.chunk_text
    return Evidence(own.date, own.document_id if verbatim else None, _sources([(own, excerpt)]))


def superseded_at(later: Iterable[LaterStatement]) -> dict[str, datetime]:
    """The date of the first statement that gives another value for what a fact is about, by fact id."""
    found: dict[str, datetime] = {}
    for one in sorted(later, key=lambda one: one.date):
        if one.fact_id not in found and restates(one.earlier, one.later):
            found[one.fact_id] = one.date
    return found


def superseded_among(selection: Selection) -> dict[str, datetime]:
    """The same by fact id for kept facts, the later statements being ranked ones."""
    told: dict[str, list[datetime]] = defaultdict(list)
    for one in selection.ranked:
        known = selection.evidence.get(one.memory.id)
        if known is not None and one.memory.fact_type is not FactType.OBSERVATION:
            told[one.memory.text].append(known.occurred_at)
    sharing: dict[Frame, set[str]] = defaultdict(set)
    for text in told:
        for frame in frames(text):
            sharing[frame].add(text)
    found: dict[str, datetime] = {}
    for one in selection.kept:
        if one.memory.fact_type is FactType.OBSERVATION:
            continue
        text, date = one.memory.text, selection.evidence[one.memory.id].occurred_at
        others = {other for frame in frames(text) for other in sharing.get(frame, ())}
        later = sorted((moment, other) for other in others for moment in told[other] if moment > date)
        after = next((moment for moment, other in later if restates(text, other)), None)
        if after is not None:
            found[one.memory.id] = after
    return found


def _sources(cited: Iterable[tuple[EvidenceRow, str | None]]) -> tuple[SourceEvidence, ...]:
    """One source for each document and date, with all excerpts, repeated ones too."""
    excerpts: dict[tuple[datetime, str], list[str]] = defaultdict(list)
    rows: dict[tuple[datetime, str], EvidenceRow] = {}
    for row, excerpt in cited:
        place = (row.date, row.document_id or row.id)
        rows[place] = row
        excerpts[place] += [] if excerpt is None else [excerpt]
    return tuple(
        SourceEvidence(place[1], place[0], tuple(excerpts[place]), rows[place].metadata, rows[place].label)
        for place in sorted(rows)
    )
