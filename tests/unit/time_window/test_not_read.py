"""What must not be read as a date (D17)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recalld.recall.time_window import might_be_dated

Read = Callable[..., str | None]

UNDATED = (
    "Where does the team keep the release checklist?",
    "Who recommended the book about gardens?",
    "What did April say?",
    "Did June and August meet May?",
    "port 8080",
    "which service uses port 8080?",
    "Python 3.11",
    "error 2024x",
    "release 5.3.0 on 192.168.1.10",
    "v2024.06.05",
    "it costs $2023",
    "deliver 2000 pieces",
    "the second option",
    "may I ask who they are",
    "march on",
    "who did we march with",
    "she may become lead",
    "we sat down and had some sun",
    "we did what they are used to do",
    "did she fall",
    "which framework is Spring Boot 3",
    "in spring boot 3",
    "how many days did it take",
    "every December",
    "what do I usually do on Fridays",
    "what do we do now",
    "recently",
    "the first week of the trip",
    "the last day of the holiday",
    "in 9999",
    "june 0000",
    "June 31",
    "February 30, 2024",
    "2024-02-30",
    "2024-13-01",
    "since tomorrow",
    "call (206) 555-1212 or 123-12-1234",
    "a 4:3 screen of 30/4.85",
    "",
    "?!",
)  # fmt: skip


@pytest.mark.parametrize("text", UNDATED)
def test_d17_no_window(read: Read, text: str) -> None:
    assert read(text) is None


def test_d17_a_bare_year_counts_only_with_an_introducer_or_alone(read: Read) -> None:
    assert read("the 2023 budget") is None
    assert read("budget 2023 report") is None
    assert read("2023?") == "2023-01-01..2023-12-31"
    assert read("the budget in 2023") == "2023-01-01..2023-12-31"
    assert read("the budget in 1850") is None


def test_d17_a_cheap_test_turns_undated_queries_away(read: Read) -> None:
    assert not might_be_dated("Where does the team keep the release checklist on port 8080?")
    assert might_be_dated("What did we decide last week?")
    assert might_be_dated("上周的会议")
