"""What a language module holds: word tables and rule rows, all of it data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Amount(NamedTuple):
    """How many: the band it may stand for, and how far "the last so many" reaches."""

    low: int
    high: int
    reach: int


COUPLE = Amount(1, 3, 2)
FEW = Amount(3, 5, 5)
SEVERAL = Amount(3, 7, 7)

Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    A row is a meaning with its arguments, and a pattern in which ``<n>``, ``<unit>``, ``<month>``,
    ``<weekday>``, ``<season>``, ``<holiday>``, ``<day>``, ``<year>`` and the language's own
    ``fragments`` stand for words. A meaning that ends in ``?`` needs support: an introducer, a join
    or a query of nothing else.
    """

    code: str
    rows: tuple[Row, ...]
    numbers: Mapping[str, int] = field(default_factory=dict)
    amounts: Mapping[str, Amount] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    months: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)
    seasons: Mapping[str, str] = field(default_factory=dict)
    holidays: Mapping[str, str] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=dict)
    fragments: Mapping[str, str] = field(default_factory=dict)
    inner: tuple[Row, ...] = ()
    outer: tuple[Row, ...] = ()
    suffixes: tuple[Row, ...] = ()
    range_words: str = ""
    list_words: str = ""
    range_openers: str = ""
    cues: str = ""
    openers: str = ""
    introducers: str = ""
    rivals: str = ""
    glued: bool = False


def numbered(words: str, first: int = 1) -> dict[str, int]:
    """Comma-separated groups of synonyms, numbered in order; an underscore stands for a space."""
    groups = (group.split() for group in words.split(","))
    return {word.replace("_", " "): number for number, group in enumerate(groups, first) for word in group}


def named(**groups: str) -> dict[str, str]:
    """Synonyms by what they mean; an underscore stands for a space."""
    return {
        word.replace("_", " "): name.replace("_", " ")
        for name, words in groups.items()
        for word in words.split()
    }
