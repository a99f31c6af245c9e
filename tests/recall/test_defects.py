"""Defects of the reference server, F1 to F27, each with the behaviour that is right.

Some are tested where their part is: ``test_register.py`` knows all of them.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
import pytest
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pydantic import ValidationError

from recalld.api.app import create_app
from recalld.api.hindsight.convert import fact_types
from recalld.api.hindsight.schemas.recall import RecallRequest
from recalld.bootstrap import Application
from recalld.domain.errors import DeadlineExceeded, Overloaded
from recalld.encoders.protocols import Question
from recalld.encoders.rerankers.scores import from_logits
from recalld.recall.boost import boost
from recalld.recall.decide import DecisionStage
from recalld.recall.rerank import Reranking
from recalld.recall.types import FusedCandidate, Reranked, RetrieverName
from recalld.store.engine import Database, PoolLimits
from tests.fixtures.bank import TestBank
from tests.fixtures.facts import add_fact, add_link
from tests.fixtures.stalls import locked, on_own_pool
from tests.fixtures.traces import listed
from tests.fixtures.values import candidate, memory, plan, scored, window
from tests.fixtures.variants import client_of

Json = dict[str, Any]
Ranks = dict[RetrieverName, int]

SPAN = {"start": "2026-09-01T00:00:00Z", "end": "2026-09-09T00:00:00Z"}
MIDDLE = datetime(2026, 9, 5, tzinfo=UTC)
LATER = datetime(2026, 9, 20, tzinfo=UTC)
ORDER = ["world", "experience", "observation"]
RANKS = st.dictionaries(st.sampled_from(list(RetrieverName)), st.integers(1, 300), min_size=1)


@given(RANKS)
def test_f1_the_boost_of_a_window_does_not_depend_on_who_found_the_fact(ranks: Ranks) -> None:
    fact = memory(occurred_start=MIDDLE)

    def boosted(found_by: Ranks) -> tuple[float, float]:
        fused = FusedCandidate(fact.id, 0.01, found_by, dict.fromkeys(found_by, 0.5))
        one = scored(fact, candidate=candidate(fact, fused=fused))
        (answer,) = boost(plan(window=window("2026-09-01", "2026-09-09")), Reranked((one,), "a model"))
        return answer.proximity, answer.final

    assert boosted(ranks) == boosted({RetrieverName.TEMPORAL: 1})
    assert boosted(ranks)[0] == 1.0


async def test_f1_a_fact_that_its_words_find_too_keeps_its_boost(bank: TestBank) -> None:
    await bank.retain({"content": "met Bob at the lake", "timestamp": "2026-09-05T00:00:00Z"})
    for asked, proximity in ((SPAN, 1.0), (None, 0.5)):
        answer = await bank.recall("met Bob", temporal_window=asked, trace=True)
        (fact,) = answer["trace"]["final_results"]
        assert (fact["semantic_rank"], fact["bm25_rank"], fact["temporal"]) == (1, 1, proximity)


@pytest.mark.parametrize("table", ["banks", "memory_units", "memory_token_vectors", "entities", "chunks"])
async def test_f4_a_database_that_takes_too_long_is_504_at_every_stage(
    app: Application, bank: TestBank, database_url: str, table: str
) -> None:
    await bank.retain({"content": "a teapot", "entities": [{"text": "Ada"}]})
    async with on_own_pool(app, database_url, PoolLimits(12, statement=0.3)) as (hasty, _):
        web = create_app(running=hasty)
        async with web.router.lifespan_context(web), client_of(web) as client, locked(database_url, table):
            response = await TestBank(client, bank.bank_id).post_recall("teapot", include={"chunks": {}})
    assert response.status_code == 504
    assert isinstance(response.json()["detail"], str)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT pg_sleep(5)", DeadlineExceeded),
        ("SELECT pg_terminate_backend(pg_backend_pid())", Overloaded),
    ],
)
async def test_f4_failures_of_the_database_are_told_apart_by_their_cause(
    database_url: str, query: str, expected: type[Exception]
) -> None:
    database = Database(database_url, PoolLimits(8, statement=0.2))
    await database.open()
    try:
        with pytest.raises(expected) as failure:
            async with database.read() as connection:
                await connection.execute(query.encode())
    finally:
        await database.close()
    assert isinstance(failure.value.__cause__, psycopg.Error)


@pytest.mark.parametrize("seed", ["0", "1", "7"])
def test_f5_the_order_of_types_is_the_same_in_every_process(seed: str) -> None:
    code = (
        "from recalld.api.hindsight.convert import fact_types;"
        "print(*fact_types(None), *fact_types(['observation', 'world']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.split() == [*ORDER, "world", "observation"]


@given(st.lists(st.sampled_from([*ORDER, "opinion"]), min_size=1))
def test_f6_types_are_taken_once_and_in_order(names: list[str]) -> None:
    assert [str(one) for one in fact_types(names)] == [one for one in ORDER if one in names]


async def test_f6_a_type_named_twice_changes_no_rank(bank: TestBank) -> None:
    await bank.retain("one teapot", "another teapot", "a violin")
    once, twice = [
        await bank.recall("teapot", types=types, query_timestamp="2030-01-01", trace=True)
        for types in (["world"], ["world", "world"])
    ]
    for answer in (once, twice):
        del answer["trace"]["summary"]
    assert once == twice
    assert len({one["node_id"] for one in once["trace"]["rrf_merged"]}) == len(once["trace"]["rrf_merged"])


async def test_f7_a_floor_on_relevance_is_refused_by_a_server_that_keeps_fused_order(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("one teapot", "another teapot")
    off = Reranking(off=True)
    planner = replace(app.recall.planner, without_scores=off.without_scores)
    web = create_app(running=replace(app, recall=replace(app.recall, planner=planner, reranking=off)))
    async with web.router.lifespan_context(web), client_of(web) as client:
        asking = TestBank(client, bank.bank_id)
        refused = await asking.post_recall("teapot", min_scores={"reranker": 0.0})
        found = await asking.results("teapot")
    assert refused.status_code == 400
    assert "'rrf'" in refused.json()["detail"]
    assert [fact["scores"]["reranker"] for fact in found] == [None, None]


@examples(max_examples=60)
@given(st.lists(st.sampled_from(["and", "or", "not"]), max_size=50), st.integers(1, 300))
@example(["not"] * 30, 256)
@example(["not"] * 31, 256)
@example(["and"] * 30, 257)
def test_f8_deep_and_wide_tag_groups_are_refused_before_they_are_parsed(wraps: list[str], wide: int) -> None:
    node: Json = {"or": [{"tags": ["a"]}] * wide}
    for wrap in wraps:
        node = {wrap: node if wrap == "not" else [node]}
    body = {"query": "x", "tag_groups": [node]}
    if len(wraps) + 2 <= 32 and wide <= 256:
        assert RecallRequest.model_validate(body).tag_groups
        return
    with pytest.raises(ValidationError) as refusal:
        RecallRequest.model_validate(body)
    assert refusal.value.error_count() == 1


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", '"nan"'])
@pytest.mark.parametrize("floor", ["semantic", "keyword", "reranker", "final"])
async def test_f11_a_floor_that_is_no_number_is_422(bank: TestBank, floor: str, value: str) -> None:
    body = f'{{"query": "x", "min_scores": {{"{floor}": {value}}}}}'
    headers = {"content-type": "application/json"}
    response = await bank.client.post(f"{bank.path}/memories/recall", content=body, headers=headers)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][:4] == ["body", "min_scores", floor]


Score = Callable[[Sequence[float]], list[float]]


@pytest.fixture(scope="module")
def normalised() -> Score:
    """Relevances of a cross-encoder whose logits are given."""
    return lambda logits: from_logits(logits, "a model")


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(math.nan)), min_size=1))
@example([math.nan, 0.4, 0.9])
@example([0.2, 0.8])
def test_f12_a_relevance_does_not_depend_on_the_rest_of_its_batch(
    normalised: Score, logits: list[float]
) -> None:
    together = normalised(logits)
    assert together == [normalised([logit])[0] for logit in logits]
    assert all(0 <= one <= 1 for one in together)
    assert [one for one, logit in zip(together, logits, strict=True) if math.isnan(logit)] == [0.0] * sum(
        map(math.isnan, logits)
    )


@given(st.floats(-30, 30), st.floats(-30, 30))
def test_f12_normalising_keeps_the_order(normalised: Score, one: float, other: float) -> None:
    first, second = normalised([one, other])
    assert (first <= second) is (one <= other) or math.isclose(first, second)


async def test_f14_links_between_seeds_lead_to_no_seed(app: Application, bank: TestBank) -> None:
    one = await add_fact(app, bank.bank_id, "The bakery on the corner burned down.")
    other = await add_fact(app, bank.bank_id, "The bakery on the corner opened again.")
    effect = await add_fact(app, bank.bank_id, "0441 7788 9921")
    for ends in ((one, other), (other, one), (one, effect)):
        await add_link(app, bank.bank_id, ends, "causes", 0.9)
    trace = (await bank.recall("bakery on the corner", trace=True))["trace"]
    assert [hit["node_id"] for hit in listed(trace, "graph")] == [effect]


async def test_f15_neighbours_outside_the_window_are_not_of_that_time(
    app: Application, bank: TestBank
) -> None:
    inside = await add_fact(app, bank.bank_id, "The bakery opened.", occurred_start=MIDDLE)
    outside = await add_fact(app, bank.bank_id, "The bakery closed.", occurred_start=LATER)
    undated = await add_fact(app, bank.bank_id, "The bakery moved.")
    for beside in (outside, undated):
        await add_link(app, bank.bank_id, (inside, beside), "temporal", 1.0)
        await add_link(app, bank.bank_id, (beside, inside), "temporal", 1.0)
    trace = (await bank.recall("the bakery", temporal_window=SPAN, trace=True))["trace"]
    assert [hit["node_id"] for hit in listed(trace, "temporal")] == [inside]
    assert {outside, undated} <= {hit["node_id"] for hit in listed(trace, "semantic")}


async def test_f15_a_larger_budget_looks_at_more_of_the_window(bank: TestBank) -> None:
    await bank.retain(
        *({"content": f"bakery note {i}", "timestamp": "2026-09-05T00:00:00Z"} for i in range(40))
    )
    counts = [
        len(
            listed(
                (await bank.recall("bakery note", temporal_window=SPAN, budget=budget, trace=True))["trace"],
                "temporal",
            )
        )
        for budget in ("low", "mid", "high")
    ]
    assert 10 < counts[0] < counts[1] == counts[2] == 40


async def test_f20_unknown_names_are_reported_by_their_path(bank: TestBank) -> None:
    await bank.retain("a teapot")
    response = await bank.post_recall(
        "teapot",
        include={"chunks": {"max_token": 1}, "sources": {}},
        min_scores={"bm25": 1},
        temporal_window={**SPAN, "zone": "UTC"},
        rerank={"pruned": True},
    )
    assert response.status_code == 200
    assert response.headers["X-Ignored-Params"].split(", ") == [
        "include.chunks.max_token",
        "include.sources",
        "min_scores.bm25",
        "temporal_window.zone",
        "rerank.pruned",
    ]


async def test_f22_names_that_a_text_does_not_spell_are_words_of_it(bank: TestBank) -> None:
    await bank.retain({"content": "Prefers the window seat.", "entities": [{"text": "Zbigniew"}]}, "A stool.")
    found = await bank.results("Zbigniew")
    assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == ["Prefers the window seat."]


async def test_f22_the_day_something_happened_is_words_too(bank: TestBank) -> None:
    await bank.retain("Prefers the window seat.", "Prefers the aisle seat.")
    for fact in await bank.results("prefers seat"):
        day = "2026-09-15" if "window" in fact["text"] else "2025-03-02"
        change = {"occurred_start": f"{day}T12:00:00Z"}
        changed = await bank.client.patch(f"{bank.path}/memories/{fact['id']}", json=change)
        assert changed.status_code == 200
    found = await bank.results("September 15 2026")
    assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == ["Prefers the window seat."]


async def test_f23_entities_come_most_mentioned_first_then_by_name(bank: TestBank) -> None:
    names = [{"text": name} for name in ("Zoe", "Bob", "Ada", "Eve")]
    await bank.retain(
        {"content": "They met at the lake.", "entities": names},
        *({"content": f"note {i}", "entities": [{"text": "Eve"}]} for i in range(3)),
    )
    answer = await bank.recall("They met at the lake.")
    (met,) = [fact for fact in answer["results"] if fact["text"] == "They met at the lake."]
    assert met["entities"] == ["Eve", "Ada", "Bob", "Zoe"]


async def test_f23_one_name_is_one_entity_however_it_is_written(bank: TestBank) -> None:
    await bank.retain(
        {"content": "ADA plays chess.", "entities": [{"text": "ADA"}]},
        {"content": "ada plays go.", "entities": [{"text": "ada"}]},
    )
    answer = await bank.recall("Who plays?")
    assert len(answer["results"]) == 2
    (name,) = answer["entities"]
    assert [fact["entities"] for fact in answer["results"]] == [[name], [name]]


async def test_f24_a_bank_just_created_is_seen_at_once(bank: TestBank, elsewhere: httpx.AsyncClient) -> None:
    there = TestBank(elsewhere, bank.bank_id)
    assert (await there.post_recall("teapot")).status_code == 404
    await bank.client.put(bank.path, json={})
    assert (await there.recall("teapot"))["results"] == []
    await bank.retain("a teapot")
    assert await there.texts("teapot") == ["a teapot"]
    await bank.client.patch(bank.path, json={"enable_reranking": False})
    assert (await there.results("teapot"))[0]["scores"]["reranker"] is None


async def test_f25_every_retriever_breaks_ties_by_id(app: Application, bank: TestBank) -> None:
    await bank.retain(
        {"content": "The bakery on the corner.", "entities": [{"text": "Hub"}]},
        *({"content": "0441 7788", "entities": [{"text": "Hub"}]} for _ in range(8)),
        *({"content": "bakery corner", "timestamp": "2026-09-05T00:00:00Z"} for _ in range(8)),
    )
    trace = (await bank.recall("bakery corner", temporal_window=SPAN, trace=True))["trace"]
    for method, least in (("semantic", 8), ("bm25", 8), ("graph", 8), ("temporal", 8)):
        hits = [(-hit["score"], hit["node_id"]) for hit in listed(trace, method)]
        assert hits == sorted(hits)
        assert len(hits) >= least, method
        assert len({score for score, _ in hits}) < len(hits), f"{method} has no tie to break"
    results = [(-one["rerank_score"], one["node_id"]) for one in trace["reranked"]]
    assert results == sorted(results)


@given(st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=2, max_size=8), st.randoms())
def test_f25_ranking_does_not_depend_on_the_order_of_arrival(
    relevances: list[float], chance: random.Random
) -> None:
    arrived = [scored(memory(f"m{i}"), relevance) for i, relevance in enumerate(relevances)]
    shuffled = chance.sample(arrived, len(arrived))
    first, second = (boost(plan(), Reranked(tuple(order), "a model")) for order in (arrived, shuffled))
    assert first == second


class Decisions:
    """Finds every memory as helpful as it is long."""

    name = "decisions"

    async def likelihoods(self, state: str, questions: Sequence[Question]) -> list[float | None]:
        return [len(question.parts["memory"]) / 1000 for question in questions]


@pytest.fixture
async def deciding(app: Application, bank: TestBank) -> AsyncIterator[TestBank]:
    """A bank of four facts behind a decision model."""
    await bank.retain(*("teapot" + " and cup" * i for i in range(4)))
    serving = Reranking(decision=DecisionStage(Decisions(), app.tokens))
    planner = replace(app.recall.planner, without_scores=serving.without_scores)
    web = create_app(running=replace(app, recall=replace(app.recall, planner=planner, reranking=serving)))
    async with web.router.lifespan_context(web), client_of(web) as client:
        yield TestBank(client, bank.bank_id)


async def test_f26_under_a_decision_model_no_floor_is_recommended_in_place_of_another(
    deciding: TestBank,
) -> None:
    response = await deciding.post_recall("teapot", min_scores={"reranker": 0.5})
    assert response.status_code == 400
    assert "final" not in response.json()["detail"]


async def test_f26_a_final_floor_under_a_decision_model_keeps_places(deciding: TestBank) -> None:
    found = await deciding.results("teapot")
    assert [fact["scores"]["final"] for fact in found] == [1.0, 0.75, 0.5, 0.25]
    kept = await deciding.results("teapot", min_scores={"final": 0.75})
    assert [fact["id"] for fact in kept] == [fact["id"] for fact in found[:2]]


@pytest.mark.parametrize(
    ("text", "other", "query"),
    [
        pytest.param("İstanbul güzel", "Stanbul değil", "istanbul", id="Turkish"),
        pytest.param("a visit to Bogota\u0301", "a visit to Bogo", "Bogotá", id="decomposed"),
        pytest.param("कुल योग", "काला घोड़ा", "कुल", id="Devanagari"),
        pytest.param("पूरी दुनिया", "दान नया", "दुनिया", id="Devanagari-mark-last"),
        pytest.param("ภาษาไทย สวยงาม", "มาตรา สวนงาน", "สวยงาม", id="Thai"),
        pytest.param("இந்தியா நாடு", "இந்த நடை", "இந்தியா", id="Tamil-mark-last"),
        pytest.param("שָׁלוֹם עולם", "שלג לבן", "שָׁלוֹם", id="Hebrew-pointed"),
        pytest.param("我住在北京", "我住在南方", "北京", id="Chinese"),
    ],
)
async def test_f27_a_word_stays_whole_in_every_script(
    bank: TestBank, text: str, other: str, query: str
) -> None:
    await bank.retain(text, other)
    found = await bank.results(query)
    assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == [text]
