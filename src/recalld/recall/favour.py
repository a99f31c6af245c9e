"""Favoured retrievers: what they found comes sooner to the reranker, and a little higher after it. Pure."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recalld.recall.fuse import RRF_K
from recalld.recall.types import FusedCandidate, RetrieverName

logger = logging.getLogger(__name__)


class Favour(NamedTuple):
    """How far a retriever is favoured: ``bump`` at its first rank, half of that ``depth`` ranks on."""

    depth: int
    bump: float


LEVELS = {"low": Favour(2, 0.05), "medium": Favour(4, 0.2), "high": Favour(8, 0.5)}
_ALIASES = {"bm25": RetrieverName.KEYWORD, **{str(name): name for name in RetrieverName}}


def read_favours(text: str) -> dict[RetrieverName, Favour]:
    """``retriever[:level]`` between commas; an entry that means nothing is left out with a warning."""
    favours: dict[RetrieverName, Favour] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, level = (part.strip().lower() for part in entry.partition(":"))
        if name in _ALIASES and (level or "medium") in LEVELS:
            favours[_ALIASES[name]] = LEVELS[level or "medium"]
        else:
            logger.warning("strategy boost %r is not understood and left out", entry)
    return favours


def cut(
    fused: Sequence[FusedCandidate], limit: int, favours: Mapping[RetrieverName, Favour]
) -> Sequence[FusedCandidate]:
    """At most ``limit`` candidates.

    Only where there are more do favoured retrievers change the order: their term of the fused score
    becomes ``1 / (k + rank / depth)``.
    """
    if len(fused) <= limit:
        return fused
    if not favours:
        return fused[:limit]
    return sorted(fused, key=lambda one: _favoured_score(one, favours), reverse=True)[:limit]


def bump_of(ranks: Mapping[RetrieverName, int], favours: Mapping[RetrieverName, Favour]) -> float:
    """What is added to a reranked score: ``bump * depth / (depth + rank - 1)`` per favoured retriever.

    For the temporal retriever the bump is the same at every rank: its order is by date, not by fit.
    """
    return sum(
        favour.bump
        * (1.0 if name is RetrieverName.TEMPORAL else favour.depth / (favour.depth + ranks[name] - 1))
        for name, favour in favours.items()
        if name in ranks
    )


def _favoured_score(one: FusedCandidate, favours: Mapping[RetrieverName, Favour]) -> float:
    return sum(
        1.0 / (RRF_K + rank / (favours[name].depth if name in favours else 1))
        for name, rank in one.ranks.items()
    )
