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
from recalld.recall.time_window.grammar import Grammar
from recalld.recall.time_window.languages import LANGUAGES
from recalld.recall.time_window.reading import Anchor
from recalld.recall.time_window.written import written_date

_LOG = logging.getLogger(__name__)
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_NUMERIC = re.compile(
    r"(?<!\d)(?:\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}[/-]\d{1,2}|\d{1,2}-\d{4})(?!\d)"
    r"|\d0'?s\b|\d(?:st|nd|rd|th)\b|\b[qh][1-4]\b")
_WRITTEN = re.compile(r"[^\W\d_]{3}.{0,3}\b\d{4}\b|\b\d{4}\b.{0,2}[^\W\d_]{3}")
_YEARS = frozenset(str(year) for year in range(1900, 2101))
_KANA = re.compile(r"[\u3040-\u30ff]")
_LONGEST = 4000
_FEW_WORDS = 3


@cache
def _grammars() -> dict[str, Grammar]:
    return {language.code: Grammar(language) for language in LANGUAGES}


@cache
def _spaced() -> tuple[Grammar, ...]:
    return tuple(grammar for grammar in _grammars().values() if not grammar.language.glued)


@cache
def _any_cue() -> frozenset[str]:
    return frozenset().union(*(grammar.cues | grammar.openers | grammar.introducers for grammar in _spaced()))


def _fitting(text: str) -> Sequence[Grammar]:
    """The languages whose words the text holds, or none for a text without a sign of a date."""
    words = set(_TOKEN.findall(text))
    numeric = not words.isdisjoint(_YEARS) or (any(map(str.isdecimal, words)) and bool(_NUMERIC.search(text)))
    fitting = []
    if numeric or not words.isdisjoint(_any_cue()):
        for grammar in _spaced():
            if (
                not words.isdisjoint(grammar.cues)
                or (numeric and not words.isdisjoint(grammar.introducers))
                or not (words.isdisjoint(grammar.unit_words) or words.isdisjoint(grammar.openers))
            ):
                fitting.append(grammar)
    if numeric and not fitting and (len(words) <= _FEW_WORDS or _NUMERIC.search(text)):
        fitting.append(_grammars()["en"])
    if not text.isascii():
        fitting.extend(_fitting_glued(text))
    return fitting


def _fitting_glued(text: str) -> list[Grammar]:
    fitting = [
        grammar for grammar in _grammars().values() if grammar.glued_cue is not None and grammar.glued_cue.search(text)
    ]
    if _KANA.search(text):
        return [grammar for grammar in fitting if grammar.code != "zh"]
    return fitting


def might_be_dated(text: str) -> bool:
    """Whether the grammar is worth running: microseconds for a text without a sign of a date."""
    folded = fold(text)
    return bool(_fitting(folded)) or bool(_WRITTEN.search(folded))


def _find(text: str, anchor: Anchor) -> TimeWindow | None:
    folded = fold(text[:_LONGEST])
    fitting = _fitting(folded)
    span, met = None, False
    if fitting:
        if any(grammar.code == "zh" for grammar in fitting):
            folded = simplify_han(folded)
        span, met = strongest_span(folded, fitting, anchor)
    if span is None and not met and _WRITTEN.search(folded):
        span = written_date(folded)
    return None if span is None else anchor.window(span)


def find_window(
    text: str, anchor: datetime, *, date_order: str = "MDY", southern: bool = False
) -> TimeWindow | None:
    """The window a query names, in the anchor's zone, or ``None``. A naive anchor is UTC; nothing raises."""
    moment = anchor.replace(tzinfo=UTC) if anchor.tzinfo is None else anchor
    try:
        return _find(text, Anchor(moment, date_order, southern))
    except Exception:
        _LOG.warning("the dates of a query could not be read; it gets no window", exc_info=True)
        return None
