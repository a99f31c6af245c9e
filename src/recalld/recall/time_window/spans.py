"""Calendar arithmetic on spans of whole days, in local wall time and without a zone."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

FIRST_YEAR = 1900
LAST_YEAR = 2100
DAY = timedelta(days=1)
SATURDAY = 5
LONGEST_MONTH = 31
PARTS_OF_DAY = {"morning": (0, 11), "afternoon": (12, 17), "evening": (18, 23), "night": (18, 23)}
DAYS_IN = {"day": 1, "week": 7, "fortnight": 14}
MONTHS_IN = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
OPPOSITE_SEASON = {"spring": "autumn", "summer": "winter", "autumn": "spring", "winter": "summer"}
_EARLY_DAYS = {7: (2, 4), 2: (1, 1), 1: (1, 1)}


@dataclass(frozen=True, slots=True)
class Span:
    """An inclusive stretch of local time, from the first moment of its start to the last of its end."""

    start: datetime
    end: datetime

    @property
    def first(self) -> date:
        return self.start.date()

    @property
    def last(self) -> date:
        return self.end.date()

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def contains(self, day: date) -> bool:
        return self.first <= day <= self.last

    def distance(self, day: date) -> int:
        """Days between a day and the span; none inside it."""
        return max((self.first - day).days, (day - self.last).days, 0)

    def widened(self, days: int) -> Span:
        """The span with so many more days on both sides."""
        return days_between(self.first - DAY * days, self.last + DAY * days)


def days_between(first: date, last: date) -> Span:
    """Whole days, both included; in whichever order they are given."""
    low, high = min(first, last), max(first, last)
    return Span(datetime.combine(low, time.min), datetime.combine(high, time.max))


def one_day(day: date) -> Span:
    """A single whole day."""
    return days_between(day, day)


def cover(one: Span, other: Span) -> Span:
    """The span from the earlier start to the later end."""
    return Span(min(one.start, other.start), max(one.end, other.end))


def hours(moment: datetime, until: datetime | None = None) -> Span:
    """The whole clock hours from one moment to another, or the hour of a moment."""
    low, high = min(moment, until or moment), max(moment, until or moment)
    return Span(
        low.replace(minute=0, second=0, microsecond=0), high.replace(minute=59, second=59, microsecond=999999)
    )


def part_of_day(span: Span, part: str) -> Span:
    """The morning, afternoon, evening or night of a day; a longer span stays as it is."""
    if span.first != span.last:
        return span
    low, high = PARTS_OF_DAY[part]
    return hours(span.start.replace(hour=low), span.start.replace(hour=high))


def shift_months(day: date, months: int) -> date:
    """The same day so many months on, or the last day of a month too short for it."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _shift_business_days(day: date, count: int) -> date:
    whole, rest = divmod(abs(count), 5)
    step = DAY if count > 0 else -DAY
    day += step * 7 * whole
    while rest:
        day += step
        rest -= day.weekday() < SATURDAY
    return day


def shift(day: date, unit: str, count: int) -> date:
    """A day moved by a number of units."""
    if unit in DAYS_IN:
        return day + DAY * DAYS_IN[unit] * count
    if unit in {"weekend", "workweek"}:
        return day + DAY * 7 * count
    if unit == "business day":
        return _shift_business_days(day, count)
    return shift_months(day, MONTHS_IN[unit] * count)


def month(year: int, number: int) -> Span:
    """A calendar month."""
    first = date(year, number, 1)
    return days_between(first, first.replace(day=calendar.monthrange(year, number)[1]))


def months(year: int, number: int, count: int) -> Span:
    """A run of whole calendar months."""
    first = date(year, number, 1)
    return days_between(first, shift_months(first, count) - DAY)


