"""Boost: recency, closeness to the asked time and proof count nudge the relevance."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from recalld.domain.memory import Memory
from recalld.domain.time import TimeWindow
from recalld.recall.favour import Favour, bump_of
from recalld.recall.types import QueryPlan, Reranked, RetrieverName, ScoredCandidate

NEUTRAL = 0.5
_DAY = timedelta(days=1)


Decay = Callable[[float], float]
"""From an age in days to a recency in [0, 1]."""


def linear_decay(days: float) -> Decay:
    """1 for today, falling in a line to 0.1 over ``days``."""
    return lambda age: min(1.0, max(0.1, 1.0 - age / days))


def exponential_decay(half_life: float) -> Decay:
    """1 for today, half of it after ``half_life`` days, and so on."""
    return lambda age: 0.5 ** (max(age, 0.0) / half_life)


def no_decay(_: float) -> float:
    """Neutral at every age."""
    return NEUTRAL


@dataclass(frozen=True, slots=True)
class BoostWeights:
    """How far each boost may move a relevance: 0.2 means plus or minus 10 %.

    ``decay`` is how facts age; ``favours`` are retrievers whose finds get a bump on top.
    """

    recency: float = 0.2
    temporal: float = 0.2
    proof: float = 0.1
    decay: Decay = field(default_factory=lambda: linear_decay(365.0))
    favours: Mapping[RetrieverName, Favour] = field(default_factory=dict)


def boost(
    plan: QueryPlan, reranked: Reranked, weights: BoostWeights = BoostWeights()
) -> tuple[ScoredCandidate, ...]:
    """Candidates with ``final`` set, best first, ties by id (D14). A decision model's order stands."""
    boosted = [_boosted(plan, one, weights) for one in reranked.scored]
    if reranked.in_order:
        return tuple(one._replace(final=one.relevance) for one in boosted)
    return tuple(sorted(boosted, key=lambda one: (-one.final, one.memory.id)))


def _boosted(plan: QueryPlan, scored: ScoredCandidate, weights: BoostWeights) -> ScoredCandidate:
    replaying = plan.query.anchor is not None
    recency = recency_of(scored.memory, plan.now, weights.decay, future_is_neutral=replaying)
    proximity = proximity_of(scored.memory, plan.window)
    proof = proof_of(scored.memory.proof_count)
    final = (
        scored.relevance
        * (1 + weights.recency * (recency - NEUTRAL))
        * (1 + weights.temporal * (proximity - NEUTRAL))
        * (1 + weights.proof * (proof - NEUTRAL))
    )
    if scored.reranker is not None and weights.favours:
        final += bump_of(scored.candidate.fused.ranks, weights.favours)
    return ScoredCandidate(
        scored.candidate, scored.relevance, scored.reranker, recency, proximity, proof, final, scored.helps
    )


def recency_of(memory: Memory, now: datetime, decay: Decay, *, future_is_neutral: bool) -> float:
    """``decay`` of the fact's age; 0.5 when undated.

    A fact dated after a replayed ``now`` is neutral (D19). A fact that spans a whole month or year
    ages from its end and is never better than neutral, since its day is unknown.
    """
    happened = memory.happened_at
    if happened is None:
        return NEUTRAL
    coarse = is_coarse(memory.occurred_start, memory.occurred_end)
    if coarse and memory.occurred_end is not None:
        happened = memory.occurred_end
    age = (now - happened) / _DAY
    if age < 0 and future_is_neutral:
        return NEUTRAL
    recency = decay(age)
    return min(recency, NEUTRAL) if coarse else recency


def is_coarse(start: datetime | None, end: datetime | None) -> bool:
    """Whether a range is a calendar month or year in length, up to a day short."""
    if start is None or end is None or end <= start:
        return False
    days = (end - start) / _DAY
    month = calendar.monthrange(start.year, start.month)[1]
    year = 366 if calendar.isleap(start.year) else 365
    return any(period - 1 <= days <= period for period in (month, year))


def proximity_of(memory: Memory, window: TimeWindow | None) -> float:
    """Closeness to the centre of the window for a fact whose dates fall in it (D10), else neutral."""
    if window is None or memory.instant is None or not memory.dated_in(window):
        return NEUTRAL
    return max(NEUTRAL, window.proximity(memory.instant))


def proof_of(count: int) -> float:
    """0.5 for one proof, growing with the logarithm of the count up to 1."""
    return min(1.0, max(0.0, NEUTRAL + math.log(count) / 10)) if count >= 1 else NEUTRAL
