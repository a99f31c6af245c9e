"""Selection: floors, observation preference, the window and the token budget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.banks import BankConfig
from recalld.domain.budget import estimated_tokens
from recalld.domain.memory import FactType
from recalld.recall.select import clear, clear_floors, fit, prefer_observations, select
from recalld.recall.types import (
    ByDocument,
    Evidence,
    RecallQuery,
    ScoredCandidate,
    ScoreFloors,
    SourceEvidence,
)
from tests.fixtures.values import memory, observation, plan, scored


def of_lengths(lengths: Sequence[int]) -> list[ScoredCandidate]:
    return [scored(memory(f"m{i}", token_count=length)) for i, length in enumerate(lengths)]


def kept_lengths(lengths: Sequence[int], max_tokens: int) -> list[int]:
    kept, used = fit(of_lengths(lengths), max_tokens)
    assert used == sum(one.memory.token_count for one in kept)
    return [one.memory.token_count for one in kept]


def ids(found: Sequence[ScoredCandidate]) -> list[str]:
    return [one.memory.id for one in found]


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(35, [30, 2]), (42, [30, 2, 10]), (12, [2, 10]), (1, [30]), (0, []), (-5, [])],
)
def test_d3_the_budget_skips_what_does_not_fit_and_goes_on(budget: int, expected: list[int]) -> None:
    assert kept_lengths([30, 2, 10], budget) == expected


@given(st.lists(st.integers(1, 60), max_size=30), st.integers(-5, 200))
def test_d3_the_budget_holds_unless_a_single_fact_is_all_there_is(lengths: list[int], budget: int) -> None:
    kept = kept_lengths(lengths, budget)
    if budget <= 0 or not lengths:
        assert kept == []
    elif min(lengths) > budget:
        assert kept == lengths[:1]
    else:
        assert 0 < sum(kept) <= budget
        left_out = budget - sum(kept)
        assert len(kept) == len(lengths) or sum(length > left_out for length in lengths) >= len(
            lengths
        ) - len(kept)


@given(st.lists(st.integers(1, 60), max_size=30), st.integers(1, 200))
def test_the_kept_facts_stay_in_rank_order(lengths: list[int], budget: int) -> None:
    kept, _ = fit(of_lengths(lengths), budget)
    assert ids(kept) == sorted(ids(kept), key=lambda id_: int(id_[1:]))


def test_floors_are_inclusive_and_all_hold() -> None:
    ranked = [scored(memory(id_), value, final=value) for id_, value in (("a", 0.9), ("b", 0.5), ("c", 0.1))]
    assert ids(clear_floors(ranked, ScoreFloors())) == ["a", "b", "c"]
    assert ids(clear_floors(ranked, ScoreFloors(final=0.5))) == ["a", "b"]
    assert ids(clear_floors(ranked, ScoreFloors(final=0.1, reranker=0.9))) == ["a"]


def test_a_floor_on_relevance_drops_what_has_none() -> None:
    assert clear_floors([scored(memory(), reranker=None)], ScoreFloors(reranker=0.0)) == []


def test_an_observation_replaces_the_facts_it_rests_on() -> None:
    ranked = [
        scored(memory("a")),
        scored(observation("o", "a", "b")),
        scored(memory("b")),
        scored(memory("c")),
    ]
    assert ids(prefer_observations(ranked, 10)) == ["o", "c"]


def test_an_observation_below_the_window_replaces_nothing() -> None:
    ranked = [scored(memory("a")), scored(memory("b")), scored(observation("o", "a"))]
    assert ids(prefer_observations(ranked, 2)) == ["a", "b", "o"]


def test_observations_never_replace_observations() -> None:
    ranked = [scored(observation("o", "p")), scored(observation("p", "a"))]
    assert ids(prefer_observations(ranked, 10)) == ["o", "p"]


def test_freed_places_are_filled_from_behind() -> None:
    ranked = [scored(observation("o", "a", "b")), *(scored(memory(id_)) for id_ in "abcd")]
    asked = plan(RecallQuery("b", "q", prefer_observations=True), depth=1)
    assert ids(select(asked, ranked).window) == ["o", "c"]


@pytest.mark.parametrize(
    ("types", "wanted", "expected"),
    [
        ((FactType.WORLD, FactType.OBSERVATION), True, ["o"]),
        ((FactType.WORLD, FactType.OBSERVATION), None, ["a", "o"]),
        ((FactType.WORLD, FactType.EXPERIENCE), True, ["a", "o"]),
        ((FactType.OBSERVATION,), True, ["a", "o"]),
    ],
)
def test_preferring_observations_needs_the_wish_and_both_kinds(
    types: tuple[FactType, ...], wanted: Any, expected: list[str]
) -> None:
    asked = plan(RecallQuery("b", "q", types=types, prefer_observations=wanted))
    summary = scored(observation("o", "a", text="summed up"))
    assert ids(select(asked, [scored(memory("a")), summary]).kept) == expected


def test_an_observation_lost_to_the_budget_still_replaces_its_sources() -> None:
    ranked = [scored(memory("c")), scored(observation("o", "a", token_count=99)), scored(memory("a"))]
    asked = plan(RecallQuery("b", "q", prefer_observations=True, max_tokens=5))
    assert ids(select(asked, ranked).kept) == ["c"]


def test_the_window_is_twice_the_depth_and_taken_before_the_token_cut() -> None:
    selection = select(plan(RecallQuery("b", "q", max_tokens=0), depth=2), of_lengths([1] * 9))
    assert (len(selection.ranked), len(selection.window), len(selection.kept)) == (9, 4, 0)


def test_a_limit_on_results_comes_last() -> None:
    selection = select(plan(RecallQuery("b", "q", max_results=2)), of_lengths([1] * 9))
    assert ids(selection.kept) == ["m0", "m1"]


@pytest.mark.parametrize(
    ("asked", "configured", "expected"),
    [(True, False, "ab"), (None, True, "ab"), (False, True, "abc"), (None, False, "abc")],
)
def test_d18_pruning_drops_what_the_decision_model_finds_of_no_help(
    asked: bool | None,  # noqa: FBT001
    configured: bool,  # noqa: FBT001
    expected: str,
) -> None:
    judged = [scored(memory(id_), helps=helps) for id_, helps in (("a", 0.9), ("b", 0.5), ("c", 0.49))]
    config = BankConfig(recall_decision_model_prune=configured)
    assert ids(clear(plan(RecallQuery("b", "q", prune=asked), config=config), judged)) == list(expected)


def test_d18_pruning_has_no_effect_without_a_decision_model() -> None:
    assert ids(clear(plan(RecallQuery("b", "q", prune=True)), [scored(memory("a"))])) == ["a"]


def test_d18_pruned_slots_are_filled_again() -> None:
    judged = [scored(memory(id_), helps=helps) for id_, helps in (("a", 0.9), ("b", 0.1), ("c", 0.8))]
    asked = plan(RecallQuery("b", "q", prune=True), depth=1)
    assert ids(select(asked, clear(asked, judged)).window) == ["a", "c"]


def test_an_observation_that_only_echoes_one_of_its_facts_is_left_out() -> None:
    fact, other = scored(memory("a", text="same")), scored(memory("b", text="else"))
    echo = scored(observation("o", "b", "a", text="same"))
    rewritten = scored(observation("p", "a", text="in other words"))
    assert ids(select(plan(), [echo, fact, other, rewritten]).kept) == ["a", "b", "p"]
    assert ids(select(plan(), [echo, other]).kept) == ["o", "b"]
    preferring = plan(RecallQuery("b", "q", prefer_observations=True))
    assert ids(select(preferring, [echo, fact, other]).kept) == ["o"]


NOWHERE = Evidence(datetime(2026, 1, 1, tzinfo=UTC), None, ())


def documents(*pieces: tuple[str, str | None, int], **query: Any) -> tuple[list[str], int]:
    """What is kept of pieces (id, document, characters) that come best first, and what it costs."""
    ranked = [scored(memory(id_, text="x" * length, token_count=1000)) for id_, _, length in pieces]
    evidence = {id_: NOWHERE._replace(piece_of=document) for id_, document, _ in pieces}
    asked = RecallQuery("b", "q", by_document=ByDocument(estimated_tokens), **query)
    found = select(plan(asked), ranked, evidence)
    return ids(found.kept), found.tokens_used


def test_pieces_of_one_document_fold_into_the_best() -> None:
    pieces = (("1", "d", 4), ("2", "e", 4), ("3", "d", 4), ("4", None, 4), ("5", None, 4), ("6", "e", 4))
    assert documents(*pieces) == (["1", "2", "4", "5"], 4)


def test_an_id_like_that_of_a_document_is_another_thing() -> None:
    assert documents(("1", "2", 4), ("2", None, 4))[0] == ["1", "2"]


def test_documents_are_kept_whole_or_left_out_the_best_too() -> None:
    pieces = (("1", "a", 100), ("2", "b", 13), ("3", "c", 90), ("4", "d", 20))
    assert documents(*pieces, max_tokens=9) == (["2", "4"], 4 + 5)
    assert documents(*pieces, max_tokens=3) == ([], 0)


def test_excerpts_count() -> None:
    source = SourceEvidence("d", NOWHERE.occurred_at, ("y" * 7, "z"), None, None)
    asked = RecallQuery("b", "q", by_document=ByDocument(estimated_tokens))
    found = select(plan(asked), [scored(memory("1", text="x"))], {"1": NOWHERE._replace(sources=(source,))})
    assert found.tokens_used == 3


def test_what_has_no_evidence_is_left_out() -> None:
    asked = RecallQuery("b", "q", by_document=ByDocument(estimated_tokens))
    assert select(plan(asked), [scored(memory("1"))], {}).kept == ()


@given(st.lists(st.integers(1, 60), max_size=30), st.integers(1, 40), st.integers(1, 8))
def test_neither_the_budget_nor_the_limit_is_passed(lengths: list[int], tokens: int, limit: int) -> None:
    pieces = [(str(i), f"d{i}", length) for i, length in enumerate(lengths)]
    kept, used = documents(*pieces, max_tokens=tokens, max_results=limit)
    assert used == sum(estimated_tokens(["x" * lengths[int(id_)]]) for id_ in kept) <= tokens
    fitting = [i for i, length in enumerate(lengths) if estimated_tokens(["x" * length]) <= tokens]
    assert len(kept) <= limit
    assert kept[:1] == [str(i) for i in fitting[:1]]
