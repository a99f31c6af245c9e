"""Finds the time a query speaks about."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from recalld.domain.time import TimeWindow
from recalld.recall.time_window.engine import strongest_span
from recalld.recall.time_window.folding import fold, simplify_han
from recalld.recall.time_window.grammar import Grammar, tokens
from recalld.recall.time_window.languages import LANGUAGES
from recalld.recall.time_window.reading import Anchor
from recalld.recall.time_window.written import might_be_written, written_date

_LOG = logging.getLogger(__name__)
_NUMERIC = re.compile(
    r"(?<!\d)(?:\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}[/-]\d{1,2}|\d{1,2}-\d{4})(?!\d)"
    r"|(?<!\d)(?:19|20)\d{6}(?!\d)|\d0'?(?:s|er|-?[\u0435\u0445])\b|\d(?:st|nd|rd|th)\b|\b[qh][1-4]\b"
)
_HAS_DIGIT = re.compile(r"\d")
_YEARS = frozenset(str(year) for year in range(1900, 2101))
_KANA = re.compile(r"[\u3040-\u30ff]")
_LONGEST = 4000
_FEW_WORDS = 3
_REACH = 5


@cache
def _grammars() -> dict[str, Grammar]:
    return {language.code: Grammar(language) for language in LANGUAGES}


@cache
def _spaced() -> tuple[Grammar, ...]:
    return tuple(grammar for grammar in _grammars().values() if not grammar.language.glued)


@cache
def _any_cue() -> frozenset[str]:
    return frozenset().union(*(grammar.cues | grammar.unit_words for grammar in _spaced()))


def _beside(said: Sequence[str], units: frozenset[str], openers: frozenset[str]) -> bool:
    """Whether a word that opens a date stands within reach of a unit."""
    for place, token in enumerate(said):
        if token in units and not openers.isdisjoint(said[max(0, place - _REACH) : place + _REACH]):
            return True
    return False


def _is_fitting(grammar: Grammar, said: Sequence[str], words: frozenset[str], *, numeric: bool) -> bool:
    if not words.isdisjoint(grammar.rivals):
        return False
    return (
        not words.isdisjoint(grammar.cues)
        or (numeric and not words.isdisjoint(grammar.introducers))
        or (
            not words.isdisjoint(grammar.unit_words)
            and not words.isdisjoint(grammar.openers)
            and _beside(said, grammar.unit_words, grammar.openers)
        )
    )


def _fitting(text: str) -> list[Grammar]:
    """The languages whose words the text holds, or none for a text without a sign of a date."""
    said = tokens(text)
    words = frozenset(said)
    numeric = not words.isdisjoint(_YEARS) or (
        _HAS_DIGIT.search(text) is not None and bool(_NUMERIC.search(text))
    )
    fitting: list[Grammar] = []
    if numeric or not words.isdisjoint(_any_cue()):
        fitting = [grammar for grammar in _spaced() if _is_fitting(grammar, said, words, numeric=numeric)]
    if numeric and not fitting and (len(words) <= _FEW_WORDS or _NUMERIC.search(text)):
        fitting.append(_grammars()["en"])
    if not text.isascii():
        fitting.extend(_fitting_glued(simplify_han(text)))
    return fitting


def _fitting_glued(text: str) -> list[Grammar]:
    fitting = [
        grammar
        for grammar in _grammars().values()
        if grammar.glued_cue is not None and grammar.glued_cue.search(text)
    ]
    if _KANA.search(text):
        return [grammar for grammar in fitting if grammar.code != "zh"]
    return fitting


def might_be_dated(text: str) -> bool:
    """Whether the grammar is worth running: microseconds for a text without a sign of a date."""
    folded = fold(text)
    return bool(_fitting(folded)) or might_be_written(folded)


def _find(text: str, anchor: Anchor) -> TimeWindow | None:
    folded = fold(text[:_LONGEST])
    fitting = _fitting(folded)
    span, met = None, False
    if fitting:
        if any(grammar.language.glued for grammar in fitting):
            folded = simplify_han(folded)
        span, met = strongest_span(folded, fitting, anchor)
    if span is None and not met and might_be_written(folded):
        span = written_date(folded)
    return None if span is None else anchor.window(span)


def find_window(
    text: str, anchor: datetime, *, date_order: str = "MDY", southern: bool = False
) -> TimeWindow | None:
    """The window a query names, in the anchor's zone, or ``None``. A naive anchor is UTC; nothing raises."""
    moment = anchor.replace(tzinfo=UTC) if anchor.tzinfo is None else anchor
    try:
        return _find(text, Anchor(moment, date_order, southern))
    except Exception:  # noqa: BLE001 - a query never fails for its dates
        _LOG.warning("the dates of a query could not be read; it gets no window", exc_info=True)
        return None
