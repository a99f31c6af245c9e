"""Everything resolves in the anchor's own zone (F18)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from recalld.recall.time_window import find_window

Read = Callable[..., str | None]


def test_f18_a_naive_anchor_is_utc() -> None:
    window = find_window("yesterday", datetime(2026, 9, 16, 12))  # noqa: DTZ001 - the point of the test
    assert window is not None
    assert window.start == datetime(2026, 9, 15, tzinfo=UTC)
    assert window.start.tzinfo is UTC


@pytest.mark.parametrize(
    "zone",
    [
        ZoneInfo("America/New_York"),
        ZoneInfo("Asia/Tokyo"),
        ZoneInfo("Asia/Kathmandu"),
        ZoneInfo("Pacific/Kiritimati"),
        timezone(timedelta(hours=-11)),
    ],
    ids=str,
)
def test_f18_day_boundaries_and_result_are_in_the_zone_of_the_anchor(zone: ZoneInfo) -> None:
    anchor = datetime(2026, 9, 16, 23, 30, tzinfo=zone)
    for text, expected in (
        ("today", date(2026, 9, 16)),
        ("June 5, 2024", date(2024, 6, 5)),
        ("2024-06-05", date(2024, 6, 5)),
    ):
        window = find_window(text, anchor)
        assert window is not None
        assert window.start.tzinfo is zone
        assert window.end.tzinfo is zone
        assert window.start.replace(tzinfo=None) == datetime(expected.year, expected.month, expected.day)  # noqa: DTZ001
        assert window.end.replace(tzinfo=None) - window.start.replace(tzinfo=None) == timedelta(
            days=1, microseconds=-1
        )


@pytest.mark.parametrize(
    ("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 6, 1), 24)]
)
def test_f18_a_day_of_a_clock_change_is_whole(day: date, hours: int) -> None:
    anchor = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo("Europe/Berlin")) + timedelta(days=1)
    window = find_window("yesterday", anchor)
    assert window is not None
    length = window.end.astimezone(UTC) - window.start.astimezone(UTC)
    assert length + timedelta(microseconds=1) == timedelta(hours=hours)


def test_f18_a_repeated_last_hour_belongs_to_its_day() -> None:
    anchor = datetime(2017, 2, 19, 12, tzinfo=ZoneInfo("America/Sao_Paulo"))
    window = find_window("yesterday", anchor)
    assert window is not None
    assert window.end.astimezone(UTC) == datetime(2017, 2, 19, 2, 59, 59, 999_999, tzinfo=UTC)


def test_f18_hours_are_counted_in_real_time_across_a_clock_change(read: Read) -> None:
    anchor = datetime(2026, 3, 29, 4, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert (
        read("3 hours ago", anchor) == "2026-03-29T00"
        or read("3 hours ago", anchor) == "2026-03-29..2026-03-29T00"
    )


def test_f18_minutes_around_a_repeated_hour_still_make_a_window() -> None:
    zone = ZoneInfo("Europe/Berlin")
    for fold in (0, 1):
        for minute in (5, 55):
            anchor = datetime(2026, 10, 25, 2, minute, tzinfo=zone, fold=fold)
            window = find_window("the last 30 minutes", anchor)
            assert window is not None
            assert window.start <= window.end


@pytest.mark.parametrize("year", [1, 2, 9999])
@pytest.mark.parametrize(
    "text", ["last century", "20 years ago", "next year", "in 50 years", "before 2020", "tomorrow"]
)
def test_d17_offsets_that_leave_the_calendar_raise_nothing(year: int, text: str) -> None:
    for zone in (UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))):
        find_window(text, datetime(year, 1, 1, tzinfo=zone))
        find_window(text, datetime(year, 12, 31, 23, tzinfo=zone))
