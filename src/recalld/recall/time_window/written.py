"""Single written dates in languages without rules of their own, read by dateparser."""

from __future__ import annotations

import logging
import re
from datetime import datetime
from functools import lru_cache

import dateparser

from recalld.recall.time_window.spans import FIRST_YEAR, LAST_YEAR, Span, one_day

_LOG = logging.getLogger(__name__)
_LANGUAGES = [
    "pl",
    "cs",
    "uk",
    "tr",
    "sv",
    "da",
    "nb",
    "fi",
    "hu",
    "ro",
    "el",
    "vi",
    "id",
    "bg",
    "hr",
    "he",
    "ar",
]
_WORD = r"[^\W\d_]{3,}"
_HAS_YEAR = re.compile(r"\d{4}")
_CANDIDATE = re.compile(
    rf"(?<![\w.,:/-])(?:\d{{1,2}}\.?\s+{_WORD}(?:\s+{_WORD})?,?\s+\d{{4}}|{_WORD}\s+\d{{1,2}},\s+\d{{4}}"
    rf"|\d{{4}}\.?\s+{_WORD}\s+\d{{1,2}})(?![\w:/-])"
)


def might_be_written(text: str) -> bool:
    """Whether the text holds something shaped like a date with its day, month and year."""
    return _HAS_YEAR.search(text) is not None and _CANDIDATE.search(text) is not None


@lru_cache(maxsize=512)
def _parse(candidate: str) -> datetime | None:
    try:
        found: datetime | None = dateparser.parse(
            candidate,
            languages=_LANGUAGES,
            settings={"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]},
        )
    except Exception:  # noqa: BLE001 - the library has raised almost anything
        _LOG.warning("dateparser failed; the query keeps no window from it", exc_info=True)
        return None
    return found


def written_date(text: str) -> Span | None:
    """The first date written out with its day, month and year."""
    for match in _CANDIDATE.finditer(text):
        found = _parse(match[0])
        if found is not None and FIRST_YEAR <= found.year <= LAST_YEAR:
            return one_day(found.date())
    return None
