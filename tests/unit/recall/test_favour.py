"""Favoured retrievers: how the setting is read, who reaches the reranker, what is added after it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.recall.favour import LEVELS, bump_of, cut, read_favours
from recalld.recall.fuse import fuse
from recalld.recall.types import RetrieverName
from tests.fixtures.values import ranking

SEMANTIC, KEYWORD, GRAPH, TEMPORAL = RetrieverName


def test_retrievers_and_levels_are_read_and_nonsense_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    read = read_favours(" bm25:HIGH, graph ,semantic:low,nobody:low,temporal:extreme,, ")
    assert read == {KEYWORD: LEVELS["high"], GRAPH: LEVELS["medium"], SEMANTIC: LEVELS["low"]}
    assert ["nobody:low" in caplog.text, "temporal:extreme" in caplog.text] == [True, True]


@given(st.text(max_size=30))
def test_no_setting_breaks_the_start(text: str) -> None:
    assert set(read_favours(text)) <= set(RetrieverName)


def test_below_the_cap_nothing_is_reordered() -> None:
    fused = fuse([ranking(SEMANTIC, "ab"), ranking(KEYWORD, "cd")])
    assert cut(fused, 4, {KEYWORD: LEVELS["high"]}) == fused


def test_over_the_cap_a_favoured_retriever_comes_sooner() -> None:
    fused = fuse([ranking(SEMANTIC, "abcd"), ranking(KEYWORD, "wxyz")])
    assert [one.id for one in cut(fused, 4, {})] == ["a", "w", "b", "x"]
    assert [one.id for one in cut(fused, 4, {KEYWORD: LEVELS["high"]})] == ["w", "x", "y", "z"]
    assert [one.rrf_score for one in cut(fused, 1, {KEYWORD: LEVELS["high"]})] == [1 / 61]


def test_issue_3956_a_favoured_retriever_never_evicts_the_heads_of_the_others() -> None:
    names = [f"k{i}" for i in range(1000)]
    fused = fuse([ranking(KEYWORD, names), ranking(SEMANTIC, "ab"), ranking(GRAPH, "gh")])
    kept = {one.id for one in cut(fused, 300, {KEYWORD: LEVELS["high"]})}
    assert {"a", "b", "g", "h"} <= kept


@pytest.mark.parametrize(("rank", "expected"), [(1, 0.2), (5, 0.1), (13, 0.05)])
def test_issue_4653_the_bump_decays_with_the_rank(rank: int, expected: float) -> None:
    assert bump_of({SEMANTIC: rank}, {SEMANTIC: LEVELS["medium"]}) == pytest.approx(expected)


def test_issue_4939_the_bump_of_the_temporal_retriever_is_flat() -> None:
    assert {bump_of({TEMPORAL: rank}, {TEMPORAL: LEVELS["low"]}) for rank in (1, 50, 300)} == {0.05}


def test_bumps_add_up_over_the_retrievers_that_found_a_fact() -> None:
    favours = {SEMANTIC: LEVELS["low"], KEYWORD: LEVELS["high"], GRAPH: LEVELS["high"]}
    assert bump_of({SEMANTIC: 1, KEYWORD: 1}, favours) == pytest.approx(0.55)
