"""Temporal retriever: facts whose own dates fall in the asked time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.memory import RankedFact
from recalld.domain.time import TimeWindow
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import Database
from recalld.store.queries.temporal import DatedFact, facts_in_window

BUCKETS = 8


@dataclass(frozen=True, slots=True)
class TemporalRetriever:
    """Relevant facts inside the window, spread over its length rather than bunched."""

    database: Database
    min_similarity: float = 0.1
    name: RetrieverName = RetrieverName.TEMPORAL

    def applies(self, plan: QueryPlan) -> bool:
        """When the query has a time window."""
        return plan.window is not None

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        """Facts in the window by closeness to its centre, best first."""
        if plan.window is None:
            return Ranking(self.name, ())
        async with self.database.read() as connection:
            found = await facts_in_window(
                connection,
                plan.facts,
                plan.embedding.vector,
                window=plan.window,
                limit=plan.depth,
                floor=self.min_similarity,
            )
        chosen = cover(found, plan.window, max(10, plan.depth // 5))
        facts = [RankedFact(f.id, f.fact_type, score(f, plan.window)) for f in chosen]
        facts.sort(key=lambda fact: (-fact.score, fact.id))
        return Ranking(self.name, tuple(facts))


def score(fact: DatedFact, window: TimeWindow) -> float:
    """Half closeness to the centre of the window, half similarity to the query."""
    proximity = window.proximity(fact.instant) if fact.instant is not None else 0.5
    return 0.5 * proximity + 0.5 * max(0.0, fact.similarity)


def cover(found: Sequence[DatedFact], window: TimeWindow, limit: int) -> list[DatedFact]:
    """Up to ``limit`` facts: the best of each part of the window, then the second of each, and so on.

    ``found`` comes most similar first, and parts take turns in the order of their best fact.
    """
    parts: dict[int, list[DatedFact]] = defaultdict(list)
    for fact in found:
        parts[_bucket(fact, window)].append(fact)
    rounds = max((len(part) for part in parts.values()), default=0)
    turns = [part[i] for i in range(rounds) for part in parts.values() if i < len(part)]
    return turns[:limit]


def _bucket(fact: DatedFact, window: TimeWindow) -> int:
    length = window.end - window.start
    if fact.instant is None or not length:
        return 0
    share = (fact.instant - window.start) / length
    return min(BUCKETS - 1, max(0, int(share * BUCKETS)))
