"""Reads a query at the specification's anchor and prints its window short."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from recalld.domain.time import TimeWindow
from recalld.recall.time_window import find_window

ANCHOR = datetime(2026, 9, 16, 12, tzinfo=UTC)

Read = Callable[..., str | None]


def short(window: TimeWindow | None) -> str | None:
    """Whole days as ``2026-09-16`` or ``2026-09-14..2026-09-20``, other edges with their hour."""
    if window is None:
        return None
    start, end = window.start, window.end
    first = start.date().isoformat() + (f"T{start:%H}" if start.hour else "")
    last = end.date().isoformat() + (f"T{end:%H}" if end.hour != 23 else "")
    assert (start.minute, start.second, start.microsecond) == (0, 0, 0)
    assert (end.minute, end.second, end.microsecond) == (59, 59, 999_999)
    return first if first == last else f"{first}..{last}"


@pytest.fixture
def read() -> Read:
    def at(
        text: str, anchor: datetime = ANCHOR, *, date_order: str = "MDY", southern: bool = False
    ) -> str | None:
        return short(find_window(text, anchor, date_order=date_order, southern=southern))

    return at
