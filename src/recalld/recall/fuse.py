"""Fuse: reciprocal rank fusion of the rankings."""

from __future__ import annotations

from collections.abc import Sequence

from recalld.recall.types import FusedCandidate, Ranking, RetrieverName

RRF_K = 60
"""Damping of the first ranks; the value of the original paper."""


def fuse(rankings: Sequence[Ranking], per_ranking: int = 0) -> tuple[FusedCandidate, ...]:
    """Candidates by ``sum over rankings of 1 / (k + rank)``, ranks from 1, best first.

    ``per_ranking`` is how many hits of each ranking count; 0 for all. Equal scores keep the order of
    first sight: semantic, then keyword, graph, temporal. Source: Cormack, Clarke, Buettcher, "Reciprocal
    Rank Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009.
    """
    ranks: dict[str, dict[RetrieverName, int]] = {}
    scores: dict[str, dict[RetrieverName, float]] = {}
    total: dict[str, float] = {}
    for ranking in rankings:
        name = ranking.retriever
        for rank, fact in enumerate(ranking.facts[: per_ranking or None], start=1):
            ranks.setdefault(fact.id, {})[name] = rank
            scores.setdefault(fact.id, {})[name] = fact.score
            total[fact.id] = total.get(fact.id, 0.0) + 1.0 / (RRF_K + rank)
    order = sorted(total, key=total.__getitem__, reverse=True)
    return tuple(FusedCandidate(id_, total[id_], ranks[id_], scores[id_]) for id_ in order)
