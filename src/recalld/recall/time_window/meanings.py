"""What each kind of rule row means in the calendar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from recalld.recall.time_window import spans
from recalld.recall.time_window.grammar import Words
from recalld.recall.time_window.holidays import holiday as holiday_date
from recalld.recall.time_window.reading import (
    BARE,
    EXPLICIT,
    LAST,
    NAMED,
    NEXT,
    RELATIVE,
    THIS,
    Anchor,
    Reading,
    from_day_to_day,
    recurring,
)
from recalld.recall.time_window.spans import DAY, Span, one_day, shift

Meaning = Callable[[Words, Anchor, tuple[str, ...]], Reading]

_CLOCK = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1), "second": timedelta(seconds=1)}
_WHOLE_UNITS = {"quarter", "weekend", "half", "century"}
_MONTHS = 12
_MONTHS_BACK = 120


def _mode(arguments: tuple[str, ...]) -> int:
    return int(arguments[0]) if arguments else BARE


def never(_words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """What recurs or cannot be placed: it takes its words away from other rules and gives no window."""
    raise ValueError


def day(_words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A day so many away, or a part of it."""
    span = one_day(anchor.today + DAY * int(arguments[0]))
    if len(arguments) > 1:
        span = spans.part_of_day(span, arguments[1])
    return Reading(span, RELATIVE)


