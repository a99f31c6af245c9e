"""Dates a model gives: a coarse one spans its whole period. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from recalld.domain.time import as_utc

_COARSE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_TICK = timedelta(microseconds=1)
_YEARS = range(2, 9999)
"""Those that survive any time zone."""


class Span(NamedTuple):
    """From the first to the last moment of something; empty where nothing is known."""

    start: datetime | None = None
    end: datetime | None = None


UNDATED = Span()


def read_span(start: Any, end: Any) -> Span:
    """The time two dates name together. What is no date counts as absent, as does an end before the start."""
    first, last = _period(start), _period(end)
    if first.start is None:
        return last
    if last.end is None or first.end is None or last.end < first.end:
        return first
    return Span(first.start, last.end)


def _period(value: Any) -> Span:
    """The whole year, month or day a coarse date names; a moment for one with a time."""
    if not isinstance(value, str):
        return UNDATED
    try:
        if coarse := _COARSE.fullmatch(value.strip()):
            year, month, day = (int(part or 0) for part in coarse.groups())
            return _whole(year, month, day)
        moment = as_utc(datetime.fromisoformat(value.strip()))
    except (ValueError, OverflowError):
        return UNDATED
    return Span(moment, moment) if moment.year in _YEARS else UNDATED


def _whole(year: int, month: int, day: int) -> Span:
    """The period of a date; 0 for a month or day that is left open."""
    if year not in _YEARS:
        return UNDATED
    last_month = month or 12
    last_day = day or monthrange(year, last_month)[1]
    start = as_utc(datetime(year, month or 1, day or 1))  # noqa: DTZ001 - as_utc gives it the zone
    end = as_utc(datetime(year, last_month, last_day)) + timedelta(days=1) - _TICK  # noqa: DTZ001
    return Span(start, end)