def year_span(year: int) -> Span:
    """A calendar year, within the years a memory can speak of."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(year)
    return months(year, 1, 12)


def season(name: str, year: int, *, southern: bool = False) -> Span:
    """A meteorological season by the year in which it begins."""
    return months(year, SEASON_MONTHS[OPPOSITE_SEASON[name] if southern else name], 3)


def week(day: date) -> Span:
    """The week of a day, Monday to Sunday."""
    monday = day - DAY * day.weekday()
    return days_between(monday, monday + DAY * 6)


def unit_span(unit: str, day: date, offset: int = 0) -> Span:
    """The calendar unit a day lies in, or the one so many units away."""
    if unit == "day":
        return one_day(day + DAY * offset)
    if unit in {"week", "fortnight", "weekend", "workweek"}:
        monday = day - DAY * day.weekday() + DAY * 7 * offset
        if unit == "weekend":
            return days_between(monday + DAY * SATURDAY, monday + DAY * 6)
        if unit == "workweek":
            return days_between(monday, monday + DAY * 4)
        return days_between(monday, monday + DAY * (DAYS_IN[unit] - 1))
    size = MONTHS_IN[unit]
    index = (day.year * 12 + day.month - 1) // size * size + offset * size
    return months(index // 12, index % 12 + 1, size)


def iso_week(year: int, number: int) -> Span:
    """A numbered week of a year; minus one is the last."""
    if number < 0:
        return week(date(year, 12, 28) + DAY * 7 * (number + 1))
    monday = date.fromisocalendar(year, number, 1)
    return days_between(monday, monday + DAY * 6)


def nth_unit(span: Span, unit: str, position: int, count: int = 1) -> Span:
    """The first, second or last units of a longer span; ``position`` minus one is the last."""
    if unit == "week" and span.days in {365, 366}:
        low = iso_week(span.first.year, position if position > 0 else -count)
        return days_between(low.first, low.first + DAY * (7 * count - 1))
    if position > 0:
        first = shift(span.first, unit, position - 1)
        found = days_between(first, shift(first, unit, count) - DAY)
    else:
        after = span.last + DAY
        found = days_between(shift(after, unit, -count), span.last)
    if not span.contains(found.first):
        raise ValueError(position)
    return days_between(found.first, min(found.last, span.last))


def third(span: Span, which: int) -> Span:
    """The early (0), middle (1) or late (2) part of a span."""
    first, last = span.first, span.last
    if first.day == 1 and span.days in {28, 29, 30, 31}:
        starts = [first, first + DAY * 10, first + DAY * 20, last + DAY]
    elif first.day == 1 and (last + DAY).day == 1:
        size = (last.year - first.year) * 12 + last.month - first.month + 1
        starts = [shift_months(first, cut) for cut in (0, -(-size // 3), -(-2 * size // 3))]
        starts.append(last + DAY)
    else:
        one, two = _EARLY_DAYS.get(span.days, (-(-span.days // 3), -(-2 * span.days // 3)))
        starts = [first, first + DAY * one, first + DAY * two, last + DAY]
    return days_between(starts[which], max(starts[which], starts[which + 1] - DAY))


def half(span: Span, which: int) -> Span:
    """The first (1) or second (2) half of a span."""
    first, last = span.first, span.last
    if first.day == 1 and (last + DAY).day == 1 and span.days > LONGEST_MONTH:
        size = (last.year - first.year) * 12 + last.month - first.month + 1
        cut = shift_months(first, size // 2)
    else:
        cut = first + DAY * (span.days // 2)
    return days_between(first, cut - DAY) if which == 1 else days_between(cut, last)


def easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (anonymous Gregorian computus)."""
    golden, (hundreds, rest) = year % 19, divmod(year, 100)
    epact = (19 * golden + hundreds - hundreds // 4 - (hundreds - (hundreds + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (hundreds % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift_back = (golden + 11 * epact + 22 * weekday) // 451
    number, day = divmod(epact + weekday - 7 * shift_back + 114, 31)
    return date(year, number, day + 1)


def nth_weekday(year: int, number: int, weekday: int, position: int) -> date:
    """The first, second, ... or last (minus one) such weekday of a month."""
    if position < 0:
        last = month(year, number).last
        return last - DAY * ((last.weekday() - weekday) % 7)
    first = date(year, number, 1)
    return first + DAY * ((weekday - first.weekday()) % 7 + 7 * (position - 1))
