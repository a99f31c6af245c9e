"""Dates as users of such servers reported them going wrong (field issues A)."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from recalld.recall.time_window import find_window

Read = Callable[..., str | None]


@pytest.mark.parametrize("opening", ["", "me ", "did ", "do ", "so ", "sat ", "are ", "to ", "we "])
def test_a1_short_words_do_not_beat_the_real_date(read: Read, opening: str) -> None:
    anchor = datetime(2026, 7, 17, tzinfo=UTC)
    assert read(f"{opening}did we agree on the venue in March?", anchor) == "2026-03-01..2026-03-31"


@pytest.mark.parametrize(
    "text",
    [
        "maps from 100000 years ago",
        "十万年前的地图",
        "two thousand and twenty-six years ago",
        "999999999 days later",
        "9999999999999999999999 weeks ago",
    ],
)
def test_a4_hyperbole_has_no_window_and_raises_nothing(read: Read, text: str) -> None:
    assert read(text) is None


def test_a7_a_failure_of_the_library_means_no_window(
    read: Read, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise IndexError

    monkeypatch.setattr("dateparser.parse", fail)
    assert read("notatki z 7 czerwca 1999") is None
    assert "dateparser failed" in caplog.text


def test_a7_random_strings_raise_nothing() -> None:
    chance = random.Random(7)
    signs = "abc019 -/.年月日上周0ñйé한글ٱ🙂\u0000\ud800'\"?"
    for _ in range(500):
        find_window(
            "".join(chance.choices(signs, k=chance.randint(0, 60))), datetime(2026, 9, 16, tzinfo=UTC)
        )


@pytest.mark.parametrize(
    "text",
    [
        "can you reach me by phone",
        "do you own a car",
        "none of these are final",
        "he went to a bar",
        "me",
        "on:",
    ],
)
def test_a8_tiny_words_are_no_dates(read: Read, text: str) -> None:
    assert read(text) is None


def test_a9_quantities_are_no_dates_and_do_not_spoil_one(read: Read) -> None:
    assert read("budget 100M for line 73 20") is None
    assert read("at 32° 34'S") is None
    assert read("20 items on 30 September 2018") == "2018-09-30"


def test_a10_the_verb_is_no_month(read: Read) -> None:
    assert read("she may become lead") is None
    assert read("May it never rain") is None
    assert read("in May") == "2026-05-01..2026-05-31"
    assert read("May 2025") == "2025-05-01..2025-05-31"


@pytest.mark.parametrize("text", ["information fripple", "Julian plays sax", "Augusta decided", "mondegreen"])
def test_a11_no_date_inside_a_word(read: Read, text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("last week", "2026-08-03..2026-08-09"),
        ("last month", "2026-07-01..2026-07-31"),
        ("last year", "2025-01-01..2025-12-31"),
        ("past 7 days", "2026-08-05..2026-08-12"),
        ("last seven days", "2026-08-05..2026-08-12"),
    ],
)
def test_a12_plain_relative_phrases_work_in_digits_and_words(read: Read, text: str, expected: str) -> None:
    assert read(text, datetime(2026, 8, 12, 9, tzinfo=UTC)) == expected


def test_a13_direction_words_are_honoured(read: Read) -> None:
    assert read("two days later") == "2026-09-18"
    assert read("1mon ago") == "2026-08-16"
    assert read("what do we do now") is None


def test_a18_recurring_patterns_are_not_one_day(read: Read) -> None:
    assert read("what do I usually do on Fridays") is None
    assert read("the fair of every December") is None


def test_a19_a_query_of_nothing_but_a_time_is_read(read: Read) -> None:
    assert read("last week") == "2026-09-07..2026-09-13"
