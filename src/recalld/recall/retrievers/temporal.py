"""Temporal retriever: facts whose own dates fall in the asked time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.memory import RankedFact
from recalld.domain.time import TimeWindow
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import Database
from recalld.store.queries.temporal import DatedFact, WindowSearch, facts_in_window, linked_facts

BUCKETS = 8
MIN_ENTRIES = 10
"""Facts of the window that count at least; deeper searches take a fifth of their depth."""


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
        """Facts in the window, and what is linked to them, best first."""
        if plan.window is None:
            return Ranking(self.name, ())
        search = WindowSearch(plan.embedding.vector, plan.window, plan.depth, self.min_similarity)
        async with self.database.read() as connection:
            found = await facts_in_window(connection, plan.facts, search)
            entries = cover(found, plan.window, max(MIN_ENTRIES, plan.depth // 5))
            scores = {fact.id: score(fact, plan.window) for fact in entries}
            linked = await linked_facts(connection, plan.facts, search, scores) if scores else []
        facts = [RankedFact(fact.id, fact.fact_type, scores[fact.id]) for fact in entries]
        facts += [RankedFact(fact.id, fact.fact_type, path) for fact, path in linked]
        facts.sort(key=lambda fact: (-fact.score, fact.id))
        return Ranking(self.name, tuple(facts[: plan.depth]))


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
