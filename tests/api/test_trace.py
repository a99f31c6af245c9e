"""The trace: its shape, numbers that can be worked out again, and no effect on the answer."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.fixtures.bank import TestBank

HUB = [{"text": "Xanthippe"}]
ASKED: dict[str, Any] = {
    "query": "What did Alice do in Paris in August 2026?",
    "query_timestamp": "2026-09-16T12:00:00Z",
    "include": {"chunks": {}},
}


@pytest.fixture(scope="module")
async def traced(client: httpx.AsyncClient) -> TestBank:
    """A bank in which every retriever has something to find."""
    bank = TestBank(client, f"traced-{uuid4()}")
    await bank.retain(
        {
            "content": "Alice moved to Paris.",
            "timestamp": "2026-08-15T12:00:00Z",
            "entities": [{"text": "Alice"}],
        },
        {
            "content": "Alice visited the Louvre in Paris.",
            "timestamp": "2026-08-02T00:00:00Z",
            "entities": HUB,
        },
        {"content": "Bob likes hiking.", "timestamp": "2025-08-15T12:00:00Z"},
        {"content": "0441 7788 9921", "timestamp": "unset", "entities": HUB},
        {"content": "Paris is rainy.", "timestamp": "2026-09-15T12:00:00Z"},
    )
    return bank


@pytest.fixture(scope="module")
async def answer(traced: TestBank) -> dict[str, Any]:
    """A traced recall."""
    return await traced.recall(**ASKED, trace=True)


async def test_tracing_never_changes_the_answer(traced: TestBank, answer: dict[str, Any]) -> None:
    plain = await traced.recall(**ASKED)
    assert plain["trace"] is None
    assert {**answer, "trace": None} == plain


def test_its_parts(answer: dict[str, Any]) -> None:
    assert list(answer["trace"]) == [
        "query",
        "retrieval_results",
        "rrf_merged",
        "reranked",
        "entry_points",
        "visits",
        "summary",
        "final_results",
    ]


def test_the_query_as_used(answer: dict[str, Any]) -> None:
    query = dict(answer["trace"]["query"])
    assert len(query.pop("query_embedding")) == 384
    constraint = query.pop("temporal_constraint")
    assert (constraint["start"][:10], constraint["end"][:10]) == ("2026-08-01", "2026-08-31")
    assert query == {
        "query_text": ASKED["query"],
        "timestamp": "2026-09-16T12:00:00Z",
        "budget": 300,
        "max_tokens": 4096,
        "tags": None,
        "tags_match": "any",
    }


def test_one_entry_for_each_type_and_retriever(answer: dict[str, Any]) -> None:
    found = [(one["fact_type"], one["method_name"]) for one in answer["trace"]["retrieval_results"]]
    methods = ["semantic", "bm25", "graph", "temporal"]
    assert found == [(kind, name) for kind in ("world", "experience", "observation") for name in methods]
    names = {
        one["method_name"]: {r["score_name"] for r in one["results"]}
        for one in answer["trace"]["retrieval_results"][:4]
    }
    assert names == {
        "semantic": {"similarity"},
        "bm25": {"bm25_score"},
        "graph": {"activation"},
        "temporal": {"temporal_score"},
    }
    for one in answer["trace"]["retrieval_results"]:
        assert [result["rank"] for result in one["results"]] == list(range(1, len(one["results"]) + 1))


def test_rrf_scores_work_out(answer: dict[str, Any]) -> None:
    merged = answer["trace"]["rrf_merged"]
    for place, one in enumerate(merged, start=1):
        assert one["rrf_score"] == pytest.approx(
            sum(1 / (60 + rank) for rank in one["source_ranks"].values())
        )
        assert one["final_rrf_rank"] == place
    scores = [one["rrf_score"] for one in merged]
    assert scores == sorted(scores, reverse=True)
    world = {
        r["method_name"]: r["results"]
        for r in answer["trace"]["retrieval_results"]
        if r["fact_type"] == "world"
    }
    for method, results in world.items():
        ranks = {one["node_id"]: one["source_ranks"].get(f"{method}_rank") for one in merged}
        assert {r["node_id"]: r["rank"] for r in results} == {k: v for k, v in ranks.items() if v is not None}


def test_final_scores_work_out_from_their_components(answer: dict[str, Any]) -> None:
    reranked = answer["trace"]["reranked"]
    assert [one["rerank_rank"] for one in reranked] == list(range(1, len(reranked) + 1))
    for one in reranked:
        parts = one["score_components"]
        expected = (
            parts["cross_encoder_score_normalized"]
            * (1 + 0.2 * (parts["recency"] - 0.5))
            * (1 + 0.2 * (parts["temporal"] - 0.5))
            * (1 + 0.1 * (parts["proof_norm"] - 0.5))
        )
        assert one["rerank_score"] == parts["combined_score"] == pytest.approx(expected)
        assert one["rank_change"] == one["rrf_rank"] - one["rerank_rank"]


def test_recency_and_proximity_work_out_from_the_dates(answer: dict[str, Any]) -> None:
    now = datetime.fromisoformat("2026-09-16T12:00:00+00:00")
    span = answer["trace"]["query"]["temporal_constraint"]
    start, end = (datetime.fromisoformat(span[name]) for name in ("start", "end"))
    for fact in answer["trace"]["final_results"]:
        if fact["mentioned_at"] is None:
            assert (fact["recency"], fact["temporal"]) == (0.5, 0.5)
            continue
        when = datetime.fromisoformat(fact["mentioned_at"])
        assert fact["recency"] == pytest.approx(max(0.1, 1 - (now - when) / timedelta(days=365)))
        closeness = 1 - abs(when - (start + (end - start) / 2)) / ((end - start) / 2)
        assert fact["temporal"] == pytest.approx(max(0.5, closeness) if start <= when <= end else 0.5)
        assert fact["proof_norm"] == 0.5 + math.log(1) / 10


def test_the_results_are_the_traces_results(answer: dict[str, Any]) -> None:
    results, traced = answer["results"], answer["trace"]["final_results"]
    assert [fact["id"] for fact in results] == [fact["id"] for fact in traced]
    for fact, shown in zip(results, traced, strict=True):
        scores = fact["scores"]
        assert scores["final"] == shown["combined_score"]
        assert (scores["semantic"], scores["keyword"]) == (shown["semantic_similarity"], shown["bm25_score"])
        assert fact["mentioned_at"] == shown["mentioned_at"]


def test_the_summary_counts_and_times(answer: dict[str, Any]) -> None:
    summary = answer["trace"]["summary"]
    assert summary["results_returned"] == len(answer["results"])
    assert summary["budget_remaining"] == 300 - summary["total_nodes_visited"]
    phases = {phase["phase_name"]: phase["duration_seconds"] for phase in summary["phase_metrics"]}
    assert {
        "generate_query_embedding",
        "parallel_retrieval",
        "rrf_merge",
        "reranking",
        "token_filtering",
    } <= set(phases)
    assert sum(phases.values()) == pytest.approx(summary["total_duration_seconds"])


async def test_a_flat_tag_filter_is_shown(traced: TestBank) -> None:
    trace = (await traced.recall("x", tags=["a"], tags_match="all", trace=True))["trace"]
    assert (trace["query"]["tags"], trace["query"]["tags_match"]) == (["a"], "all")
