"""Decide: a decision model judges which facts help, and which only repeat one ranked above them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recalld.domain.errors import RerankerUnavailable
from recalld.encoders.protocols import (
    ByteArray,
    DecisionModel,
    EncoderFailed,
    FloatArray,
    Question,
    TokenCounter,
)
from recalld.recall.document import document_text
from recalld.recall.types import Candidate, QueryPlan, ScoredCandidate

logger = logging.getLogger(__name__)

UNDECIDED = 0.5
"""Stands for a question that came back without an answer, and is the least likelihood that counts as yes."""

HELPS = (
    "Decide whether showing this memory to an assistant that is about to answer the question would help it, "
    "rather than distract it. Say yes if the memory holds, or leads to, something the answer needs."
)
REPEATS = (
    "Decide whether the memory only repeats what the earlier memories already say, so that whoever has read "
    "those learns nothing from it. A differing name, date, number or detail is not a repetition."
)
_QUERY_TOKENS = 2000
_TEXT_TOKENS = 4000
_EARLIER = 3


@dataclass(frozen=True, slots=True)
class DecisionStage:
    """The model and its limits: tokens of one request, seconds for all requests of a stage."""

    model: DecisionModel
    tokens: TokenCounter
    request_tokens: int = 26_000
    deadline: float = 10.0
    required: bool = False

    def cut(self, text: str, tokens: int) -> str:
        """The text within ``tokens``, and within a quarter of a request."""
        limit = min(tokens, self.request_tokens // 4)
        return text if len(text) <= limit else self.tokens.truncate(text, limit)

    async def ask(self, state: str, questions: Sequence[Question]) -> list[float | None]:
        """Likelihoods of yes; raises ``EncoderFailed`` or ``TimeoutError``."""
        if not questions:
            return []
        async with asyncio.timeout(self.deadline):
            return await self.model.likelihoods(state, questions)


async def judge(
    plan: QueryPlan, candidates: Sequence[Candidate], stage: DecisionStage
) -> tuple[ScoredCandidate, ...] | None:
    """Candidates by how likely they help, with a relevance that falls evenly with the rank.

    ``None`` when the model did not answer, unless it is required: then ``RerankerUnavailable``.
    """
    shared = _shared_context(candidates)
    state = _state(plan, stage, shared)
    questions = [
        Question(HELPS, {"memory": stage.cut(document_text(c.memory, context=not shared), _TEXT_TOKENS)})
        for c in candidates
    ]
    try:
        answers = await stage.ask(state, questions)
    except (EncoderFailed, TimeoutError) as error:
        logger.warning("decision model %s failed: %r", stage.model.name, error)
        if stage.required:
            message = "The reranker is not available, and this server requires it."
            raise RerankerUnavailable(message, retry_after=5) from error
        return None
    return _ranked(candidates, [UNDECIDED if answer is None else answer for answer in answers])


@dataclass(frozen=True, slots=True)
class Distinct:
    """Candidates without repeats; all of them when the model ``failed``."""

    kept: Sequence[ScoredCandidate]
    failed: bool = False


async def dedup(plan: QueryPlan, ranked: Sequence[ScoredCandidate], stage: DecisionStage | None) -> Distinct:
    """Drop candidates that repeat a better-ranked one, where the caller wants that (D18).

    Each is compared with the few above it that are most like it. No effect without a decision model,
    or where it has just failed to rank.
    """
    wanted = plan.config.recall_decision_model_dedup if plan.query.dedup is None else plan.query.dedup
    judged = [scored for scored in ranked if scored.helps is not None]
    if stage is None or not wanted or not judged:
        return Distinct(ranked)
    earlier = most_alike_above([s.candidate.token_vectors for s in judged])
    texts = [stage.cut(document_text(s.memory), _TEXT_TOKENS // (1 + _EARLIER)) for s in judged]
    questions = [
        Question(REPEATS, {"memory": texts[i], "earlier": "\n\n".join(texts[j] for j in earlier[i])})
        for i in range(1, len(judged))
    ]
    try:
        answers = await stage.ask(_state(plan, stage, None), questions)
    except (EncoderFailed, TimeoutError) as error:
        logger.warning("decision model %s failed to find repeats: %r", stage.model.name, error)
        return Distinct(ranked, failed=True)
    verdicts = zip(judged[1:], answers, strict=True)
    fresh = [scored for scored, answer in verdicts if answer is None or answer < UNDECIDED]
    return Distinct([*judged[:1], *fresh])


def most_alike_above(token_vectors: Sequence[ByteArray]) -> list[list[int]]:
    """For each place the places above it whose mean token vectors are nearest, in rank order."""
    if not token_vectors:
        return []
    width = max(vectors.shape[1] for vectors in token_vectors)
    means: FloatArray = np.zeros((len(token_vectors), width), np.float32)
    for i, vectors in enumerate(token_vectors):
        if len(vectors):
            mean = vectors.mean(axis=0, dtype=np.float32)
            means[i, : len(mean)] = mean / (np.linalg.norm(mean) or 1.0)
    alike = means @ means.T
    return [
        sorted(np.argsort(-alike[i, :i], kind="stable")[:_EARLIER].tolist())
        for i in range(len(token_vectors))
    ]


def _ranked(candidates: Sequence[Candidate], answers: Sequence[float]) -> tuple[ScoredCandidate, ...]:
    order = sorted(range(len(candidates)), key=lambda i: -answers[i])
    count = len(candidates)
    return tuple(
        ScoredCandidate(candidates[i], (count - place) / count, None, helps=answers[i])
        for place, i in enumerate(order)
    )


def _shared_context(candidates: Sequence[Candidate]) -> str | None:
    contexts = {candidate.memory.context for candidate in candidates}
    return contexts.pop() if len(contexts) == 1 else None


def _state(plan: QueryPlan, stage: DecisionStage, context: str | None) -> str:
    lines = [f"Current date: {plan.now:%Y-%m-%d}"]
    if context:
        lines.append(stage.cut(context, _TEXT_TOKENS))
    return "\n".join([*lines, f"Question: {stage.cut(plan.text, _QUERY_TOKENS)}"])
