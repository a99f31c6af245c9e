"""Reciprocal rank fusion: the constant, the first rank, ties by first sight."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.recall.fuse import RRF_K, fuse
from recalld.recall.types import RetrieverName
from tests.fixtures.values import ranking

S, K, G, T = RetrieverName

LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=4, max_size=4)


def test_k_is_60_and_ranks_start_at_one() -> None:
    assert RRF_K == 60
    (first, second) = fuse([ranking(S, "ab")])
    assert first.rrf_score == 1 / 61
    assert second.rrf_score == 1 / 62


def test_scores_add_up_over_the_retrievers_that_found_a_fact() -> None:
    found = {fact.id: fact for fact in fuse([ranking(S, "ab"), ranking(K, "bc"), ranking(T, "b")])}
    assert found["b"].rrf_score == pytest.approx(1 / 62 + 1 / 61 + 1 / 61)
    assert found["b"].ranks == {S: 2, K: 1, T: 1}
    assert found["b"].scores == {S: 0.999, K: 1.0, T: 1.0}
    assert found["c"].ranks == {K: 2}


def test_ties_keep_the_order_of_first_sight() -> None:
    rankings = [ranking(S, "z"), ranking(K, "a"), ranking(G, "m"), ranking(T, "b")]
    assert [fact.id for fact in fuse(rankings)] == ["z", "a", "m", "b"]


def test_no_rankings_no_candidates() -> None:
    assert fuse([]) == ()
    assert fuse([ranking(S, "")]) == ()


@given(LISTS)
def test_fusion_is_the_sum_it_says_and_comes_best_first(lists: list[list[str]]) -> None:
    fused = fuse([ranking(name, ids) for name, ids in zip(RetrieverName, lists, strict=True)])
    assert {fact.id for fact in fused} == {id_ for ids in lists for id_ in ids}
    for fact in fused:
        expected = sum(1 / (60 + ids.index(fact.id) + 1) for ids in lists if fact.id in ids)
        assert fact.rrf_score == pytest.approx(expected)
    scores = [fact.rrf_score for fact in fused]
    assert scores == sorted(scores, reverse=True)
