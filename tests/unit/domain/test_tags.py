"""Tag filters: the tables of the specification, decided in plain Python."""

from __future__ import annotations

import pytest

from recalld.domain.tags import (
    NO_FILTER,
    TagAnd,
    TagLeaf,
    TagMatch,
    TagNode,
    TagNot,
    TagOr,
    flat_filter,
    leaves,
    matches,
)

ROWS = {1: ("a",), 2: ("b",), 3: ("a", "b"), 4: ()}


def passing(node: TagNode) -> set[int]:
    return {number for number, tags in ROWS.items() if matches(node, tags)}


@pytest.mark.parametrize(
    ("tags", "match", "expected"),
    [
        ("a", "any", {1, 3, 4}),
        ("a", "all", {1, 3, 4}),
        ("a", "any_strict", {1, 3}),
        ("a", "all_strict", {1, 3}),
        ("a", "exact", {1}),
        ("ab", "any", {1, 2, 3, 4}),
        ("ab", "all", {3, 4}),
        ("ab", "any_strict", {1, 2, 3}),
        ("ab", "all_strict", {3}),
        ("ab", "exact", {3}),
        ("", "any", {1, 2, 3, 4}),
        ("", "all", {1, 2, 3, 4}),
        ("", "any_strict", {1, 2, 3, 4}),
        ("", "all_strict", {1, 2, 3, 4}),
        ("", "exact", {4}),
    ],
)
def test_the_flat_filter_follows_the_truth_table(tags: str, match: str, expected: set[int]) -> None:
    assert passing(flat_filter(tuple(tags), TagMatch(match))) == expected


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("exact", {4}),
        ("any", {4}),
        ("any_strict", set()),
        ("all", {1, 2, 3, 4}),
        ("all_strict", {1, 2, 3}),
    ],
)
def test_f10_an_empty_leaf_differs_from_the_empty_flat_filter(match: str, expected: set[int]) -> None:
    assert passing(TagLeaf((), TagMatch(match))) == expected


def test_f9_an_empty_and_is_true_and_an_empty_or_is_false() -> None:
    assert passing(TagAnd(())) == passing(NO_FILTER) == {1, 2, 3, 4}
    assert passing(TagOr(())) == set()


def test_not_is_plain_negation_and_keeps_untagged_rows() -> None:
    assert passing(TagNot(TagLeaf(("a",), TagMatch.EXACT))) == {2, 3, 4}
    assert passing(TagAnd((TagLeaf(("a",)), TagNot(TagLeaf(("b",)))))) == {1}


def test_tags_are_case_sensitive_and_repetition_means_nothing() -> None:
    assert not matches(TagLeaf(("A",)), ("a",))
    assert matches(TagLeaf(("a", "a"), TagMatch.EXACT), ("a", "a", "a"))
    assert flat_filter(["a", "a"], TagMatch.ANY) == TagLeaf(("a",), TagMatch.ANY)


def test_leaves_come_left_to_right() -> None:
    one, two, three = (TagLeaf((name,)) for name in "abc")
    assert list(leaves(TagOr((one, TagNot(TagAnd((two, three))))))) == [one, two, three]
