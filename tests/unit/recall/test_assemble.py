"""Source facts within their budgets."""

from __future__ import annotations

from recalld.domain.memory import Memory
from recalld.recall.assemble import pick_sources
from tests.fixtures.values import memory, observation

FOUND = {id_: memory(id_, token_count=size) for id_, size in (("a", 10), ("b", 3), ("c", 5))}


def picked(observations: list[Memory], total: int, each: int = -1) -> tuple[str, bool]:
    facts, truncated = pick_sources(observations, FOUND, total, each)
    return "".join(fact.id for fact in facts), truncated


def test_a_negative_total_is_no_limit() -> None:
    assert picked([observation("o", "a", "b", "c")], -1) == ("abc", False)


def test_what_does_not_fit_is_skipped_and_the_walk_goes_on() -> None:
    assert picked([observation("o", "a", "b", "c")], 8) == ("bc", True)
    assert picked([observation("o", "a", "b", "c")], 0) == ("", True)


def test_a_shared_fact_is_charged_once() -> None:
    assert picked([observation("o", "a", "b"), observation("p", "a", "c")], 18) == ("abc", False)


def test_a_budget_for_each_observation_replaces_the_total() -> None:
    assert picked([observation("o", "a", "b"), observation("p", "c")], 0, each=5) == ("bc", True)
    assert picked([observation("o", "a")], 99, each=0) == ("", True)


def test_a_fact_that_another_budget_let_in_is_not_missing() -> None:
    assert picked([observation("o", "b", "a"), observation("p", "a")], 0, each=10) == ("ba", False)


def test_a_fact_that_no_longer_exists_is_no_truncation() -> None:
    assert picked([observation("o", "gone", "b")], 100) == ("b", False)
    assert picked([], 100) == ("", False)
