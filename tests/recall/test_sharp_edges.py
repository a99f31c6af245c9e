"""Sharp edges that users of the reference server met, each under the number of its issue.

Some are tested where their part is: ``test_register.py`` knows all of them.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from recalld import settings as settings_module
from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.domain import errors
from recalld.domain.memory import FactType
from recalld.domain.text import query_words
from recalld.encoders.executor import AsyncReranker
from recalld.encoders.protocols import QueryEmbedding
from recalld.recall.assemble import pick_sources
from recalld.recall.plan import QueryLimit
from recalld.recall.rerank import CrossEncoderStage, Reranking, rerank
from recalld.recall.select import fit
from recalld.recall.service import RecallLimits
from recalld.recall.time_window import find_window
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import PoolLimits
from tests.fixtures.bank import TestBank
from tests.fixtures.databases import settings_for
from tests.fixtures.encoders import bundled
from tests.fixtures.facts import add_fact, add_link, add_observation, bank_key
from tests.fixtures.stalls import locked, on_own_pool
from tests.fixtures.traces import listed
from tests.fixtures.values import candidate, memory, observation, plan, scored
from tests.fixtures.variants import client_of

Json = dict[str, Any]

ANCHOR = datetime(2026, 9, 16, 12, tzinfo=UTC)
SPAN = {"start": "2026-09-01T00:00:00Z", "end": "2026-09-09T00:00:00Z"}
MIDDLE = datetime(2026, 9, 5, tzinfo=UTC)
HUB_SIZE = 4000


@asynccontextmanager
async def served(app: Application, bank: TestBank) -> AsyncIterator[TestBank]:
    """The bank behind another application on the same data."""
    web = create_app(running=app)
    async with web.router.lifespan_context(web), client_of(web) as client:
        yield TestBank(client, bank.bank_id)


@asynccontextmanager
async def changed(app: Application, bank: TestBank, **parts: Any) -> AsyncIterator[TestBank]:
    """The bank behind a recall with other parts."""
    async with served(replace(app, recall=replace(app.recall, **parts)), bank) as asking:
        yield asking


def window_of(text: str) -> tuple[str, str] | None:
    """First and last day of the window a text names."""
    found = find_window(text, ANCHOR)
    return None if found is None else (f"{found.start:%Y-%m-%d}", f"{found.end:%Y-%m-%d}")


@dataclass(frozen=True)
class Around:
    """A retriever that waits or fails before another one is asked."""

    inner: Any
    failure: Exception | None = None
    seconds: float = 0.0

    @property
    def name(self) -> RetrieverName:
        found: RetrieverName = self.inner.name
        return found

    def applies(self, plan: QueryPlan) -> bool:
        return bool(self.inner.applies(plan))

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        await asyncio.sleep(self.seconds)
        if self.failure is not None:
            raise self.failure
        found: Ranking = await self.inner.retrieve(plan)
        return found


def around_first(app: Application, **fault: Any) -> tuple[Any, ...]:
    """The retrievers, the first with a fault."""
    first, *others = app.recall.retrievers
    return (Around(first, **fault), *others)


class Mute(Exception):
    """A failure without a message."""


async def test_issue_1384_a_failure_without_a_message_is_named_by_its_class(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("a teapot")
    async with changed(app, bank, retrievers=around_first(app, failure=Mute())) as asking:
        response = await asking.post_recall("teapot")
    assert response.status_code == 500
    assert "Mute" in response.json()["detail"]


async def test_issue_1384_a_failure_is_told_in_the_published_words(app: Application, bank: TestBank) -> None:
    await bank.retain("a teapot")
    async with changed(app, bank, retrievers=around_first(app, failure=Mute())) as asking:
        response = await asking.post_recall("teapot")
    assert response.json() == {"detail": "Failed to search memories (Mute): Mute()"}


@pytest.mark.parametrize("query", ["tea\ud83dpot", "teapot \udc00", "\ud83d\ud83d teapot"])
async def test_issue_1875_a_lone_surrogate_in_a_query_is_dropped(bank: TestBank, query: str) -> None:
    await bank.retain("a teapot")
    answer = await bank.recall(query, trace=True)
    assert [fact["text"] for fact in answer["results"]] == ["a teapot"]
    assert answer["trace"]["query"]["query_text"].replace(" ", "") == "teapot"


async def test_issue_1883_special_tokens_are_text_everywhere(app: Application, bank: TestBank) -> None:
    text = "the marker <|endoftext|> ends a text"
    await bank.retain(text)
    assert app.tokens.count("<|endoftext|>") == 7
    cost = app.tokens.count(text)
    assert await bank.texts("<|endoftext|>", max_tokens=cost) == [text]
    cut = await bank.recall("<|endoftext|>", include={"chunks": {"max_tokens": cost - 1}})
    (chunk,) = cut["chunks"].values()
    assert chunk["truncated"]
    assert text.startswith(chunk["text"])


@pytest.mark.parametrize("truncate", [False, True])
async def test_issue_3134_a_query_of_58000_words_never_reaches_the_parsers(
    app: Application, bank: TestBank, truncate: Any
) -> None:
    await bank.retain("a teapot")
    limit = QueryLimit(app.tokens, 500, truncate=truncate)
    async with changed(app, bank, planner=replace(app.recall.planner, limit=limit)) as asking:
        response = await asking.post_recall("teapot " + "kettle & ( | ! <-> ' " * 10_000, trace=True)
    if not truncate:
        assert response.status_code == 400
        return
    assert response.status_code == 200
    assert app.tokens.count(response.json()["trace"]["query"]["query_text"]) <= 500
    assert [fact["text"] for fact in response.json()["results"]] == ["a teapot"]


async def test_issue_298_a_query_at_the_limit_is_searched_whole(app: Application, bank: TestBank) -> None:
    await bank.retain("a zebra at the lake")
    query = ("word " * 499 + "zebra").strip()
    while app.tokens.count(query) > 500:
        query = query.removeprefix("word ")
    found = await bank.results(query)
    assert found[0]["scores"]["keyword"] > 0


async def test_issue_364_without_a_budget_for_facts_their_chunks_come(bank: TestBank) -> None:
    await bank.retain("a teapot", "another teapot")
    answer = await bank.recall("teapot", max_tokens=0, include={"chunks": {}, "source_facts": {}})
    assert (answer["results"], answer["entities"]) == ([], None)
    assert {chunk["text"] for chunk in answer["chunks"].values()} == {"a teapot", "another teapot"}


def test_issue_3688_one_oversized_fact_skips_only_itself() -> None:
    ranked = [scored(memory(f"m{size}", token_count=size)) for size in (500, 3, 400, 4)]
    assert [one.memory.token_count for one in fit(ranked, 10)[0]] == [3, 4]
    assert [one.memory.token_count for one in fit(ranked, 2)[0]] == [500]


async def test_issue_3688_a_short_fact_behind_a_long_one_is_answered(
    app: Application, bank: TestBank
) -> None:
    long = "teapot" + " of the finest china" * 20
    await bank.retain(long, "a kettle")
    found = await bank.texts("teapot of the finest china")
    assert found[0] == long
    cost = app.tokens.count("a kettle")
    assert await bank.texts("teapot of the finest china", max_tokens=cost, min_scores={"semantic": -1}) == [
        "a kettle"
    ]


def test_issue_3221_only_what_is_really_missing_counts_as_truncated() -> None:
    found = {id_: memory(id_, token_count=size) for id_, size in (("big", 50), ("a", 4), ("b", 4))}
    first, second = observation("o", "big", "a", "gone"), observation("p", "b")
    assert [fact.id for fact in pick_sources([first, second], found, 8, -1)[0]] == ["a", "b"]
    assert pick_sources([first, second], found, 8, -1)[1]
    assert not pick_sources([observation("o", "a", "gone"), second], found, 8, -1)[1]


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=5), st.integers(-1, 60))
def test_issue_3221_source_facts_keep_to_their_budget_in_result_order(
    cited: list[list[int]], total: int
) -> None:
    found = {str(i): memory(str(i), token_count=i + 1) for i in range(8)}
    ranked = [observation(f"o{i}", *map(str, ids)) for i, ids in enumerate(cited)]
    picked, truncated = pick_sources(ranked, found, total, -1)
    wanted = list(dict.fromkeys(str(i) for ids in cited for i in ids if i < 8))
    kept = [fact.id for fact in picked]
    assert kept == [id_ for id_ in wanted if id_ in kept]
    assert truncated is (len(kept) < len(wanted))
    assert total < 0 or sum(fact.token_count for fact in picked) <= total


async def test_issue_797_metadata_comes_back_as_it_was_given(bank: TestBank) -> None:
    metadata = {"source": "chat", "ünïcode": "✓", "empty": "", "json": '{"a": [1]}'}
    await bank.retain({"content": "a teapot", "metadata": metadata})
    (fact,) = await bank.results("teapot")
    assert fact["metadata"] == metadata


async def test_issue_3209_stored_metadata_of_other_types_never_fails_a_recall(
    app: Application, bank: TestBank
) -> None:
    stored = {"n": 1, "f": 1.5, "yes": True, "gone": None, "deep": {"a": [1]}}
    await add_fact(app, bank.bank_id, "a teapot", metadata=stored)
    (fact,) = await bank.results("teapot")
    assert {name: fact["metadata"].get(name) for name in ("n", "f", "gone")} == {
        "n": "1",
        "f": "1.5",
        "gone": None,
    }
    assert all(isinstance(value, str) for value in fact["metadata"].values())
    assert "gone" not in fact["metadata"]


async def test_issue_3209_a_null_in_metadata_is_dropped_at_retain(bank: TestBank) -> None:
    await bank.retain({"content": "a teapot", "metadata": {"k": "1", "gone": None}})
    assert (await bank.results("teapot"))[0]["metadata"] == {"k": "1"}


async def test_issue_4175_an_unknown_bank_is_404_and_stays_unknown(bank: TestBank) -> None:
    for body in ({}, {"types": ["opinion"]}, {"trace": True, "include": {"chunks": {}}}):
        response = await bank.post_recall("teapot", **body)
        assert (response.status_code, response.json()) == (
            404,
            {"detail": f"Bank '{bank.bank_id}' not found"},
        )
    banks = (await bank.client.get("/v1/default/banks", params={"q": bank.bank_id})).json()
    assert banks["total"] == 0


async def test_issue_4442_a_bank_that_another_server_deleted_is_404_at_once(
    bank: TestBank, elsewhere: httpx.AsyncClient
) -> None:
    await bank.retain("a teapot")
    assert await bank.texts("teapot") == ["a teapot"]
    assert (await elsewhere.delete(bank.path)).status_code == 200
    response = await bank.post_recall("teapot")
    assert (response.status_code, response.json()) == (404, {"detail": f"Bank '{bank.bank_id}' not found"})


@dataclass(frozen=True)
class Vanishing:
    """Knows the bank, which is deleted as soon as it was looked up."""

    inner: Any
    bank: TestBank

    async def look_up(self, bank_id: str, text: str) -> Any:
        found = await self.inner.look_up(bank_id, text)
        assert (await self.bank.client.delete(self.bank.path)).status_code == 200
        return found

    async def tags(self, bank_key: int, limit: int) -> list[str]:
        return []

    async def has_observations(self, bank_key: int) -> bool:
        return False


async def test_issue_4442_a_bank_deleted_during_a_recall_is_never_an_empty_answer(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("a teapot")
    planner = replace(app.recall.planner, knowledge=Vanishing(app.recall.planner.knowledge, bank))
    async with changed(app, bank, planner=planner) as asking:
        response = await asking.post_recall("teapot")
    assert (response.status_code, response.json()) == (404, {"detail": f"Bank '{bank.bank_id}' not found"})


async def test_issue_5030_a_chunk_follows_the_tags_of_its_document_not_of_its_fact(
    app: Application, bank: TestBank
) -> None:
    await bank.retain(
        {"content": "the secret teapot", "tags": ["secret"], "document_id": "secret"},
        {"content": "the open teapot", "tags": ["open"], "document_id": "open"},
    )
    by_document = {fact["document_id"]: fact for fact in await bank.results("teapot")}
    for document, tag in (("secret", "open"), ("open", "secret")):
        chunk = by_document[document]["chunk_id"]
        text = f"a teapot drawn from the {document} one"
        await add_fact(app, bank.bank_id, text, tags=[tag], document_id=document, chunk_id=chunk)
    asked: Json = {"tags": ["open"], "tags_match": "any_strict", "include": {"chunks": {}}}
    answer = await bank.recall("teapot", **asked)
    assert {fact["text"] for fact in answer["results"]} == {
        "the open teapot",
        "a teapot drawn from the secret one",
    }
    assert [chunk["text"] for chunk in answer["chunks"].values()] == ["the open teapot"]


@pytest.mark.parametrize(
    ("given_as", "shown"),
    [
        ("2026-09-16T12:00:00Z", "2026-09-16T12:00:00Z"),
        ("2026-09-16T05:00:00-07:00", "2026-09-16T12:00:00Z"),
        ("2026-09-16T12:00:00", "2026-09-16T12:00:00Z"),
        ("2026-09-16", "2026-09-16T00:00:00Z"),
    ],
)
async def test_issue_4217_the_trace_shows_the_anchor_that_was_given(
    bank: TestBank, given_as: str, shown: str
) -> None:
    await bank.retain("a teapot")
    trace = (await bank.recall("teapot", query_timestamp=given_as, trace=True))["trace"]
    assert trace["query"]["timestamp"] == shown


async def test_issue_4494_the_temporal_ranking_is_by_its_score_across_types(
    app: Application, bank: TestBank
) -> None:
    kinds = list(FactType)
    for day in range(9):
        when = MIDDLE + timedelta(days=day - 4)
        await add_fact(app, bank.bank_id, f"bakery note {day}", fact_type=kinds[day % 3], occurred_start=when)
    trace = (await bank.recall("bakery note", temporal_window=SPAN, trace=True))["trace"]
    scores = {hit["node_id"]: hit["score"] for hit in listed(trace, "temporal")}
    ranks = {
        one["node_id"]: one["source_ranks"]["temporal_rank"]
        for one in trace["rrf_merged"]
        if "temporal_rank" in one["source_ranks"]
    }
    best_first = sorted(scores, key=lambda id_: (-scores[id_], id_))
    assert [ranks[id_] for id_ in best_first] == list(range(1, 10))
    assert {hit["fact_type"] for hit in listed(trace, "temporal")} == {str(kind) for kind in kinds}


class Model:
    """A cross-encoder that fails, never answers, or gives every document the same score."""

    name = "model"

    def __init__(self, failure: Exception | None = None, *, hangs: bool = False) -> None:
        self.failure = failure
        self.hangs = hangs

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        if self.failure is not None:
            raise self.failure
        if self.hangs:
            await asyncio.Event().wait()
        return [0.5] * len(documents)


def with_model(model: Model, **stage: Any) -> Reranking:
    return Reranking(cross_encoder=CrossEncoderStage(model, **stage))


async def fused_order(bank: TestBank, query: str) -> list[str]:
    trace = (await bank.recall(query, trace=True))["trace"]
    return [one["node_id"] for one in trace["rrf_merged"]]


@pytest.mark.parametrize("model", [Model(ConnectionError("refused")), Model(RuntimeError())])
async def test_issue_3168_a_reranker_that_is_down_fails_open(
    app: Application, bank: TestBank, model: Model
) -> None:
    await bank.retain("a red teapot", "a blue teapot", "a kettle for tea")
    async with changed(app, bank, reranking=with_model(model)) as asking:
        response = await asking.post_recall("red teapot")
        metrics = (await asking.client.get("/metrics")).text
    assert response.status_code == 200
    assert response.headers["X-Recall-Degraded"] == "reranker"
    found = response.json()["results"]
    assert [fact["id"] for fact in found] == await fused_order(bank, "red teapot")
    assert {fact["scores"]["reranker"] for fact in found} == {None}
    assert 'recalld_recall_degraded_total{part="reranker"}' in metrics


async def test_issue_4696_a_reranker_over_its_time_leaves_every_result(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("a red teapot", "a blue teapot", "a kettle for tea")
    reranking = with_model(Model(hangs=True), deadline=0.1)
    async with changed(app, bank, reranking=reranking) as asking:
        response = await asking.post_recall("red teapot")
    assert response.headers["X-Recall-Degraded"] == "reranker"
    assert [fact["id"] for fact in response.json()["results"]] == await fused_order(bank, "red teapot")


async def test_issue_4901_a_floor_is_no_less_a_promise_when_the_reranker_is_down(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("a teapot")
    async with changed(app, bank, reranking=with_model(Model(ConnectionError()))) as asking:
        response = await asking.post_recall("teapot", min_scores={"reranker": 0.1})
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) >= 1


async def test_issue_4901_a_reranker_of_places_takes_no_floor(app: Application, bank: TestBank) -> None:
    await bank.retain("a teapot")
    planner = replace(app.recall.planner, without_scores="decision_model")
    async with changed(app, bank, planner=planner) as asking:
        for floor in (0.0, -1, 2):
            response = await asking.post_recall("teapot", min_scores={"reranker": floor})
            assert response.status_code == 400
            assert "'decision_model'" in response.json()["detail"]
        assert (await asking.post_recall("teapot", min_scores={"reranker": None})).status_code == 200


async def test_issue_4599_what_the_model_did_not_read_keeps_its_order_behind() -> None:
    found = [candidate(memory(f"m{i}"), similarity=0.9 - i / 20) for i in range(12)]
    before = await rerank(plan(), found)
    order = [one.memory.id for one in sorted(before.scored, key=lambda one: -one.relevance)]
    after = await rerank(plan(), found, with_model(Model(), top=4))
    ranked = sorted(after.scored, key=lambda one: -one.relevance)
    assert {one.memory.id for one in ranked[:4]} == set(order[:4])
    assert [one.memory.id for one in ranked[4:]] == order[4:]
    assert ranked[4].relevance < 0.5


async def test_issue_3882_a_keyword_floor_is_inclusive_at_every_score(bank: TestBank) -> None:
    await bank.retain(
        "the quick brown fox", "a quick quick fox", "the fox and the hen", "one hen", "quick notes on foxes"
    )

    async def by_keyword(floor: float | None) -> dict[str, float]:
        found = await bank.results("quick fox hen", min_scores={"keyword": floor})
        return {fact["id"]: k for fact in found if (k := fact["scores"]["keyword"]) is not None}

    scores = await by_keyword(None)
    assert len(set(scores.values())) >= 4
    for id_, score in scores.items():
        at, above = await by_keyword(score), await by_keyword(math.nextafter(score, math.inf))
        assert at == {one: other for one, other in scores.items() if other >= score}
        assert id_ in at
        assert id_ not in above
    assert await by_keyword(0) == await by_keyword(-3) == scores


@pytest.mark.parametrize(
    "text", ["which service uses port 8080?", "the 2023 budget", "error 2019x", "room 1999"]
)
def test_issue_3250_a_number_is_no_year(text: str) -> None:
    assert window_of(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we build in 2019", ("2019-01-01", "2019-12-31")),
        ("not in 9999 but in June 2024", ("2024-06-01", "2024-06-30")),
        ("port 8080 opened on June 5, 2024", ("2024-06-05", "2024-06-05")),
    ],
)
def test_issue_3250_what_is_no_year_hides_no_date(text: str, expected: tuple[str, str]) -> None:
    assert window_of(text) == expected


@given(
    st.lists(st.sampled_from(["we", "me", "did", "do", "so", "are", "what", "agree"]), max_size=6),
    st.lists(st.sampled_from(["we", "me", "did", "do", "that", "team"]), max_size=6),
)
@example(["we", "do"], [])
def test_issue_2768_short_words_are_no_dates_and_the_date_wins_wherever_it_stands(
    before: list[str], after: list[str]
) -> None:
    assert window_of(" ".join([*before, *after])) is None
    dated = " ".join([*before, "on June 5, 2024", *after])
    assert window_of(dated) == ("2024-06-05", "2024-06-05")


@pytest.mark.parametrize(
    "query", ["十万年前的地图", "june 0000", "100000 years ago", "0000-00-00", "in 99999"]
)
async def test_issue_3217_an_impossible_date_is_no_window_and_no_failure(bank: TestBank, query: str) -> None:
    await bank.retain("a map")
    response = await bank.post_recall(query)
    assert response.status_code == 200
    assert "X-Recall-Window" not in response.headers


async def test_issue_5820_dates_at_the_ends_of_the_calendar_fail_nothing(
    app: Application, bank: TestBank
) -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    rows: tuple[Json, ...] = (
        {"occurred_start": first},
        {"occurred_end": last},
        {"occurred_start": first, "occurred_end": last},
        {"mentioned_at": first, "occurred_start": MIDDLE},
        {"mentioned_at": last},
    )
    for i, columns in enumerate(rows):
        await add_fact(app, bank.bank_id, f"bakery note {i}", **columns)
    for anchor in ("2026-09-16T12:00:00", "2026-09-16T12:00:00-07:00", "0001-01-01", "9999-12-31T23:59:59Z"):
        for asked in (SPAN, None, {"start": "0001-01-01", "end": "9999-12-31"}):
            body: Json = {"temporal_window": asked, "query_timestamp": anchor}
            found = await bank.results("bakery note of last week", **body)
            assert len(found) == len(rows)
            assert all(0 < fact["scores"]["final"] < 2 for fact in found)


async def test_issue_5820_no_date_without_an_end_gets_into_the_store(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("bakery note")
    key = await bank_key(app, bank.bank_id)
    for column in ("occurred_start", "occurred_end", "mentioned_at", "event_date"):
        with pytest.raises(psycopg.errors.CheckViolation):
            async with app.database.read() as connection:
                await connection.execute(
                    f"UPDATE memory_units SET {column} = 'infinity' WHERE bank_key = %(key)s", {"key": key}
                )


async def test_issue_4529_a_graph_over_its_time_is_empty_and_the_recall_succeeds(
    app: Application, bank: TestBank, database_url: str
) -> None:
    await bank.retain({"content": "The bakery opened.", "entities": [{"text": "bakery"}]})
    (fact,) = await bank.results("bakery")
    await add_observation(app, bank.bank_id, "The bakery is open.", [fact["id"]])
    limits = RecallLimits(retriever_deadline=1.5)
    async with changed(app, bank, limits=limits) as asking, locked(database_url, "memory_links"):
        response = await asking.post_recall("bakery", types=["world", "observation"], trace=True)
    assert response.status_code == 200
    assert response.headers["X-Recall-Degraded"] == "graph"
    answer = response.json()
    assert {one["text"] for one in answer["results"]} == {"The bakery opened.", "The bakery is open."}
    assert listed(answer["trace"], "graph") == []


@pytest.fixture
async def crowded(app: Application, bank: TestBank) -> tuple[TestBank, str]:
    """A bank with an entity of thousands of facts; the id of one fact beside the crowd."""
    await add_fact(app, bank.bank_id, "The bakery on the corner burned down.", entities=["Hub", "Rare"])
    aside = await add_fact(app, bank.bank_id, "5523 0017 4410", entities=["Rare"])
    model = await add_fact(app, bank.bank_id, "0441 7788 9921", entities=["Hub"])
    copied = """
        WITH copied AS (
            INSERT INTO memory_units (bank_key, id, text, fact_type, metadata, tags, token_count, embedding,
                                      search_vector, length, term_weights)
            SELECT bank_key, gen_random_uuid(), '0441 7788 ' || n, fact_type, metadata, tags, token_count,
                   embedding, search_vector, length, term_weights
            FROM memory_units CROSS JOIN generate_series(1, %(size)s) AS n
            WHERE bank_key = %(key)s AND id = %(model)s
            RETURNING bank_key, id
        )
        INSERT INTO unit_entities (bank_key, unit_id, entity_id)
        SELECT copied.bank_key, copied.id, held.entity_id
        FROM copied JOIN unit_entities AS held
          ON held.bank_key = copied.bank_key AND held.unit_id = %(model)s
    """
    params = {"key": await bank_key(app, bank.bank_id), "model": UUID(model), "size": HUB_SIZE}
    async with app.database.read() as connection:
        await connection.execute(copied.encode(), params)
    return bank, aside


async def test_issue_3857_an_entity_of_thousands_of_facts_drowns_no_other(
    crowded: tuple[TestBank, str],
) -> None:
    bank, aside = crowded
    answer = await bank.recall("bakery on the corner", budget="high", trace=True)
    hits = [hit["node_id"] for hit in listed(answer["trace"], "graph")]
    assert hits[0] == aside
    assert 1 < len(hits) == len(set(hits)) <= 1000
    assert answer["results"][0]["text"] == "The bakery on the corner burned down."
    assert answer["results"][0]["entities"] == ["Hub", "Rare"]
    assert "X-Recall-Degraded" not in (await bank.post_recall("bakery on the corner")).headers


async def test_issue_4715_observations_about_an_entity_of_thousands_are_found(
    app: Application, crowded: tuple[TestBank, str]
) -> None:
    bank, _ = crowded
    seed = (await bank.results("bakery on the corner"))[0]
    assert seed["text"] == "The bakery on the corner burned down."
    await add_observation(
        app, bank.bank_id, "Bakeries burn.", [seed["id"]], mentioned_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    answer = await bank.recall("Hub", types=["world"])
    assert [one["text"] for one in answer["entities"]["Hub"]["observations"]] == ["Bakeries burn."]


async def test_issue_3085_an_observation_of_a_thousand_sources_is_answered_whole(
    app: Application, bank: TestBank
) -> None:
    await bank.retain({"content": "The bakery opened.", "entities": [{"text": "Ada"}]})
    (fact,) = await bank.results("bakery")
    sources = [str(uuid4()) for _ in range(1000)]
    sources.insert(700, fact["id"])
    await add_observation(app, bank.bank_id, "Bakeries open.", sources)
    answer = await bank.recall(
        "Bakeries open", types=["observation"], include={"source_facts": {}, "chunks": {}, "entities": {}}
    )
    (seen,) = answer["results"]
    assert seen["source_fact_ids"] == sources
    assert list(answer["source_facts"]) == [fact["id"]]
    assert answer["source_facts_truncated"] is False
    assert seen["entities"] == ["Ada"]
    assert [chunk["text"] for chunk in answer["chunks"].values()] == ["The bakery opened."]


@given(st.text(st.sampled_from("?!.,;:()[]{}<>&|'\"-—…«»¿¡ \t\n*\\/+=~^%$#@`"), max_size=40))
def test_issue_4313_punctuation_is_no_term(noise: str) -> None:
    assert query_words(noise) == []
    assert [word for word, _, _ in query_words(f"fox {noise} hen")] == ["fox", "hen"]


async def test_issue_4313_a_term_counts_once_however_often_it_is_asked(bank: TestBank) -> None:
    await bank.retain("the quick brown fox", "a hen")
    (plain,), (noisy,) = [
        [fact for fact in await bank.results(query) if fact["scores"]["keyword"]]
        for query in ("fox", "fox! fox? (Fox), 'FOXES'")
    ]
    assert noisy["scores"]["keyword"] == plain["scores"]["keyword"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("she was running late", "runs"),
        ("many berries", "berry"),
        ("the databases were indexed", "index database"),
    ],
)
async def test_issue_3166_text_and_query_are_stemmed_by_one_dictionary(
    bank: TestBank, text: str, query: str
) -> None:
    await bank.retain(text, "nothing of the kind")
    for asked in (query, query.upper(), text):
        found = await bank.results(asked)
        assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == [text]


async def test_issue_3678_a_given_window_beats_the_text(bank: TestBank) -> None:
    await bank.retain("met Bob")
    response = await bank.post_recall("whom did I meet in June 2024?", temporal_window=SPAN)
    assert response.headers["X-Recall-Window"] == "2026-09-01T00:00:00+00:00/2026-09-09T00:00:00+00:00"
    told = await bank.post_recall("whom did I meet in June 2024?")
    assert told.headers["X-Recall-Window"].startswith("2024-06-01")


async def test_issue_3678_with_temporal_retrieval_off_neither_counts(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={"enable_temporal_retrieval": False})
    await bank.retain({"content": "met Bob", "timestamp": "2026-09-05T00:00:00Z"})
    now = {"query_timestamp": "2026-09-16"}
    plain = await bank.results("met Bob", **now)
    assert await bank.results("met Bob", temporal_window=SPAN, **now) == plain
    assert "X-Recall-Window" not in (await bank.post_recall("met Bob yesterday")).headers


async def test_issue_3678_a_window_never_filters(bank: TestBank) -> None:
    await bank.retain(
        *({"content": f"met Bob {i}", "timestamp": f"20{i:02}-01-01T00:00:00Z"} for i in range(10, 26))
    )
    inside = {"start": "2015-01-01T00:00:00Z", "end": "2015-12-31T00:00:00Z"}
    for asked in (
        inside,
        {"start": "1990-01-01", "end": "1990-01-02"},
        {"start": "2050-01-01", "end": "2050-01-01"},
    ):
        assert len(await bank.results("met Bob", temporal_window=asked)) == 16


async def test_issue_3002_waiting_for_a_connection_ends(
    app: Application, bank: TestBank, database_url: str
) -> None:
    await bank.retain("a teapot")
    limits = PoolLimits(8, acquire=1.0)
    async with on_own_pool(app, database_url, limits) as (poor, database), served(poor, bank) as asking:
        async with AsyncExitStack() as held:
            for _ in range(6):
                await held.enter_async_context(database.read())
            async with asyncio.timeout(20):
                refused = await asking.post_recall("teapot")
        assert refused.status_code == 503
        assert int(refused.headers["Retry-After"]) >= 1
        assert await asking.texts("teapot") == ["a teapot"]


async def test_issue_4244_banks_that_spell_the_same_chunk_id_keep_their_chunks_apart(
    client: httpx.AsyncClient,
) -> None:
    stem = f"b{uuid4().hex[:8]}"
    one, other = TestBank(client, f"{stem}_a"), TestBank(client, stem)
    await one.retain({"content": "the teapot of one", "document_id": "b_0"})
    await other.retain({"content": "the teapot of the other", "document_id": "a_b_0"})
    seen = []
    for bank, text in ((one, "the teapot of one"), (other, "the teapot of the other")):
        answer = await bank.recall("teapot", include={"chunks": {}})
        assert [chunk["text"] for chunk in answer["chunks"].values()] == [text]
        seen += list(answer["chunks"])
    assert len(set(seen)) == 2


@examples(max_examples=40)
@given(st.text(st.characters(codec="utf-8"), max_size=3000))
@example("word " * 2000)
@example("漢" * 3000)
@example("\u200b" * 500 + "a")
def test_issue_5234_a_query_is_cut_by_the_tokens_of_the_model(app: Application, text: str) -> None:
    made = bundled(app).embed_query(text)
    window = 256 - 2
    assert len(made.spans) == len(made.tokens) <= window
    assert all(0 <= start <= end <= len(text) for start, end in made.spans)
    assert float(made.vector @ made.vector) == pytest.approx(1, abs=1e-4)


def test_issue_5234_what_is_beyond_the_cut_changes_nothing(app: Application) -> None:
    short, long = (bundled(app).embed_query("apple " * 254 + tail) for tail in ("", "river " * 300))
    assert len(short.spans) == 254
    assert (long.vector == short.vector).all()


class Counting:
    """A reranker that notes how much it reads at once."""

    name = "counting"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        self.batches.append(list(documents))
        return [1 / len(text) for text in documents]


@pytest.mark.parametrize("length", [20, 900, 20_000])
async def test_issue_3355_a_reranker_reads_a_bounded_amount_at_once(length: int) -> None:
    model = Counting()
    documents = ["x" * (length + i) for i in range(300)]
    async with aclosing(AsyncReranker(model)) as reranker:
        scores = await reranker.score("q", documents)
    assert scores == [1 / len(text) for text in documents]
    assert max(sum(map(len, batch)) for batch in model.batches) <= max(6000, length + 299)


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", 8), ("150000 100000", 2), ("50000 100000", 1), ("1600000 100000", 8), ("nonsense", 8)],
)
def test_issue_5725_threads_follow_the_quota_of_the_container(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, quota: str, expected: int
) -> None:
    (tmp_path / "cpu.max").write_text(quota, encoding="ascii")
    monkeypatch.setattr(settings_module, "_CPU_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert settings_for("postgresql://none", model_threads=0).threads == expected


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (errors.InvalidRequest("no"), 400),
        (errors.NotFound("no"), 404),
        (errors.Conflict("no"), 409),
        (errors.Unprocessable("no"), 422),
        (errors.NotYetSupported("a part", "no"), 501),
        (errors.RerankerUnavailable("no", retry_after=7), 503),
    ],
)
async def test_issue_5448_a_failure_keeps_its_own_status_from_any_depth(
    app: Application, bank: TestBank, failure: errors.RecalldError, status: int
) -> None:
    await bank.retain("a teapot")

    async def fails(_: str) -> QueryEmbedding:
        raise failure

    async with changed(app, bank, planner=replace(app.recall.planner, embed=fails)) as asking:
        response = await asking.post_recall("teapot")
    assert (response.status_code, response.json()) == (status, {"detail": failure.message})
    assert response.headers.get("Retry-After") == ("7" if status == 503 else None)


async def test_issue_2361_phases_account_for_the_time_a_recall_takes(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("a teapot")

    async def slowly(text: str) -> QueryEmbedding:
        await asyncio.sleep(0.2)
        return await app.recall.planner.embed(text)

    planner = replace(app.recall.planner, embed=slowly)
    async with changed(app, bank, planner=planner, retrievers=around_first(app, seconds=0.3)) as asking:
        start = time.perf_counter()
        summary = (await asking.recall("teapot", trace=True))["trace"]["summary"]
        elapsed = time.perf_counter() - start
    phases = {phase["phase_name"]: phase["duration_seconds"] for phase in summary["phase_metrics"]}
    assert phases["generate_query_embedding"] >= 0.19
    assert phases["parallel_retrieval"] >= 0.29
    assert all(seconds >= 0 for seconds in phases.values())
    assert 0.48 <= sum(phases.values()) <= elapsed
    assert sum(phases.values()) == pytest.approx(summary["total_duration_seconds"])


async def test_item_42_a_semantic_floor_is_no_floor_of_the_other_retrievers(
    app: Application, bank: TestBank
) -> None:
    seed = await add_fact(app, bank.bank_id, "The bakery on the corner burned down.", occurred_start=MIDDLE)
    beside = await add_fact(app, bank.bank_id, "0441 7788 9921")
    await add_link(app, bank.bank_id, (seed, beside), "semantic", 0.9)
    free, strict = [
        (await bank.recall("bakery on the corner", temporal_window=SPAN, min_scores=floors, trace=True))[
            "trace"
        ]
        for floors in (None, {"semantic": 1.0})
    ]
    assert (len(listed(free, "semantic")), len(listed(strict, "semantic"))) == (1, 0)
    for method, expected in (("temporal", seed), ("graph", beside), ("bm25", seed)):
        assert [hit["node_id"] for hit in listed(strict, method)] == [expected]
        assert listed(strict, method) == listed(free, method)
