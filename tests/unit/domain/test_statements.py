"""Statements that say anew what another said, and statements that only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.statements import frames, restates, says_the_same


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Alice lives in Berlin.", "Alice lives in Munich."),
        ("Alice lives in Berlin.", "Alice now lives in New York City."),
        ("The standup is at 9:30.", "The standup is at 10:00."),
        ("The project deadline is March 3.", "The project deadline is now March 10."),
        ("Bob's favourite colour is blue.", "Bob's favourite colour is green."),
        ("Bob works at Acme as an engineer.", "Bob works at Globex as an engineer."),
        ("The wifi password is hunter2.", "The wifi password is swordfish9."),
        ("Die Besprechung ist um 9:30.", "Die Besprechung ist jetzt um 10:00."),
    ],
)
def test_another_value_for_the_same_thing_takes_its_place(earlier: str, later: str) -> None:
    assert restates(earlier, later)
    assert says_the_same(0.7, earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Alice lives in Berlin.", "Alice works in Berlin."),
        ("Alice likes tea.", "Alice likes coffee."),
        ("Met Carol for lunch at the harbour.", "Met Carol for dinner at the harbour."),
        ("Alice lives in Berlin.", "Bob lives in Berlin."),
        ("Tea is hot.", "Coffee is hot."),
        ("Bob plays the cello.", "Bob plays chess."),
        ("Alice lives in Berlin.", "Alice lives in Berlin with her two cats."),
        ("Alice lives in Berlin.", "Alice lives in a small flat near the river Spree."),
        ("", "Alice lives in Berlin."),
        ("Berlin", "Munich"),
    ],
)
def test_what_only_looks_like_it_stands_beside(earlier: str, later: str) -> None:
    assert not restates(earlier, later)
    assert not says_the_same(0.94, earlier, later)


def test_statements_alike_enough_are_the_same_whatever_their_words() -> None:
    assert says_the_same(0.95, "Alice lives in Berlin.", "In Berlin lives Alice.")


@given(st.text(max_size=60))
def test_nothing_restates_itself(text: str) -> None:
    assert not restates(text, text)


WORDS = st.lists(
    st.sampled_from(["ada", "lives", "is", "in", "Rome", "Oslo", "now", "7", "and", "the"]), max_size=9
)


@given(WORDS, WORDS)
def test_whatever_restates_a_statement_has_a_frame_in_common_with_it(
    one: list[str], other: list[str]
) -> None:
    earlier, later = " ".join(one), " ".join(other)
    if restates(earlier, later):
        assert frames(earlier) & frames(later)


@given(WORDS, st.integers(1, 8), st.integers(1, 3), st.integers(1, 3))
def test_statements_with_another_value_share_a_frame(
    words: list[str], start: int, old: int, new: int
) -> None:
    before, after = words[:start], words[start:]
    earlier = " ".join(["ada", *before, *["Rome"] * old, *after])
    later = " ".join(["ada", *before, *["7"] * new, *after])
    assert frames(earlier) & frames(later)
    assert not frames(" ".join(["word"] * 31))
