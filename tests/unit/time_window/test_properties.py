"""Properties that hold for any input."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.recall.time_window import find_window

WORDS = re.findall(
    r"\S+",
    """last next this past in on since before after until between and to of the ago a few couple first second
    end early mid day days week month months year years weekend quarter monday sat may march june 5 3rd 21st
    1990s 2024 2023-06-05 06/05/2024 q3 christmas yesterday now 100000 hier ayer gestern vor hace
    上周 三月 到 半年前 어제 先週""",
)
IRRELEVANT = ("The kettle is blue.", "Please be kind to the reader.", "It runs on port 8080.", "We like tea.")
EXPRESSIONS = (
    "last week", "in June", "June 5, 2024", "between June 3 and 7", "since 2019", "two weeks ago", "Q3 2024",
    "in the 1990s", "next Friday", "early June", "this winter", "Halloween", "2024-06-05", "past 3 months",
)  # fmt: skip

# ruff: noqa: DTZ001 - hypothesis wants naive bounds
anchors = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)).map(
    lambda moment: moment.replace(tzinfo=UTC)
) | st.builds(
    lambda moment, hours: moment.replace(tzinfo=timezone(timedelta(hours=hours))),
    st.datetimes(),
    st.integers(-12, 14),
)


@given(text=st.text(max_size=120), anchor=anchors | st.datetimes())
@settings(max_examples=300, deadline=None)
def test_d17_no_text_raises(text: str, anchor: datetime) -> None:
    find_window(text, anchor)


@given(words=st.lists(st.sampled_from(WORDS), max_size=10), anchor=anchors)
@settings(max_examples=500, deadline=None)
def test_d17_any_mixture_of_date_words_gives_an_ordered_window_or_none(
    words: list[str], anchor: datetime
) -> None:
    window = find_window(" ".join(words), anchor)
    if window is not None:
        assert window.start <= window.end
        assert window.start.tzinfo is anchor.tzinfo


@given(
    expression=st.sampled_from(EXPRESSIONS),
    sentence=st.sampled_from(IRRELEVANT),
    anchor=st.datetimes(
        min_value=datetime(2000, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC)
    ),
)
@settings(max_examples=200, deadline=None)
def test_d17_an_irrelevant_sentence_does_not_change_the_window(
    expression: str, sentence: str, anchor: datetime
) -> None:
    alone = find_window(f"What happened {expression}?", anchor)
    assert find_window(f"What happened {expression}? {sentence}", anchor) == alone
    assert find_window(f"{sentence} What happened {expression}?", anchor) == alone
