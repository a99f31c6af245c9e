"""Boosts: the numbers of the specification, and the facts that get none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.memory import Memory
from recalld.recall.boost import (
    BoostWeights,
    Decay,
    boost,
    exponential_decay,
    is_coarse,
    linear_decay,
    no_decay,
    proof_of,
    recency_of,
)
from recalld.recall.favour import LEVELS
from recalld.recall.types import QueryPlan, RecallQuery, Reranked, RetrieverName, ScoredCandidate
from tests.fixtures.values import NOW, memory, plan, scored, window


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def dated(dates: dict[str, str]) -> Memory:
    fields: dict[str, Any] = {name: day(value) for name, value in dates.items()}
    return memory(**fields)


def aged(days: float) -> Memory:
    return memory(occurred_start=NOW - timedelta(days=days))


def reranked(*found: ScoredCandidate) -> Reranked:
    return Reranked(found, "a model")


def recency(fact: Memory, *, replaying: bool = False) -> float:
    return recency_of(fact, NOW, linear_decay(365.0), future_is_neutral=replaying)


def final(fact: Memory, asked: QueryPlan | None = None, relevance: float = 0.5) -> float:
    (boosted,) = boost(asked or plan(), reranked(scored(fact, relevance)))
    return boosted.final


@pytest.mark.parametrize(("days", "expected"), [(0, 0.55), (182.5, 0.5), (400, 0.46), (4000, 0.46)])
def test_recency_moves_a_relevance_of_a_half(days: float, expected: float) -> None:
    assert final(aged(days)) == pytest.approx(expected)


def test_an_undated_fact_with_one_proof_is_left_alone() -> None:
    assert final(memory()) == 0.5


def test_the_worked_example_of_the_specification() -> None:
    fact = memory(occurred_start=NOW - timedelta(days=1))
    assert final(fact) == pytest.approx(0.5497260273972603)


def test_the_age_is_that_of_the_occurrence_before_the_mention() -> None:
    fact = memory(occurred_start=NOW - timedelta(days=365 * 2), mentioned_at=NOW)
    assert recency(fact) == pytest.approx(0.1)
    assert recency(memory(mentioned_at=NOW)) == 1.0
    assert recency(memory(occurred_end=NOW)) == 1.0


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-01-01", "2026-12-31T23:59:59", 0.5),
        ("2015-01-01", "2015-12-31", 0.1),
        ("2026-08-01", "2026-08-31", 0.5),
        ("2026-01-01", "2026-01-31T23:59:59", 0.3767),
        ("2026-08-01", "2026-08-15", 0.8726),
    ],
)
def test_a_whole_month_or_year_ages_from_its_end_and_is_never_better_than_neutral(
    start: str, end: str, expected: float
) -> None:
    fact = memory(occurred_start=day(start), occurred_end=day(end))
    assert recency(fact) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("start", "end", "coarse"),
    [
        ("2026-02-01", "2026-03-01", True),
        ("2026-02-01", "2026-02-28", True),
        ("2026-02-01", "2026-02-27", False),
        ("2026-02-01", "2026-03-02", False),
        ("2024-01-01", "2025-01-01", True),
        ("2026-05-05", "2026-05-05", False),
        ("2026-05-06", "2026-05-05", False),
    ],
)
def test_coarse_is_a_month_or_year_up_to_a_day_short(start: str, end: str, coarse: bool) -> None:  # noqa: FBT001
    assert is_coarse(day(start), day(end)) is coarse
    assert not is_coarse(None, day(end))


@pytest.mark.parametrize(("count", "expected"), [(0, 0.5), (1, 0.5), (3, 0.6099), (148, 0.9997), (1000, 1.0)])
def test_proof_grows_with_the_logarithm(count: int, expected: float) -> None:
    assert proof_of(count) == pytest.approx(expected, abs=1e-4)


def test_proof_moves_a_relevance_by_a_tenth_at_most() -> None:
    assert final(memory(proof_count=3)) == pytest.approx(0.5 * (1 + 0.1 * 0.10986), abs=1e-5)


@pytest.mark.parametrize(
    "dates",
    [
        {"occurred_start": "2026-09-05"},
        {"occurred_end": "2026-09-05"},
        {"mentioned_at": "2026-09-05"},
        {"occurred_start": "2026-08-31", "occurred_end": "2026-09-10"},
    ],
)
def test_d10_any_fact_in_the_window_is_boosted_whoever_found_it(dates: dict[str, str]) -> None:
    fact = dated(dates)
    asked = plan(window=window("2026-09-01", "2026-09-09"))
    (boosted,) = boost(asked, reranked(scored(fact)))
    assert boosted.proximity == pytest.approx(1.0)
    assert boosted.final == pytest.approx(0.5 * (1 + 0.2 * (boosted.recency - 0.5)) * 1.1)


@pytest.mark.parametrize("dates", [{}, {"mentioned_at": "2025-01-01"}, {"occurred_start": "2026-09-01"}])
def test_a_fact_outside_or_at_the_edge_of_the_window_is_never_punished(dates: dict[str, str]) -> None:
    fact = dated(dates)
    (boosted,) = boost(plan(window=window("2026-09-01", "2026-09-09")), reranked(scored(fact)))
    assert boosted.proximity == 0.5


def test_a_range_around_the_window_is_in_it() -> None:
    span = window("2026-09-01", "2026-09-09")
    assert memory(occurred_start=day("2026-01-01"), occurred_end=day("2026-12-31")).dated_in(span)
    assert not memory(occurred_start=day("2026-01-01"), occurred_end=day("2026-02-01")).dated_in(span)


def test_d19_a_fact_after_a_replayed_moment_is_neutral_and_of_a_live_one_fresh() -> None:
    tomorrow = aged(-1)
    assert recency(tomorrow, replaying=True) == 0.5
    assert recency(tomorrow) == 1.0
    replay = plan(RecallQuery("b", "q", anchor=NOW))
    assert final(tomorrow, replay) == 0.5
    assert final(aged(0), replay) == pytest.approx(0.55)


def test_d14_ties_break_by_id() -> None:
    tied = tuple(scored(memory(id_)) for id_ in "cab")
    assert [one.memory.id for one in boost(plan(), reranked(*tied))] == ["a", "b", "c"]


@given(
    st.floats(0, 1),
    st.floats(-5000, 5000),
    st.integers(0, 10**6),
    st.sampled_from([None, ("2026-09-01", "2026-09-30")]),
)
def test_a_boost_keeps_within_its_bounds(
    relevance: float, days: float, proofs: int, span: tuple[str, str] | None
) -> None:
    fact = memory(occurred_start=NOW - timedelta(days=days), proof_count=proofs)
    asked = plan(window=window(*span) if span else None)
    assert (
        0.9 * 0.9 * 0.95 * relevance - 1e-9
        <= final(fact, asked, relevance)
        <= 1.1 * 1.1 * 1.05 * relevance + 1e-9
    )


def test_weights_are_the_operators_choice() -> None:
    still: dict[str, Any] = {"recency": 0.0, "temporal": 0.0, "proof": 0.0}
    (boosted,) = boost(plan(), reranked(scored(aged(0))), BoostWeights(**still))
    assert boosted.final == 0.5


@pytest.mark.parametrize(
    ("decay", "days", "expected"),
    [
        (exponential_decay(90.0), 0, 1.0),
        (exponential_decay(90.0), 90, 0.5),
        (exponential_decay(90.0), 180, 0.25),
        (exponential_decay(90.0), -5, 1.0),
        (no_decay, 0, 0.5),
        (no_decay, 4000, 0.5),
        (linear_decay(10.0), 5, 0.5),
    ],
)
def test_facts_age_as_configured(decay: Decay, days: float, expected: float) -> None:
    assert recency_of(aged(days), NOW, decay, future_is_neutral=False) == pytest.approx(expected)


def test_issue_3893_whole_months_age_from_their_end_under_every_decay() -> None:
    fact = memory(occurred_start=day("2026-08-01"), occurred_end=day("2026-08-31"))
    assert recency_of(fact, NOW, exponential_decay(90.0), future_is_neutral=False) == 0.5


def test_issue_4008_nothing_is_added_where_nothing_reranked() -> None:
    weights = BoostWeights(favours={RetrieverName.SEMANTIC: LEVELS["high"]})
    plain, bumped = (scored(memory(), 0.5, reranker=shown) for shown in (None, 0.5))
    (without,) = boost(plan(), reranked(plain), weights)
    (with_bump,) = boost(plan(), reranked(bumped), weights)
    assert (without.final, with_bump.final) == (0.5, 1.0)


def test_the_order_of_a_decision_model_stands() -> None:
    old, new = (scored(aged(days), relevance, reranker=None) for days, relevance in ((900, 1.0), (0, 0.99)))
    boosted = boost(plan(), Reranked((old, new), "decisions", in_order=True))
    assert [one.final for one in boosted] == [1.0, 0.99]
