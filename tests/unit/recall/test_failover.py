"""Rerankers asked one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from recalld.domain.budget import Budget
from recalld.domain.errors import RerankerUnavailable
from recalld.encoders.protocols import EncoderFailed
from recalld.recall.failover import first_to_answer
from recalld.recall.rerank import CrossEncoderStage, Reranking, rerank
from recalld.recall.types import RecallQuery, ScoreFloors
from tests.fixtures.values import candidate, memory, plan


class Model:
    """A reranker with given scores, or a failure."""

    def __init__(self, name: str, scores: Sequence[float] | Exception, seconds: float = 0.0) -> None:
        self.name = name
        self.scores = scores
        self.seconds = seconds
        self.asked = 0

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        self.asked += 1
        await asyncio.sleep(self.seconds)
        if isinstance(self.scores, Exception):
            raise self.scores
        return list(self.scores)


DOWN = EncoderFailed("down")
CANDIDATES = [candidate(memory(id_, text=f"fact {id_}"), similarity=s) for id_, s in (("a", 0.9), ("b", 0.5))]


async def test_the_first_that_answers_serves_and_those_behind_it_are_not_asked() -> None:
    models = [Model("one", [0.1, 0.2]), Model("two", [0.3, 0.4])]
    assert await first_to_answer(models, "q", ["a", "b"], 5) == ("one", [0.1, 0.2])
    assert models[1].asked == 0


@pytest.mark.parametrize("first", [DOWN, RuntimeError("broken"), [0.1], [0.1, 0.2, 0.3], []], ids=repr)
async def test_issue_3168_a_failure_or_a_wrong_count_is_the_next_ones_turn(
    first: Sequence[float] | Exception,
) -> None:
    models = [Model("one", first), Model("two", [0.3, 0.4])]
    assert await first_to_answer(models, "q", ["a", "b"], 5) == ("two", [0.3, 0.4])


async def test_a_model_that_hangs_leaves_time_for_the_next() -> None:
    models = [Model("one", [0.1], seconds=60), Model("two", [0.3])]
    start = time.monotonic()
    assert (await first_to_answer(models, "q", ["a"], 0.4)).by == "two"
    assert time.monotonic() - start < 0.39


async def test_when_all_fail_the_last_failure_is_told() -> None:
    with pytest.raises(EncoderFailed, match="down"):
        await first_to_answer([Model("one", RuntimeError("broken")), Model("two", DOWN)], "q", ["a"], 5)
    with pytest.raises(EncoderFailed, match="2 scores for 1"):
        await first_to_answer([Model("one", [0.1, 0.2])], "q", ["a"], 5)


async def test_a_cancelled_recall_asks_nobody_else() -> None:
    models = [Model("one", [0.1], seconds=60), Model("two", [0.3])]
    task = asyncio.ensure_future(first_to_answer(models, "q", ["a"], 60))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert models[1].asked == 0


async def test_the_answer_names_the_fallback_that_served() -> None:
    stage = CrossEncoderStage(Model("one", DOWN), fallbacks=(Model("two", [0.2, 0.8]),), required=True)
    answer = await rerank(plan(), CANDIDATES, Reranking(cross_encoder=stage))
    assert (answer.served_by, answer.failed) == ("two", False)
    assert {s.memory.id: s.relevance for s in answer.scored} == {"a": 0.2, "b": 0.8}


async def test_late_interaction_may_be_the_last_and_keeps_floors() -> None:
    stage = CrossEncoderStage(Model("one", DOWN), required=True, falls_back_to_blend=True)
    asked = plan(RecallQuery("b", "q", floors=ScoreFloors(reranker=0.1)))
    answer = await rerank(asked, CANDIDATES, Reranking(cross_encoder=stage))
    assert answer.served_by == "late-interaction"
    assert all(s.reranker is not None for s in answer.scored)


async def test_a_wrong_count_of_the_only_reranker_leaves_the_fused_order() -> None:
    stage = CrossEncoderStage(Model("one", [0.5]))
    answer = await rerank(plan(), CANDIDATES, Reranking(cross_encoder=stage))
    assert answer.failed
    required = Reranking(cross_encoder=CrossEncoderStage(Model("one", [0.5]), required=True))
    with pytest.raises(RerankerUnavailable):
        await rerank(plan(), CANDIDATES, required)


@pytest.mark.parametrize(("budget", "read"), [(Budget.LOW, 1), (Budget.MID, 2)])
async def test_a_budget_may_have_its_own_top(budget: Budget, read: int) -> None:
    model = Model("one", [0.5] * read)
    stage = CrossEncoderStage(model, tops={Budget.LOW: 1})
    asked = plan(RecallQuery("b", "q", budget=budget))
    assert not (await rerank(asked, CANDIDATES, Reranking(cross_encoder=stage))).failed
