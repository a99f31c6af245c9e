"""What stands before or after a date and changes it: early, since, around, the week before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

from recalld.recall.time_window import spans
from recalld.recall.time_window.grammar import Words
from recalld.recall.time_window.reading import RELATIVE, Anchor, Reading
from recalld.recall.time_window.spans import DAY, Span, days_between, shift

Modifier = Callable[[Reading, Words, Anchor, tuple[str, ...]], Reading]

_OPEN_YEARS = 10
_AROUND_DAYS = 3
_HALF_A_DAY = 12
_TICK = timedelta(microseconds=1)


def introduce(reading: Reading, _words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """An introducer changes nothing; it only shows that a date was meant."""
    return reading


def third(reading: Reading, _words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The early, middle or late third."""
    which = int(arguments[0])

    def make(year: int) -> Span:
        return spans.third(reading.in_year(year), which) if reading.in_year else reading.span

    return Reading(
        spans.third(reading.span, which), reading.strength, in_year=make if reading.in_year else None
    )


def half(reading: Reading, _words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The first or second half."""
    return Reading(spans.half(reading.span, int(arguments[0])), reading.strength)


def nth(reading: Reading, words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """The first, second or last week, month, ... of a longer span."""
    found = spans.nth_unit(reading.span, words.unit(), words.ordinal(), words.amount().reach)
    return Reading(found, reading.strength)


def nth_weekday(reading: Reading, words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """The first, second or last such weekday of a month."""
    first = reading.span.first
    found = spans.nth_weekday(first.year, first.month, words.weekday(), words.ordinal())
    if not reading.span.contains(found):
        raise ValueError
    return Reading(spans.one_day(found), reading.strength)


def week_of(reading: Reading, _words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The week a day lies in, or the seven days that start with it."""
    first = reading.span.first
    span = spans.week(first) if arguments[0] == "of" else days_between(first, first + DAY * 6)
    return Reading(span, reading.strength)


def span_from(reading: Reading, words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """So many units that start with a date."""
    first = reading.span.first
    return Reading(
        days_between(first, shift(first, words.unit(), words.amount().reach) - DAY), reading.strength
    )


def offset(reading: Reading, words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """So many units before or after a date: that day, or a band where the number is vague."""
    sign, unit = int(arguments[0]), words.unit()
    edge = reading.span.first if sign < 0 else reading.span.last
    low, high, _ = words.amount()
    return Reading(
        days_between(shift(edge, unit, sign * low), shift(edge, unit, sign * high)), reading.strength
    )


def beside(reading: Reading, words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The day, week, weekend, ... just before or after a date."""
    unit, first, last = words.unit(), reading.span.first, reading.span.last
    if unit == "weekend":
        saturday = first - DAY * ((first.weekday() - 5) % 7 or 7) if int(arguments[0]) < 0 else None
        saturday = saturday or last + DAY * ((5 - last.weekday()) % 7 or 7)
        if saturday + DAY >= first > saturday:
            saturday -= DAY * 7
        return Reading(days_between(saturday, saturday + DAY), reading.strength)
    if int(arguments[0]) < 0:
        return Reading(days_between(shift(first, unit, -1), first - DAY), reading.strength)
    return Reading(days_between(last + DAY, shift(last, unit, 1)), reading.strength)


def around(reading: Reading, _words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A day give or take three, a distance give or take a quarter of it."""
    if reading.distance is not None:
        days = -(-reading.distance // 4)
    elif arguments or reading.strength == RELATIVE:
        days = 0
    else:
        days = _AROUND_DAYS if reading.span.days == 1 else -(-reading.span.days // 4)
    return Reading(reading.span.widened(days), reading.strength) if days else reading


def part_of_day(reading: Reading, _words: Words, _anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The morning, afternoon, evening or night of a day."""
    return Reading(spans.part_of_day(reading.span, arguments[0]), reading.strength)


def clock(reading: Reading, words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """The hour of a time of day that is said with a date."""
    if reading.span.first != reading.span.last:
        return reading
    hour = int(words.text("hour"))
    if words.has("half"):
        hour = hour % _HALF_A_DAY + (_HALF_A_DAY if words.text("half").startswith("p") else 0)
    return Reading(spans.hours(datetime.combine(reading.span.first, time(hour))), reading.strength)


def since(reading: Reading, _words: Words, anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """From the start of a date to the anchor; a date still to come is refused."""
    if reading.span.first > anchor.today:
        raise ValueError
    until = spans.one_day(anchor.today).end
    return Reading(Span(reading.span.start, until), reading.strength)


def before(reading: Reading, _words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """The ten years that end where a date starts."""
    first = shift(reading.span.first, "year", -_OPEN_YEARS)
    return Reading(Span(datetime.combine(first, time.min), reading.span.start - _TICK), reading.strength)


MODIFIERS: dict[str, Modifier] = {
    "introduce": introduce,
    "third": third,
    "half_of": half,
    "nth": nth,
    "nth_weekday": nth_weekday,
    "week_of": week_of,
    "span_from": span_from,
    "offset": offset,
    "beside": beside,
    "around": around,
    "part": part_of_day,
    "clock": clock,
    "since": since,
    "before": before,
}
