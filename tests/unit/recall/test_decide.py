"""The decision stage: what is asked, what the answers do, and what happens without them (D18)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from recalld.domain.banks import BankConfig
from recalld.domain.errors import RerankerUnavailable
from recalld.encoders.protocols import EncoderFailed, Question
from recalld.encoders.token_counter import O200kTokenCounter
from recalld.recall.decide import DecisionStage, dedup, judge, most_alike_above
from recalld.recall.rerank import Reranking, rerank
from recalld.recall.types import RecallQuery, ScoredCandidate
from tests.fixtures.values import candidate, memory, plan, scored

WANTED = plan(RecallQuery("b", "q", dedup=True))


class Decisions:
    """Answers by what the memory in a question says."""

    name = "decisions"

    def __init__(self, answers: Mapping[str, float | None] | Exception, seconds: float = 0.0) -> None:
        self.answers = answers
        self.seconds = seconds
        self.state = ""
        self.asked: list[Question] = []

    async def likelihoods(self, state: str, questions: Sequence[Question]) -> list[float | None]:
        self.state, self.asked = state, list(questions)
        await asyncio.sleep(self.seconds)
        if isinstance(self.answers, Exception):
            raise self.answers
        return [self.answers[question.parts["memory"]] for question in questions]


def stage(answers: Any, **limits: Any) -> DecisionStage:
    model = answers if isinstance(answers, Decisions) else Decisions(answers)
    return DecisionStage(model, O200kTokenCounter(), **limits)


def judged(*texts: str) -> list[ScoredCandidate]:
    return [scored(memory(text, text=text), helps=0.9) for text in texts]


CANDIDATES = [candidate(memory(id_, text=id_)) for id_ in "abcd"]


async def test_the_likeliest_to_help_come_first_and_ties_keep_their_order() -> None:
    answer = await judge(plan(), CANDIDATES, stage({"a": 0.1, "b": 0.9, "c": 0.1, "d": 0.9}))
    assert answer is not None
    assert [one.memory.id for one in answer] == ["b", "d", "a", "c"]
    assert [one.relevance for one in answer] == [1.0, 0.75, 0.5, 0.25]
    assert {one.reranker for one in answer} == {None}


async def test_issue_5715_an_unanswered_question_is_never_a_no() -> None:
    answer = await judge(plan(), CANDIDATES, stage({"a": 0.4, "b": None, "c": 0.6, "d": 0.0}))
    assert answer is not None
    assert [one.memory.id for one in answer] == ["c", "b", "a", "d"]
    assert answer[1].helps == 0.5


async def test_the_state_holds_date_question_and_a_context_all_share() -> None:
    model = Decisions({"a": 1.0, "b": 1.0})
    shared = [candidate(memory(id_, text=id_, context="standup")) for id_ in "ab"]
    await judge(plan(), shared, stage(model))
    assert model.state.splitlines() == ["Current date: 2026-09-16", "standup", "Question: a question"]
    assert [question.parts["memory"] for question in model.asked] == ["a", "b"]


async def test_contexts_that_differ_stay_with_their_memories() -> None:
    model = Decisions({"standup: a": 1.0, "b": 1.0})
    await judge(plan(), [candidate(memory("a", text="a", context="standup")), CANDIDATES[1]], stage(model))
    assert model.state.splitlines() == ["Current date: 2026-09-16", "Question: a question"]


async def test_each_text_is_cut_to_a_quarter_of_a_request() -> None:
    model = Decisions({("word " * 250).strip(): 1.0})
    await judge(
        plan(text="word " * 3000),
        [candidate(memory("a", text="word " * 3000))],
        stage(model, request_tokens=1000),
    )
    assert O200kTokenCounter().count(model.state) < 270


@pytest.mark.parametrize("model", [Decisions(EncoderFailed("down")), Decisions({}, seconds=30)])
async def test_d18_a_model_that_is_down_leaves_the_fused_order_and_says_so(model: Decisions) -> None:
    answer = await rerank(plan(), CANDIDATES, Reranking(decision=stage(model, deadline=0.05)))
    assert answer.failed
    assert [one.memory.id for one in answer.scored] == list("abcd")
    with pytest.raises(RerankerUnavailable):
        await judge(plan(), CANDIDATES, stage(model, deadline=0.05, required=True))


async def test_d18_a_repeat_of_a_better_ranked_result_is_dropped() -> None:
    distinct = await dedup(WANTED, judged("a", "b", "c"), stage({"b": 0.9, "c": 0.2}))
    assert [one.memory.id for one in distinct.kept] == ["a", "c"]


async def test_d18_without_an_answer_a_result_stays() -> None:
    distinct = await dedup(WANTED, judged("a", "b"), stage({"b": None}))
    assert [one.memory.id for one in distinct.kept] == ["a", "b"]


async def test_d18_when_the_request_fails_everything_stays_and_it_is_marked() -> None:
    distinct = await dedup(WANTED, judged("a", "b"), stage(EncoderFailed("down")))
    assert distinct.failed
    assert [one.memory.id for one in distinct.kept] == ["a", "b"]


async def test_d18_the_banks_setting_decides_where_the_request_is_silent() -> None:
    config = BankConfig(recall_decision_model_dedup=True)
    for asked, expected in ((None, ["a"]), (False, ["a", "b"])):
        wanted = plan(RecallQuery("b", "q", dedup=asked), config=config)
        distinct = await dedup(wanted, judged("a", "b"), stage({"b": 1.0}))
        assert [one.memory.id for one in distinct.kept] == expected


async def test_d18_no_effect_without_a_decision_model() -> None:
    facts = [scored(memory("a")), scored(memory("b"))]
    assert (await dedup(WANTED, facts, None)).kept == facts
    assert (await dedup(WANTED, facts, stage(EncoderFailed("not to be asked")))).kept == facts


def test_each_result_is_compared_with_those_above_that_are_most_like_it() -> None:
    axes = np.eye(4, dtype=np.int8) * 127
    vectors = [axes[[0]], axes[[1]], axes[[2]], axes[[3]], axes[[3, 1]], np.zeros((0, 4), np.int8)]
    above = most_alike_above(vectors)
    assert above[0] == []
    assert {1, 3} < set(above[4])
    assert all(len(places) <= 3 and all(place < i for place in places) for i, places in enumerate(above))
