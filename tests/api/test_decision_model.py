"""A decision model orders recall: through settings, HTTP and a server that speaks its formats (6.8, D18)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application, application
from recalld.domain.memory import FactType
from recalld.recall.decide import HELPS, REPEATS
from tests.fixtures.bank import TestBank
from tests.fixtures.databases import settings_for
from tests.fixtures.decision_server import KEY, DecisionServer, Fault, decision_server
from tests.fixtures.facts import add_fact
from tests.fixtures.variants import client_of

QUERY = "Who likes tea, chess or the printer?"
FACTS = ("Ann likes tea.", "Ann likes tea a lot.", "Ben plays chess.", "The office has a new printer.")


@pytest.fixture(scope="module")
async def decisions() -> AsyncIterator[DecisionServer]:
    """The model's server."""
    async with decision_server() as server:
        yield server


@pytest.fixture(scope="module", params=["typesafe", "cloudflare", "openai"])
async def deciding(
    request: pytest.FixtureRequest, decisions: DecisionServer, database_url: str
) -> AsyncIterator[Application]:
    """An application set up with the model in one of its formats."""
    settings = settings_for(
        database_url,
        decision_model_provider=request.param,
        decision_model_base_url=decisions.url,
        decision_model_api_key=KEY,
    )
    async with application(settings) as app:
        yield app


@pytest.fixture
async def asking(deciding: Application, decisions: DecisionServer, bank: TestBank) -> AsyncIterator[TestBank]:
    """A bank of four facts, and a decision model that finds chess helpful and tea repeated."""
    await bank.retain(*FACTS)
    decisions.faults.clear()
    decisions.judge = judge
    web = create_app(running=deciding)
    async with web.router.lifespan_context(web), client_of(web) as client:
        yield TestBank(client, bank.bank_id)


def judge(state: str, task: str, parts: dict[str, str]) -> float:
    text = parts["memory"]
    if task == REPEATS:
        return 0.95 if "tea" in text and "tea" in parts["earlier"] else 0.05
    assert task == HELPS
    return 0.9 if "chess" in text else 0.6 if "tea" in text else 0.1


async def test_the_most_helpful_come_first_and_scores_are_places(asking: TestBank) -> None:
    results = await asking.results(QUERY)
    assert results[0]["text"] == "Ben plays chess."
    assert results[-1]["text"] == "The office has a new printer."
    assert [fact["scores"]["final"] for fact in results] == [1.0, 0.75, 0.5, 0.25]
    assert {fact["scores"]["reranker"] for fact in results} == {None}


async def test_d18_prune_drops_what_is_of_no_help(asking: TestBank) -> None:
    texts = await asking.texts(QUERY, rerank={"prune": True})
    assert "The office has a new printer." not in texts
    assert len(texts) == 3


async def test_d18_dedup_drops_the_repetition(asking: TestBank) -> None:
    texts = await asking.texts(QUERY, rerank={"dedup": True})
    assert len([text for text in texts if "tea" in text]) == 1
    assert len(texts) == 3


@pytest.mark.parametrize("fault", [Fault(400), Fault(200, b"not json"), Fault(200, b"{}")])
async def test_d15_a_failing_model_leaves_the_fused_order_and_says_so(
    asking: TestBank, decisions: DecisionServer, fault: Fault
) -> None:
    decisions.faults.append(fault)
    response = await asking.post_recall(QUERY, rerank={"prune": True, "dedup": True})
    assert response.status_code == 200
    assert len(response.json()["results"]) == len(FACTS)
    assert response.headers["X-Recall-Degraded"] == "reranker"


async def test_d18_a_failing_dedup_keeps_everything_and_says_so(
    asking: TestBank, decisions: DecisionServer
) -> None:
    def fails_to_compare(state: str, task: str, parts: dict[str, str]) -> float:
        if task == REPEATS:
            decisions.faults.append(Fault(400))
            raise ConnectionError
        return judge(state, task, parts)

    decisions.judge = fails_to_compare
    response = await asking.post_recall(QUERY, rerank={"dedup": True})
    assert len(response.json()["results"]) == len(FACTS)
    assert response.headers["X-Recall-Degraded"] == "dedup"


async def test_d11_a_floor_on_places_is_refused(asking: TestBank) -> None:
    response = await asking.post_recall(QUERY, min_scores={"reranker": 0.2})
    assert response.status_code == 400
    assert "min_scores.reranker is not supported with the 'decision_model' reranker" in response.text


async def test_the_trace_shows_what_the_model_thought(asking: TestBank) -> None:
    trace: dict[str, Any] = (await asking.recall(QUERY, trace=True))["trace"]
    first = trace["reranked"][0]
    assert first["text"] == "Ben plays chess."
    assert first["score_components"]["decision_likelihood"] == 0.9
    assert first["rerank_score"] == 1.0


async def test_d18_prune_refills_what_observations_suppress(asking: TestBank, deciding: Application) -> None:
    source = await add_fact(deciding, asking.bank_id, "Ben plays chess on Mondays.")
    await add_fact(
        deciding,
        asking.bank_id,
        "Ben is a chess player.",
        fact_type=FactType.OBSERVATION,
        source_memory_ids=[source],
    )
    texts = await asking.texts(QUERY, prefer_observations=True, rerank={"prune": True})
    assert "Ben is a chess player." in texts
    assert "Ben plays chess on Mondays." not in texts
    assert "The office has a new printer." not in texts