def calendar_unit(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """This, last or next week, month, year, ...: the whole calendar unit."""
    unit = arguments[1] if len(arguments) > 1 else words.unit()
    return Reading(spans.unit_span(unit, anchor.today, int(arguments[0])), RELATIVE)


def rest_of_unit(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """Earlier, so far or later in the running unit."""
    unit = arguments[1] if len(arguments) > 1 else words.unit()
    whole, today = spans.unit_span(unit, anchor.today), anchor.today
    first, last = {
        "-1": (whole.first, max(whole.first, today - DAY)),
        "0": (whole.first, today),
        "1": (today, whole.last),
    }[arguments[0]]
    return from_day_to_day(first, last, RELATIVE)


def ago(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """So many units away: that day, or a band where the number is vague."""
    sign = int(arguments[0])
    unit = arguments[2] if len(arguments) > 2 else words.unit()  # noqa: PLR2004 - sign, count, unit
    amount = words.amount()
    low, high, reach = (int(arguments[1]),) * 3 if len(arguments) > 1 else amount
    if unit in _CLOCK:
        one, two = (anchor.moved(_CLOCK[unit] * sign * count) for count in (low, high))
        return Reading(spans.hours(one, two), RELATIVE)
    start = anchor.today
    for count, further in words.further_steps():
        start = shift(start, further, sign * count)
    one_end, other_end = (shift(start, unit, sign * count) for count in (low, high))
    distance = abs((shift(start, unit, sign * reach) - anchor.today).days)
    return Reading(spans.days_between(one_end, other_end), RELATIVE, distance=distance)


def rolling(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The last or next so many units, counted from the anchor."""
    sign = int(arguments[0])
    unit = arguments[2] if len(arguments) > 2 else words.unit()  # noqa: PLR2004 - sign, count, unit
    count = int(arguments[1]) if len(arguments) > 1 else words.amount().reach
    today = anchor.today
    if unit in _CLOCK:
        return Reading(
            spans.hours(anchor.moved(timedelta()), anchor.moved(_CLOCK[unit] * sign * count)), RELATIVE
        )
    if unit in _WHOLE_UNITS:
        near, far = (spans.unit_span(unit, today, sign * step) for step in (1, count))
        return Reading(spans.cover(near, far), RELATIVE)
    far_day = shift(today, unit, sign * count)
    for more, further in words.further_steps():
        far_day = shift(far_day, further, sign * more)
    return from_day_to_day(far_day, today if sign < 0 else today + DAY, RELATIVE)


def weekday(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A day of the week: the latest, the last, the next, or the one of this week."""
    wanted, today, mode = words.weekday(), anchor.today, _mode(arguments)
    back = (today.weekday() - wanted) % 7
    found = {
        BARE: today - DAY * back,
        LAST: today - DAY * (back or 7),
        NEXT: today + DAY * (7 - back),
        THIS: today - DAY * today.weekday() + DAY * wanted,
    }[mode]
    span = one_day(found)
    if len(arguments) > 1:
        span = spans.part_of_day(span, arguments[1])

    def after(start: date) -> Span:
        return one_day(start + DAY * ((wanted - start.weekday()) % 7))

    return Reading(span, NAMED if mode == BARE else RELATIVE, after=after)


def weekday_in_week(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A day of last, this or next week, or of the week so many units away."""
    sign = int(arguments[0])
    there = shift(anchor.today, words.unit(), sign * words.amount().reach) if words.has("unit") else None
    monday = spans.week(there or anchor.today + DAY * 7 * sign).first
    return Reading(one_day(monday + DAY * words.weekday()), RELATIVE)


def weekday_date(words: Words, anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """A weekday with the number of its day: the latest month in which they agree."""
    first = anchor.today.replace(day=1)
    for back in range(-1, _MONTHS_BACK):
        start = spans.shift_months(first, -back)
        try:
            found = start.replace(day=words.day())
        except ValueError:
            continue
        if found.weekday() == words.weekday() and (found <= anchor.today or back == 0):
            return Reading(one_day(found), NAMED)
    raise ValueError


def month(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A month by name."""
    number = words.month()
    if words.has("year"):
        return Reading(spans.month(words.year(), number), EXPLICIT)
    if len(arguments) > 1:
        return Reading(spans.month(anchor.today.year + int(arguments[1]), number), NAMED)
    return recurring(lambda year: spans.month(year, number), anchor, _mode(arguments))


def months(words: Words, anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """From one month to another."""
    first, last = words.month(), words.month("month2")

    def make(year: int) -> Span:
        return spans.cover(spans.month(year, first), spans.month(year + (last < first), last))

    if words.has("year"):
        year = words.year()
        return Reading(make(year - (last < first)), EXPLICIT)
    return recurring(make, anchor)


def month_of_year(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A fixed run of months, or third of a month, in a year or month so many away."""
    unit, offset, first, count = arguments[0], *map(int, arguments[1:4])
    whole = spans.unit_span(unit, anchor.today, offset)
    if words.has("year"):
        whole = spans.year_span(words.year())
    strength = EXPLICIT if words.has("year") else RELATIVE
    if unit == "month":
        return Reading(spans.third(whole, first), strength)
    return Reading(spans.months(whole.first.year, first, count), strength)


def written_date(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A day of a month, of a year when one is said."""
    number, day_number = words.month(), words.day()
    if words.has("year"):
        return Reading(one_day(date(words.year(), number, day_number)), EXPLICIT)
    if len(arguments) > 1:
        return Reading(one_day(date(anchor.today.year + int(arguments[1]), number, day_number)), NAMED)
    return recurring(lambda year: one_day(date(year, number, day_number)), anchor, _mode(arguments))


def days_in_month(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """From one day to another of last, this or next month."""
    first = spans.shift_months(anchor.today.replace(day=1), int(arguments[0]))
    return from_day_to_day(first.replace(day=words.day()), first.replace(day=words.day("day2")), NAMED)


def days_of_month(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """From one day to another of the same month, or across its start or end when the second is earlier."""
    number, first, last = words.month(), words.day(), words.day("day2")

    def make(year: int) -> Span:
        if last >= first:
            return spans.days_between(date(year, number, first), date(year, number, last))
        if arguments:
            return spans.days_between(
                spans.shift_months(date(year, number, 1), -1).replace(day=first), date(year, number, last)
            )
        return spans.days_between(date(year, number, first), spans.shift_months(date(year, number, last), 1))

    if words.has("year"):
        return Reading(make(words.year()), EXPLICIT)
    return recurring(make, anchor)


def day_of_month(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A numbered day of this month, or of last or next month."""
    number = words.day()
    if number not in range(1, 32):
        raise ValueError(number)
    first = spans.shift_months(anchor.today.replace(day=1), _mode(arguments))
    for back in range(3):
        start = spans.shift_months(first, -back)
        if number <= spans.month(start.year, start.month).days:
            break

    def after(day: date) -> Span:
        return one_day(day + DAY * next(step for step in range(62) if (day + DAY * step).day == number))

    return Reading(one_day(start.replace(day=number)), NAMED, after=after)


def _month_and_day(one: int, two: int, anchor: Anchor) -> tuple[int, int]:
    day_first = one > _MONTHS or (anchor.date_order.upper() == "DMY" and two <= _MONTHS)
    return (two, one) if day_first else (one, two)


def numeric_date(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """Two numbers and perhaps a year, in the order the caller expects where both can be the month."""
    if len(arguments) > 1:
        anchor = replace(anchor, date_order="DMY")
    number, day_number = _month_and_day(words.day("one"), words.day("two"), anchor)
    if words.has("year"):
        return Reading(one_day(date(words.year(), number, day_number)), EXPLICIT)
    return recurring(lambda year: one_day(date(year, number, day_number)), anchor, _mode(arguments))


def numeric_range(words: Words, anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """From one numeric date to another; the first may borrow the year."""
    first = _month_and_day(words.day("one"), words.day("two"), anchor)
    last = _month_and_day(words.day("three"), words.day("four"), anchor)
    until = words.year("year2")
    since = words.year() if words.has("year") else until - (first > last)
    return from_day_to_day(date(since, *first), date(until, *last), EXPLICIT)


def year(words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """A calendar year."""
    return Reading(spans.year_span(words.year()), EXPLICIT)


def years(words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """From one year to another."""
    first, last = words.year(), words.year("year2")
    if last < first:
        raise ValueError
    return Reading(spans.cover(spans.year_span(first), spans.year_span(last)), EXPLICIT)


def decade(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """The nineties, the 1990s, the 90s."""
    said = int(arguments[0]) if arguments else int(words.text("decade"))
    if said < spans.FIRST_YEAR:
        said += 2000 if 2000 + said <= anchor.today.year else 1900
    spans.year_span(said)
    return Reading(spans.months(said // 10 * 10, 1, 120), EXPLICIT)


def century(words: Words, _anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """A numbered century, from the year that ends in two zeros."""
    first = (words.ordinal() - 1) * 100
    spans.year_span(first)
    return Reading(spans.months(first, 1, 1200), EXPLICIT)


def _fraction(words: Words, anchor: Anchor, arguments: tuple[str, ...], size: int) -> Reading:
    number = words.ordinal()
    if not 1 <= number <= 12 // size:
        raise ValueError(number)

    def make(year_number: int) -> Span:
        return spans.months(year_number, (number - 1) * size + 1, size)

    if words.has("year"):
        return Reading(make(words.year()), EXPLICIT)
    if arguments:
        return Reading(make(anchor.today.year + int(arguments[0])), RELATIVE)
    return recurring(make, anchor)


def quarter(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A numbered quarter."""
    return _fraction(words, anchor, arguments, 3)


def half_year(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A numbered half of a year."""
    return _fraction(words, anchor, arguments, 6)


def season(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A season, by the year in which it begins."""
    name = words.season()

    def make(year_number: int) -> Span:
        return spans.season(name, year_number, southern=anchor.southern)

    if words.has("year"):
        return Reading(make(words.year()), EXPLICIT)
    if len(arguments) > 1:
        return Reading(make(anchor.today.year + int(arguments[1])), NAMED)
    return recurring(make, anchor, _mode(arguments), nearest=True)


def holiday(words: Words, anchor: Anchor, arguments: tuple[str, ...]) -> Reading:
    """A feast day, or the weekend at it."""
    name = words.holiday()

    def make(year_number: int) -> Span:
        feast = holiday_date(name, year_number)
        if not words.has("weekend"):
            return one_day(feast)
        saturday = feast + DAY * ((5 - feast.weekday() + 3) % 7 - 3)
        return spans.cover(spans.days_between(saturday, saturday + DAY), one_day(_near(feast, saturday)))

    if words.has("year"):
        return Reading(make(words.year()), EXPLICIT)
    return recurring(make, anchor, _mode(arguments), nearest=True)


def _near(feast: date, saturday: date) -> date:
    return feast if -1 <= (feast - saturday).days <= 2 else saturday  # noqa: PLR2004 - Friday to Monday


def numbered_week(words: Words, anchor: Anchor, _arguments: tuple[str, ...]) -> Reading:
    """An ISO week of a year."""
    number = words.day("number")
    if words.has("year"):
        return Reading(spans.iso_week(words.year(), number), EXPLICIT)
    return Reading(spans.iso_week(anchor.today.isocalendar().year, number), NAMED)


MEANINGS: dict[str, Meaning] = {
    "never": never,
    "day": day,
    "calendar": calendar_unit,
    "running": calendar_unit,
    "rest": rest_of_unit,
    "ago": ago,
    "rolling": rolling,
    "weekday": weekday,
    "weekday_in_week": weekday_in_week,
    "weekday_date": weekday_date,
    "month": month,
    "months": months,
    "month_of_year": month_of_year,
    "date": written_date,
    "days": days_of_month,
    "days_in_month": days_in_month,
    "day_of_month": day_of_month,
    "numeric": numeric_date,
    "numeric_range": numeric_range,
    "year": year,
    "years": years,
    "decade": decade,
    "century": century,
    "quarter": quarter,
    "half": half_year,
    "season": season,
    "holiday": holiday,
    "numbered_week": numbered_week,
}
