"""Windows of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.time import TimeWindow, as_utc
from tests.fixtures.values import window

DAYS = st.integers(-400, 400)


def test_a_window_cannot_end_before_it_starts() -> None:
    with pytest.raises(ValueError, match="cannot end before"):
        window("2026-09-02", "2026-09-01")


def test_proximity_falls_from_the_centre_to_the_edges() -> None:
    week = window("2026-09-01", "2026-09-09")
    assert week.middle == datetime(2026, 9, 5, tzinfo=UTC)
    for day, expected in ((1, 0.0), (3, 0.5), (5, 1.0), (7, 0.5), (9, 0.0), (20, 0.0)):
        assert week.proximity(datetime(2026, 9, day, tzinfo=UTC)) == pytest.approx(expected)


def test_in_a_window_without_length_everything_is_at_the_centre() -> None:
    assert window("2026-09-01", "2026-09-01").proximity(datetime(2020, 1, 1, tzinfo=UTC)) == 1.0


@given(DAYS, st.integers(0, 400), DAYS)
def test_proximity_is_a_share_and_symmetric(start: int, length: int, offset: int) -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=start)
    span = TimeWindow(first, first + timedelta(days=length))
    before, after = (span.proximity(span.middle + timedelta(days=sign * offset)) for sign in (-1, 1))
    assert 0.0 <= before <= 1.0
    assert before == pytest.approx(after)


def test_naive_moments_are_utc() -> None:
    assert as_utc(datetime(2026, 9, 1, 12)) == datetime(2026, 9, 1, 12, tzinfo=UTC)  # noqa: DTZ001
    west = timezone(timedelta(hours=-7))
    assert as_utc(datetime(2026, 9, 1, 12, tzinfo=west)).isoformat() == "2026-09-01T19:00:00+00:00"
