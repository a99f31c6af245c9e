"""What must be read in English (D17), at the anchor Wednesday 2026-09-16 noon UTC."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Read = Callable[..., str | None]

DAYS = {
    "today": "2026-09-16",
    "yesterday": "2026-09-15",
    "the day before yesterday": "2026-09-14",
    "tomorrow": "2026-09-17",
    "3 days ago": "2026-09-13",
    "two weeks ago": "2026-09-02",
    "a week ago": "2026-09-09",
    "1mon ago": "2026-08-16",
    "half a year ago": "2026-03-16",
    "two days later": "2026-09-18",
    "in two weeks": "2026-09-30",
    "the 21st": "2026-09-21",
    "June 5": "2026-06-05",
    "June 5, 2024": "2024-06-05",
    "5 June 2024": "2024-06-05",
    "the fifth of June 2024": "2024-06-05",
    "2024-06-05": "2024-06-05",
    "2024/06/05": "2024-06-05",
    "06/05/2024": "2024-06-05",
    "13/06/2024": "2024-06-13",
    "last Monday": "2026-09-14",
    "on Monday": "2026-09-14",
    "on Wednesday": "2026-09-16",
    "last Wednesday": "2026-09-09",
    "this Friday": "2026-09-18",
    "next Friday": "2026-09-18",
    "next Monday": "2026-09-21",
    "Tuesday of last week": "2026-09-08",
    "Christmas 2024": "2024-12-25",
    "last Thanksgiving": "2025-11-27",
    "New Year's Eve": "2025-12-31",
    "Halloween": "2025-10-31",
    "Valentine's Day": "2026-02-14",
    "next Christmas": "2026-12-25",
    "Easter 2024": "2024-03-31",
    "two weeks before August 11, 2023": "2023-07-28",
    "the first Monday of June 2024": "2024-06-03",
}

PERIODS = {
    "this week": "2026-09-14..2026-09-20",
    "last week": "2026-09-07..2026-09-13",
    "next week": "2026-09-21..2026-09-27",
    "this month": "2026-09-01..2026-09-30",
    "last month": "2026-08-01..2026-08-31",
    "next month": "2026-10-01..2026-10-31",
    "this year": "2026-01-01..2026-12-31",
    "last year": "2025-01-01..2025-12-31",
    "next year": "2027-01-01..2027-12-31",
    "this weekend": "2026-09-19..2026-09-20",
    "last weekend": "2026-09-12..2026-09-13",
    "next weekend": "2026-09-26..2026-09-27",
    "this quarter": "2026-07-01..2026-09-30",
    "last quarter": "2026-04-01..2026-06-30",
    "next quarter": "2026-10-01..2026-12-31",
    "last decade": "2010-01-01..2019-12-31",
    "in June": "2026-06-01..2026-06-30",
    "june": "2026-06-01..2026-06-30",
    "last June": "2026-06-01..2026-06-30",
    "next June": "2027-06-01..2027-06-30",
    "in December": "2025-12-01..2025-12-31",
    "June 2024": "2024-06-01..2024-06-30",
    "during September 2023": "2023-09-01..2023-09-30",
    "2024-06": "2024-06-01..2024-06-30",
    "early June": "2026-06-01..2026-06-10",
    "mid June": "2026-06-11..2026-06-20",
    "late June": "2026-06-21..2026-06-30",
    "end of June": "2026-06-21..2026-06-30",
    "first week of June 2024": "2024-06-01..2024-06-07",
    "early 2024": "2024-01-01..2024-04-30",
    "in 2023": "2023-01-01..2023-12-31",
    "2023": "2023-01-01..2023-12-31",
    "2019 year": "2019-01-01..2019-12-31",
    "year 2019": "2019-01-01..2019-12-31",
    "in the 1990s": "1990-01-01..1999-12-31",
    "the nineties": "1990-01-01..1999-12-31",
    "Q3 2024": "2024-07-01..2024-09-30",
    "first half of 2025": "2025-01-01..2025-06-30",
    "last spring": "2026-03-01..2026-05-31",
    "in summer 2025": "2025-06-01..2025-08-31",
    "this winter": "2026-12-01..2027-02-28",
    "last winter": "2025-12-01..2026-02-28",
    "fall 2024": "2024-09-01..2024-11-30",
}

SPANS = {
    "last 7 days": "2026-09-09..2026-09-16",
    "last seven days": "2026-09-09..2026-09-16",
    "past 3 months": "2026-06-16..2026-09-16",
    "previous two years": "2024-09-16..2026-09-16",
    "over the last year": "2025-09-16..2026-09-16",
    "next 3 days": "2026-09-17..2026-09-19",
    "a couple of days ago": "2026-09-13..2026-09-15",
    "a few days ago": "2026-09-11..2026-09-13",
    "several days ago": "2026-09-09..2026-09-13",
    "a couple of weeks ago": "2026-08-26..2026-09-09",
    "a few weeks ago": "2026-08-12..2026-08-26",
    "several months ago": "2026-02-16..2026-06-16",
    "from March to May 2024": "2024-03-01..2024-05-31",
    "between June 3 and 7": "2026-06-03..2026-06-07",
    "March 3-5": "2026-03-03..2026-03-05",
    "from October to February": "2025-10-01..2026-02-28",
    "from Monday to Wednesday": "2026-09-14..2026-09-16",
    "between 2019 and 2021": "2019-01-01..2021-12-31",
    "2014 to 2018": "2014-01-01..2018-12-31",
    "december 2023 and january 2024": "2023-12-01..2024-01-31",
    "yesterday and last year": "2025-01-01..2026-09-15",
    "since June": "2026-06-01..2026-09-16",
    "since 2019": "2019-01-01..2026-09-16",
    "after June 2024": "2024-06-01..2026-09-16",
    "before 2020": "2010-01-01..2019-12-31",
    "until last week": "2016-09-07..2026-09-06",
    "around June 5": "2026-06-02..2026-06-08",
    "about two weeks ago": "2026-08-29..2026-09-06",
    "the week before August 3, 2023": "2023-07-27..2023-08-02",
    "the weekend after Christmas 2024": "2024-12-28..2024-12-29",
    "week of June 5": "2026-06-01..2026-06-07",
}

PARTS_OF_A_DAY = {
    "Monday morning": "2026-09-14..2026-09-14T11",
    "this morning": "2026-09-16..2026-09-16T11",
    "last night": "2026-09-15T18..2026-09-15",
    "tonight": "2026-09-16T18..2026-09-16",
    "yesterday at 3 pm": "2026-09-15T15",
    "3 hours ago": "2026-09-16T09",
}


@pytest.mark.parametrize(("text", "expected"), (DAYS | PERIODS | SPANS).items())
def test_d17_an_english_expression_is_read(read: Read, text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [row for row in (DAYS | PERIODS | SPANS).items() if row[0] not in {"june", "2023", "Halloween"}],
)
def test_d17_an_expression_is_read_inside_a_question(read: Read, text: str, expected: str) -> None:
    assert read(f"What did we write down {text}?") == expected


@pytest.mark.parametrize(("text", "expected"), PARTS_OF_A_DAY.items())
def test_d17_a_time_of_day_narrows_the_day(read: Read, text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("last week, as noted on November 6, 2023", "2023-11-06"),
        ("on November 6, 2023, about the issue of last week", "2023-11-06"),
        ("yesterday, not June 5, 2024", "2024-06-05"),
        ("june 9999 or rather March 3, 2025", "2025-03-03"),
    ],
)
def test_d17_explicit_goes_before_relative_wherever_it_stands(read: Read, text: str, expected: str) -> None:
    assert read(text) == expected


def test_d17_the_caller_sets_the_order_of_numeric_dates(read: Read) -> None:
    assert read("06/05/2024") == "2024-06-05"
    assert read("06/05/2024", date_order="DMY") == "2024-05-06"
    assert read("2024-06-05", date_order="DMY") == "2024-06-05"
    assert read("06/13/2024", date_order="DMY") == "2024-06-13"


def test_d17_a_feast_needs_an_introducer_inside_a_question(read: Read) -> None:
    assert read("What did we wear on Halloween?") == "2025-10-31"
    assert read("Who likes Halloween costumes?") is None


def test_d17_seasons_turn_round_in_the_south(read: Read) -> None:
    assert read("in summer 2024", southern=True) == "2024-12-01..2025-02-28"
    assert read("last winter", southern=True) == "2026-06-01..2026-08-31"
