"""Fuse: reciprocal rank fusion of the rankings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from recalld.recall.types import FusedCandidate, Ranking, RetrieverName

RRF_K = 60
"""Damping of the first ranks; the value of the original paper."""


def fuse(rankings: Sequence[Ranking]) -> tuple[FusedCandidate, ...]:
    """Candidates by ``sum over rankings of 1 / (k + rank)``, ranks from 1, best first.

    Equal scores keep the order of first sight: semantic, then keyword, graph, temporal.
    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and
    individual Rank Learning Methods", SIGIR 2009.
    """
    ranks: dict[UUID, dict[RetrieverName, int]] = defaultdict(dict)
    scores: dict[UUID, dict[RetrieverName, float]] = defaultdict(dict)
    for ranking in rankings:
        for rank, fact in enumerate(ranking.facts, start=1):
            ranks[fact.id][ranking.retriever] = rank
            scores[fact.id][ranking.retriever] = fact.score
    fused = [
        FusedCandidate(id_, sum(1.0 / (RRF_K + rank) for rank in by_name.values()), by_name, scores[id_])
        for id_, by_name in ranks.items()
    ]
    return tuple(sorted(fused, key=lambda candidate: -candidate.rrf_score))
