"""Retrievers under a deadline: one that fails is named, all that fail are an error."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from recalld.domain.errors import DeadlineExceeded, Overloaded
from recalld.recall.retrieve import retrieve
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from tests.fixtures.values import plan, ranking


@dataclass(frozen=True)
class Fake:
    """A retriever that answers, fails or sleeps."""

    name: RetrieverName
    failure: Exception | None = None
    seconds: float = 0.0
    asked: bool = True

    def applies(self, plan: QueryPlan) -> bool:
        return self.asked

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        await asyncio.sleep(self.seconds)
        if self.failure is not None:
            raise self.failure
        return ranking(self.name, "ab")


GOOD = Fake(RetrieverName.KEYWORD)


@pytest.mark.parametrize(
    "bad",
    [
        Fake(RetrieverName.GRAPH, Overloaded("no connection")),
        Fake(RetrieverName.GRAPH, DeadlineExceeded("slow")),
        Fake(RetrieverName.GRAPH, seconds=30),
    ],
)
async def test_d15_one_that_fails_is_named_and_the_others_answer(bad: Fake) -> None:
    found = await retrieve([GOOD, bad], plan(), deadline=0.1)
    assert [answer.retriever for answer in found.rankings] == [RetrieverName.KEYWORD]
    assert found.failed == (RetrieverName.GRAPH,)


async def test_d9_when_all_fail_the_recall_does() -> None:
    with pytest.raises(DeadlineExceeded):
        await retrieve([Fake(RetrieverName.SEMANTIC, seconds=30)], plan(), deadline=0.05)


async def test_one_that_does_not_apply_is_neither_asked_nor_missed() -> None:
    idle = Fake(RetrieverName.TEMPORAL, RuntimeError("must not be asked"), asked=False)
    found = await retrieve([GOOD, idle], plan(), deadline=1)
    assert found.failed == ()


async def test_a_bug_is_not_mistaken_for_a_slow_retriever() -> None:
    with pytest.raises(ZeroDivisionError):
        await retrieve([GOOD, Fake(RetrieverName.GRAPH, ZeroDivisionError())], plan(), deadline=1)


async def test_they_run_at_once() -> None:
    slow = [Fake(name, seconds=0.2) for name in RetrieverName]
    async with asyncio.timeout(0.6):
        found = await retrieve(slow, plan(), deadline=1)
    assert [answer.retriever for answer in found.rankings] == list(RetrieverName)
