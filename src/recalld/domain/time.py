"""Spans of time: what a query or a caller means by "then"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """An inclusive span. Both ends are aware and ``start <= end``."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end < self.start:
            msg = "a window cannot end before it starts"
            raise ValueError(msg)

    @property
    def middle(self) -> datetime:
        """The centre of the span."""
        return self.start + (self.end - self.start) / 2

    def proximity(self, moment: datetime) -> float:
        """Closeness to the centre: 1 there, 0 at the edges and beyond; 1 for a window without length."""
        half = (self.end - self.start) / 2
        if not half:
            return 1.0
        return 1.0 - min(abs(moment - self.middle) / half, 1.0)


def as_utc(moment: datetime) -> datetime:
    """The same instant in UTC; a naive value is read as UTC, one past the calendar's edge as the edge."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == 1 else _LAST
