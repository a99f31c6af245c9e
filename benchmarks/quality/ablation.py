"""What each part of the ranking is worth: evidence recall with it and without it, over retained dialogues.

    python benchmarks/quality/ablation.py DATA/locomo-dev DATA/beam-dev

A folder holds one JSON file per dialogue, {"turns": [{id, text, timestamp}], "questions": [{question,
evidence}]}, retained beforehand as one document per turn into the bank <folder>-<file> of the database that
the settings name. Nothing is written.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from recalld.bootstrap import Application, application
from recalld.recall.boost import BoostWeights, boost
from recalld.recall.fuse import fuse
from recalld.recall.relevance import DEFAULT_BLEND, Blend, Signals, relevance
from recalld.recall.rerank import signals_of
from recalld.recall.retrieve import retrieve
from recalld.recall.select import fit
from recalld.recall.types import Candidate, QueryPlan, RecallQuery, Reranked, ScoredCandidate
from recalld.settings import Settings

CANDIDATES = 300
MAX_TOKENS = 4096
DEFAULT_BOOSTS = BoostWeights()


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its candidates in fused order, and the ids of the turns that answer it."""

    plan: QueryPlan
    candidates: Sequence[Candidate]
    signals: Signals
    evidence: Sequence[str]


class Figures(NamedTuple):
    """Means over the questions."""

    recall_10: float
    ndcg_10: float
    recall_budget: float


Ranker = Callable[[Case], Sequence[ScoredCandidate]]


def blended(blend: Blend = DEFAULT_BLEND, weights: BoostWeights = DEFAULT_BOOSTS) -> Ranker:
    """Ranks by the blend and the boosts."""

    def rank(case: Case) -> Sequence[ScoredCandidate]:
        scores = relevance(case.signals, blend)
        pairs = zip(case.candidates, scores, strict=True)
        scored = tuple(ScoredCandidate(one, float(score), float(score)) for one, score in pairs)
        return boost(case.plan, Reranked(scored, "blend"), weights)

    return rank


def by_signal(name: str) -> Ranker:
    """Ranks by one signal alone."""

    def rank(case: Case) -> Sequence[ScoredCandidate]:
        scores = getattr(case.signals, name)
        order = sorted(range(len(case.candidates)), key=lambda i: -float(scores[i]))
        return [ScoredCandidate(case.candidates[i], float(scores[i]), None) for i in order]

    return rank


def fused(case: Case) -> Sequence[ScoredCandidate]:
    """Leaves the fused order as it is."""
    return [ScoredCandidate(one, one.fused.rrf_score, None) for one in case.candidates]


def without(**weights: float) -> Ranker:
    """The default blend with other weights."""
    return blended(replace(DEFAULT_BLEND, **weights))


VARIANTS: Mapping[str, Ranker] = {
    "default": blended(),
    "without late interaction": without(late_interaction=0.0),
    "without cosine": without(similarity=0.0),
    "without BM25": without(keyword=0.0),
    "without the window": without(window=0.0),
    "without document length": without(length=0.0),
    "without the recency boost": blended(weights=BoostWeights(recency=0.0)),
    "without the temporal boost": blended(weights=BoostWeights(temporal=0.0)),
    "late interaction alone": by_signal("late"),
    "BM25 alone": by_signal("keyword_share"),
    "cosine alone": by_signal("similarity"),
    "fused order": fused,
}


def figures(cases: Sequence[Case], rank: Ranker) -> Figures:
    """Score a way of ranking."""
    rows = [_score(rank(case), case.evidence) for case in cases]
    return Figures(*(sum(column) / len(rows) for column in zip(*rows, strict=True)))


def _score(ranked: Sequence[ScoredCandidate], evidence: Sequence[str]) -> Figures:
    kept, _ = fit(ranked, MAX_TOKENS)
    documents = list(dict.fromkeys(one.memory.document_id for one in kept))
    places = [documents.index(id_) if id_ in documents else math.inf for id_ in evidence]
    gain = sum(1 / math.log2(place + 2) for place in places if place < 10)  # noqa: PLR2004
    best = sum(1 / math.log2(place + 2) for place in range(min(10, len(places))))
    return Figures(
        sum(place < 10 for place in places) / len(places),  # noqa: PLR2004
        gain / best,
        sum(place < math.inf for place in places) / len(places),
    )


async def cases_of(app: Application, folder: Path) -> list[Case]:
    """Every question of a folder, retrieved."""
    return [await _case(app, bank, question, now) for bank, question, now in _questions(folder)]


def _questions(folder: Path) -> Iterator[tuple[str, dict[str, Any], datetime]]:
    for file in sorted(folder.glob("*.json")):
        dialogue = json.loads(file.read_text(encoding="utf-8"))
        now = datetime.fromisoformat(dialogue["turns"][-1]["timestamp"])
        for question in dialogue["questions"]:
            yield f"{folder.name}-{file.stem}", question, now


async def _case(app: Application, bank: str, question: dict[str, Any], now: datetime) -> Case:
    query = RecallQuery(bank, question["question"], anchor=now, max_tokens=MAX_TOKENS)
    plan = await app.recall.planner.plan(query)
    retrieved = await retrieve(app.recall.retrievers, plan, deadline=60.0)
    candidates = await app.recall.hydrator.hydrate(plan, fuse(retrieved.rankings)[:CANDIDATES])
    return Case(plan, candidates, signals_of(plan, candidates), question["evidence"])


async def main(folders: Sequence[Path]) -> None:
    """Print one row per variant, R@10 / nDCG@10 / R inside the token budget for each folder."""
    async with application(Settings()) as app:
        sets = [await cases_of(app, folder) for folder in folders]
    print(" | ".join([f"{'':28}", *(f"{folder.name:^21}" for folder in folders)]))
    for name, rank in VARIANTS.items():
        cells = (" / ".join(f"{value:.3f}" for value in figures(cases, rank)) for cases in sets)
        print(" | ".join([f"{name:28}", *cells]))


if __name__ == "__main__":
    asyncio.run(main([Path(argument).resolve() for argument in sys.argv[1:]]))
