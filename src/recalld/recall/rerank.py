"""Rerank: late interaction over all candidates, then a cross-encoder over the top when there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from recalld.domain.budget import Budget
from recalld.domain.errors import RerankerUnavailable
from recalld.encoders.protocols import FloatArray
from recalld.recall.decide import DecisionStage, judge
from recalld.recall.document import document_text
from recalld.recall.failover import first_to_answer
from recalld.recall.late_interaction import late_interaction, token_weights
from recalld.recall.relevance import Signals, keyword_ceiling, length_of, relevance, window_rarity
from recalld.recall.types import (
    AsyncReranker,
    Candidate,
    QueryPlan,
    Reranked,
    RetrieverName,
    ScoredCandidate,
)

LATE_INTERACTION = "late-interaction"
PASSTHROUGH = "rrf"


@dataclass(frozen=True, slots=True)
class CrossEncoderStage:
    """The optional second stage: ``top`` candidates, or ``tops`` by budget, at most ``deadline`` seconds.

    Where the model fails, ``fallbacks`` are asked in their order, and late interaction serves after them
    if it ``falls_back_to_blend``.
    """

    model: AsyncReranker
    top: int = 48
    deadline: float = 10.0
    required: bool = False
    fallbacks: tuple[AsyncReranker, ...] = ()
    falls_back_to_blend: bool = False
    tops: Mapping[Budget, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reranking:
    """What reranks: late interaction, with a cross-encoder behind it, or a decision model in place of both.

    With ``off`` the fused order stands.
    """

    cross_encoder: CrossEncoderStage | None = None
    decision: DecisionStage | None = None
    off: bool = False

    @property
    def without_scores(self) -> str | None:
        """The name of a reranker that has no relevance in [0, 1] to put a floor on (D11)."""
        return PASSTHROUGH if self.off else "decision_model" if self.decision else None


async def rerank(
    plan: QueryPlan, candidates: Sequence[Candidate], serving: Reranking = Reranking()
) -> Reranked:
    """Score every candidate. With reranking switched off the fused order stands (``reranker`` is null)."""
    if serving.off or not plan.config.enable_reranking:
        return Reranked(passthrough(candidates), PASSTHROUGH)
    if serving.decision is not None:
        judged = await judge(plan, candidates, serving.decision)
        if judged is None:
            return Reranked(passthrough(candidates), PASSTHROUGH, failed=True)
        return Reranked(judged, serving.decision.model.name, in_order=True)
    scored = await asyncio.to_thread(blended, plan, candidates)
    if serving.cross_encoder is None or not scored:
        return Reranked(scored, LATE_INTERACTION)
    return await _cross_encode(plan, scored, serving.cross_encoder)


def blended(plan: QueryPlan, candidates: Sequence[Candidate]) -> tuple[ScoredCandidate, ...]:
    """Candidates with the calibrated blend of their signals."""
    if not candidates:
        return ()
    scores = relevance(signals_of(plan, candidates))
    return tuple(
        ScoredCandidate(candidate, relevance=float(score), reranker=float(score))
        for candidate, score in zip(candidates, scores, strict=True)
    )


def signals_of(plan: QueryPlan, candidates: Sequence[Candidate]) -> Signals:
    """What the blend reads of the candidates, aligned with them."""
    weights = token_weights(plan.embedding.spans, plan.terms)
    ceiling = keyword_ceiling(plan.terms) or 1.0
    return Signals(
        late_interaction(plan.embedding.tokens, weights, [c.token_vectors for c in candidates]),
        np.array([c.similarity for c in candidates], dtype=np.float32),
        np.array([c.bm25 / ceiling for c in candidates], dtype=np.float32),
        _window_evidence(plan, candidates),
        length_of([c.document_chunks for c in candidates]),
    )


def _window_evidence(plan: QueryPlan, candidates: Sequence[Candidate]) -> FloatArray:
    """The rarity of the query's window for candidates dated in it.

    Those that only the temporal retriever found are not counted: it looks nowhere else.
    """
    window = plan.window
    if window is None:
        return np.zeros(len(candidates), np.float32)
    inside = [c.memory.dated_in(window) for c in candidates]
    by_date_alone = {RetrieverName.TEMPORAL}
    counted = [i for c, i in zip(candidates, inside, strict=True) if c.fused.ranks.keys() != by_date_alone]
    return np.array(inside, dtype=np.float32) * np.float32(window_rarity(counted))


def passthrough(candidates: Sequence[Candidate]) -> tuple[ScoredCandidate, ...]:
    """Candidates in fused order with a relevance that falls evenly from 1.0 to 0.1."""
    steps = max(1, len(candidates) - 1)
    return tuple(
        ScoredCandidate(candidate, relevance=1.0 - 0.9 * i / steps, reranker=None)
        for i, candidate in enumerate(candidates)
    )


async def _cross_encode(
    plan: QueryPlan, scored: tuple[ScoredCandidate, ...], stage: CrossEncoderStage
) -> Reranked:
    ranked = sorted(scored, key=lambda s: (-s.relevance, s.memory.id))
    count = stage.tops.get(plan.query.budget, stage.top)
    top, rest = ranked[:count], ranked[count:]
    texts = [document_text(s.memory) for s in top]
    try:
        served = await first_to_answer((stage.model, *stage.fallbacks), plan.text, texts, stage.deadline)
    except Exception as error:
        if stage.falls_back_to_blend:
            return Reranked(scored, LATE_INTERACTION)
        if stage.required or plan.query.floors.reranker is not None:
            message = "The reranker is not available, and this request depends on its scores."
            raise RerankerUnavailable(message, retry_after=5) from error
        return Reranked(passthrough([s.candidate for s in scored]), PASSTHROUGH, failed=True)
    # The rest keeps its order below the weakest reranked candidate.
    floor = min(served.scores, default=1.0)
    merged = [
        s._replace(relevance=score, reranker=score) for s, score in zip(top, served.scores, strict=True)
    ]
    merged += [s._replace(relevance=s.relevance * floor, reranker=s.relevance * floor) for s in rest]
    return Reranked(tuple(merged), served.by)
