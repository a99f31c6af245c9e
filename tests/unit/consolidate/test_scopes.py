"""Which sets of tags a fact counts in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.consolidate.scopes import MOST_COMBINED, scope, scopes_of


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, [("a", "b")]),
        ("combined", [("a", "b")]),
        ([], [("a", "b")]),
        ("per_tag", [("a",), ("b",)]),
        ("all_combinations", [("a",), ("b",), ("a", "b")]),
        ("shared", [()]),
        ([["a"], ["b", "a"]], [("a",), ("a", "b")]),
        ([["x"]], [("x",)]),
        ([["a*", "z"]], [("a", "z")]),
        ([["q*"], ["a"]], [("a",)]),
        ([[]], [()]),
        ([["a"], ["a"]], [("a",)]),
    ],
)
def test_a_setting_means_scopes(setting: Any, expected: list[tuple[str, ...]]) -> None:
    assert scopes_of(["b", "a", "b"], setting) == expected


@pytest.mark.parametrize("setting", [None, "combined", "per_tag", "all_combinations", "shared"])
def test_an_untagged_fact_has_the_untagged_scope(setting: Any) -> None:
    assert scopes_of([], setting) == [()]


@given(st.lists(st.sampled_from("abcdefghij"), unique=True))
def test_combinations_stay_few(tags: list[str]) -> None:
    scopes = scopes_of(tags, "all_combinations")
    assert len(scopes) == len(set(scopes)) <= 2**MOST_COMBINED
    assert scope(tags) in scopes
