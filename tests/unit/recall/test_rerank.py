"""Reranking: the blend, the order without it, and a cross-encoder that may fail."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from recalld.domain.banks import BankConfig
from recalld.domain.errors import RerankerUnavailable
from recalld.recall.document import document_text
from recalld.recall.relevance import Blend, Signals, keyword_ceiling, length_of, relevance, window_rarity
from recalld.recall.rerank import CrossEncoderStage, Reranking, passthrough, rerank
from recalld.recall.types import RecallQuery, ScoreFloors
from tests.fixtures.values import candidate, memory, plan, term, window


class Model:
    """A cross-encoder with given scores."""

    name = "model"

    def __init__(self, scores: Sequence[float] | Exception, seconds: float = 0.0) -> None:
        self.scores = scores
        self.seconds = seconds
        self.read: list[str] = []

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        self.read = list(documents)
        await asyncio.sleep(self.seconds)
        if isinstance(self.scores, Exception):
            raise self.scores
        return list(self.scores)[: len(documents)]


CANDIDATES = [
    candidate(memory(id_, text=f"fact {id_}"), similarity=s)
    for id_, s in (("a", 0.9), ("b", 0.5), ("c", 0.1))
]


def with_model(model: Model, **stage: Any) -> Reranking:
    return Reranking(cross_encoder=CrossEncoderStage(model, **stage))


def test_relevance_is_a_logistic_blend() -> None:
    blend = Blend(late_interaction=1.0, similarity=2.0, keyword=3.0, window=4.0, length=-1.0, bias=-1.0)
    one = np.ones(1, np.float32)
    (score,) = relevance(Signals(one, one, one, one, one), blend)
    assert score == pytest.approx(1 / (1 + np.exp(-8.0)))


def test_relevance_grows_with_every_signal_and_stays_a_share() -> None:
    low, high = np.zeros(1, np.float32), np.ones(1, np.float32)
    none = Signals(low, low, low, low, low)
    base = float(relevance(none)[0])
    assert float(relevance(none._replace(length=high))[0]) < base
    for name in ("late", "similarity", "keyword_share", "window"):
        assert base < float(relevance(none._replace(**{name: high}))[0]) < 1


def test_a_chunk_of_a_long_document_counts_less_up_to_a_point() -> None:
    lengths = length_of([1, 2, 16, 1000])
    assert lengths[0] == 0.0
    assert lengths[1] == pytest.approx(np.log(2))
    assert lengths[2] == lengths[3] == pytest.approx(np.log(16))


async def test_chunks_of_one_document_keep_their_order_among_each_other() -> None:
    facts = [c._replace(document_chunks=40) for c in CANDIDATES]
    short, long = await rerank(plan(), CANDIDATES), await rerank(plan(), facts)
    assert [s.relevance for s in long.scored] == sorted((s.relevance for s in long.scored), reverse=True)
    assert all(a.relevance < b.relevance for a, b in zip(long.scored, short.scored, strict=True))


def test_a_window_tells_more_the_fewer_facts_it_holds() -> None:
    day, month, everything = [True] + [False] * 98, [True] * 30 + [False] * 69, [True] * 99
    rarities = [window_rarity(inside) for inside in (day, month, everything)]
    assert rarities == sorted(rarities, reverse=True)
    assert rarities[-1] == pytest.approx(0.0, abs=0.02)
    assert window_rarity([]) == pytest.approx(np.log(2))


async def test_a_fact_of_the_asked_day_comes_before_an_equal_one_of_another() -> None:
    days = {"a": "2026-03-01", "b": "2026-05-05", "c": "2026-07-01"}
    facts = [
        candidate(memory(id_, mentioned_at=datetime.fromisoformat(day).replace(tzinfo=UTC)))
        for id_, day in days.items()
    ]
    answer = await rerank(plan(window=window("2026-05-05", "2026-05-06")), facts)
    scores = {s.memory.id: s.relevance for s in answer.scored}
    assert scores["b"] > scores["a"] == scores["c"]
    undated = await rerank(plan(), facts)
    assert len({s.relevance for s in undated.scored}) == 1


def test_the_ceiling_is_what_bm25_approaches() -> None:
    assert keyword_ceiling([term("a", 1.0), term("b", 3.0)]) == pytest.approx(8.8)


async def test_the_blend_scores_every_candidate_in_order() -> None:
    answer = await rerank(plan(), CANDIDATES)
    assert [s.memory.id for s in answer.scored] == ["a", "b", "c"]
    scores = [s.relevance for s in answer.scored]
    assert scores == sorted(scores, reverse=True)
    assert all(s.reranker == s.relevance for s in answer.scored)


@pytest.mark.parametrize(
    ("config", "serving"),
    [
        pytest.param(BankConfig(enable_reranking=False), Reranking(), id="bank"),
        pytest.param(BankConfig(), Reranking(off=True), id="server"),
    ],
)
async def test_with_reranking_off_fused_order_stands_and_no_relevance_is_shown(
    config: BankConfig, serving: Reranking
) -> None:
    answer = await rerank(plan(config=config), CANDIDATES, serving)
    assert [s.relevance for s in answer.scored] == pytest.approx([1.0, 0.55, 0.1])
    assert {s.reranker for s in answer.scored} == {None}


def test_a_single_result_without_reranking_is_fully_relevant() -> None:
    (only,) = passthrough(CANDIDATES[:1])
    assert only.relevance == 1.0


async def test_a_cross_encoder_orders_the_top_and_the_rest_follows() -> None:
    model = Model([0.2, 0.8])
    answer = await rerank(plan(), CANDIDATES, with_model(model, top=2))
    assert answer.served_by == "model"
    assert model.read == ["fact a", "fact b"]
    by_id = {s.memory.id: s.relevance for s in answer.scored}
    assert (by_id["a"], by_id["b"]) == (0.2, 0.8)
    assert by_id["c"] < 0.2


@pytest.mark.parametrize("model", [Model(RuntimeError("down")), Model([1.0] * 3, seconds=30)])
async def test_d15_a_reranker_that_is_down_leaves_the_fused_order_and_says_so(model: Model) -> None:
    answer = await rerank(plan(), CANDIDATES, with_model(model, deadline=0.05))
    assert answer.failed
    assert [s.memory.id for s in answer.scored] == ["a", "b", "c"]
    assert {s.reranker for s in answer.scored} == {None}


async def test_d15_a_required_reranker_that_is_down_is_an_error() -> None:
    with pytest.raises(RerankerUnavailable):
        await rerank(plan(), CANDIDATES, with_model(Model(RuntimeError("down")), required=True))


async def test_d15_a_floor_is_a_promise_that_a_reranker_that_is_down_breaks() -> None:
    asked = plan(RecallQuery("b", "q", floors=ScoreFloors(reranker=0.1)))
    with pytest.raises(RerankerUnavailable):
        await rerank(asked, CANDIDATES, with_model(Model(RuntimeError("down"))))


async def test_equal_texts_keep_their_own_scores() -> None:
    twins = [candidate(memory(id_, text="same")) for id_ in "ab"]
    answer = await rerank(plan(), twins, with_model(Model([0.9, 0.1])))
    assert {s.memory.id: s.relevance for s in answer.scored} == {"a": 0.9, "b": 0.1}


def test_a_cross_encoder_reads_date_context_and_text() -> None:
    fact = memory(text="one", context="ctx", occurred_start=datetime(2026, 9, 5, tzinfo=UTC))
    assert document_text(fact) == "[Date: September 05, 2026 (2026-09-05)] ctx: one"
    assert document_text(memory(text="one")) == "one"
