"""What an expression means: a span, how strong a claim it is, and how it moves when joined to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from recalld.domain.time import TimeWindow
from recalld.recall.time_window.spans import Span, days_between

EXPLICIT = 3
NAMED = 2
RELATIVE = 1
BARE, LAST, NEXT, THIS = 0, -1, 1, 2
_REACH = 9

YearSpan = Callable[[int], Span]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The moment a query is asked, in its own zone, and the conventions it is read by."""

    moment: datetime
    date_order: str = "MDY"
    southern: bool = False

    @property
    def zone(self) -> tzinfo:
        return self.moment.tzinfo or UTC

    @property
    def today(self) -> date:
        return self.moment.date()

    def moved(self, by: timedelta) -> datetime:
        """The local wall time so much real time away."""
        return (self.moment.astimezone(UTC) + by).astimezone(self.zone).replace(tzinfo=None)

    def window(self, span: Span) -> TimeWindow:
        """A span as instants of the anchor's zone; a repeated hour belongs to the day whole."""
        start, end = (edge.replace(tzinfo=self.zone) for edge in (span.start, span.end))
        later = end.replace(fold=1)
        return TimeWindow(start, later if later.astimezone(UTC) > end.astimezone(UTC) else end)


@dataclass(frozen=True, slots=True)
class Reading:
    """A resolved expression. ``in_year`` and ``after`` read it anew beside another date."""

    span: Span
    strength: int
    in_year: YearSpan | None = None
    after: Callable[[date], Span] | None = None
    distance: int | None = None


def _tried(make: YearSpan, years: range) -> Iterator[Span]:
    for year in years:
        try:
            yield make(year)
        except ValueError:
            continue


def recurring(make: YearSpan, anchor: Anchor, mode: int = BARE, *, nearest: bool = False) -> Reading:
    """The right year for something that comes every year."""
    today = anchor.today
    back = range(today.year + 1, today.year - _REACH, -1)
    ahead = range(today.year - 1, today.year + _REACH)
    if mode == THIS and nearest:
        span = min(
            _tried(make, range(today.year - 1, today.year + 2)), key=lambda found: found.distance(today)
        )
    elif mode == THIS:
        span = make(today.year)
    elif mode == NEXT:
        span = next(found for found in _tried(make, ahead) if found.first > today)
    elif mode == LAST:
        span = next(found for found in _tried(make, back) if found.last < today)
    else:
        span = next(found for found in _tried(make, back) if found.first <= today)

    def after(day: date) -> Span:
        return next(found for found in _tried(make, range(day.year, day.year + _REACH)) if found.first >= day)

    return Reading(span, NAMED, in_year=make if mode == BARE else None, after=after)


def joined(left: Reading, right: Reading) -> Reading:
    """The span from one date to another; a side without a year takes it from the other."""
    one, two = left.span, right.span
    if right.strength == EXPLICIT and left.in_year is not None:
        one = left.in_year(two.first.year)
        if one.first > two.last:
            one = left.in_year(two.first.year - 1)
    elif right.after is not None and (two.first < one.first or (right.in_year and left.strength == EXPLICIT)):
        two = right.after(one.first)
    start, end = min(one.start, two.start), max(one.end, two.end)
    return Reading(Span(start, end), max(left.strength, right.strength))


def from_day_to_day(first: date, last: date, strength: int) -> Reading:
    """Whole days without a second reading."""
    return Reading(days_between(first, last), strength)
