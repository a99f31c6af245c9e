"""Compiles a language's rows and finds in a text what they match."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from recalld.recall.time_window.folding import fold, plain, simplify_han
from recalld.recall.time_window.language import Amount, Language, Row
from recalld.recall.time_window.numbers import HAN_DIGITS, read_number, read_spoken_year
from recalld.recall.time_window.spans import FIRST_YEAR, LAST_YEAR

Value = TypeVar("Value")

_PLACEHOLDER = re.compile(r"(?<!\?P)<([a-z_]+)(\d?)>")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_TABLES = ("unit", "month", "weekday", "season", "holiday")
_TWO_DIGIT_PIVOT = 40
_TWO_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled row."""

    meaning: str
    arguments: tuple[str, ...]
    weak: bool
    pattern: re.Pattern[str]
    needs: frozenset[str]


def tokens(text: str) -> list[str]:
    """The runs of letters and the runs of digits of a text."""
    return _TOKEN.findall(text)


def _alternatives(words: Iterable[str]) -> str:
    ordered = sorted(set(words), key=len, reverse=True)
    return "|".join(re.escape(word) for word in ordered) or r"(?!)"


def _numbered_groups(pattern: str) -> str:
    """Gives a group that occurs in several alternatives a name of its own in each."""
    seen: Counter[str] = Counter()

    def rename(found: re.Match[str]) -> str:
        seen[found[1]] += 1
        return f"(?P<{found[1]}__{seen[found[1]]}>"

    return re.sub(r"\(\?P<(\w+)>", rename, pattern).replace("(?P=mark)", "(?P=mark__1)")


def _alternatives_of(pattern: str) -> list[str]:
    """What stands outside all brackets, one text per alternative."""
    found, depth = [""], 0
    for sign in re.sub(r"\\.|\[[^\]]*\]", "", pattern):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and sign == "|":
            found.append("")
        elif depth == 0:
            found[-1] += sign
    return found


def _needed(pattern: str) -> frozenset[str]:
    """The word tables without which no alternative of a pattern can match."""
    named = [{found[1] for found in _PLACEHOLDER.finditer(part)} for part in _alternatives_of(pattern)]
    return frozenset(_TABLES).intersection(*named)


class Grammar:
    """One language, compiled."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.code = language.code
        self._fragments = {name: self._plain(text) for name, text in language.fragments.items()}
        self.numbers = self._table(language.numbers)
        self.amounts = self._table(language.amounts)
        self.units = self._table(language.units)
        self.months = self._table(language.months)
        self.weekdays = self._table(language.weekdays)
        self.seasons = self._table(language.seasons)
        self.holidays = self._table(language.holidays)
        self.ordinals = self._table(language.ordinals)
        self.rules = tuple(self._rule(row, "{}") for row in language.rows)
        self.inner = tuple(self._rule(row, r"{}[\s,-]*\Z") for row in language.inner)
        self.outer = tuple(self._rule(row, r"{}[\s,:-]*\Z") for row in language.outer)
        self.suffixes = tuple(self._rule(row, r"\A[\s,]*{}") for row in language.suffixes)
        self.range_words = self._gap(language.range_words or r"(?!)", dash=r"\s*-\s*")
        self.list_words = self._gap(language.list_words or r"(?!)", dash=r"\s*&\s*")
        self.range_openers = self._compile(language.range_openers or r"(?!)", r"{}[\s,]*\Z")
        words = (self.months, self.weekdays, self.seasons, dict.fromkeys(fold(language.cues).split(), ""))
        self.cues = frozenset(part for table in words for word in table for part in tokens(word))
        self.openers = frozenset(fold(language.openers).split())
        self.introducers = frozenset(fold(language.introducers).split())
        tables: tuple[Iterable[str], ...] = (
            self.units,
            self.months,
            self.weekdays,
            self.seasons,
            self.holidays,
        )
        self._vocabulary = {
            name: frozenset(part for word in table for part in tokens(word))
            for name, table in zip(_TABLES, tables, strict=True)
        }
        self.rivals = frozenset(fold(language.rivals).split())
        self.unit_words = frozenset(word.split()[-1] for word in self.units)
        self.glued_cue = re.compile(f"[{self._plain(language.cues)}]") if language.glued else None

    def _plain(self, pattern: str) -> str:
        return simplify_han(plain(pattern)) if self.language.glued else plain(pattern)

    def rules_for(self, words: frozenset[str]) -> Iterator[Rule]:
        """The rules whose word tables have a word in the text."""
        if self.language.glued:
            yield from self.rules
            return
        missing = frozenset(name for name, known in self._vocabulary.items() if words.isdisjoint(known))
        yield from (rule for rule in self.rules if missing.isdisjoint(rule.needs))

    def _table(self, table: Mapping[str, Value]) -> dict[str, Value]:
        simplified = simplify_han if self.language.glued else str
        return {simplified(fold(word)): value for word, value in table.items()}

    def _gap(self, words: str, dash: str) -> re.Pattern[str]:
        space = r"\s*" if self.language.glued else r"\s+"
        return re.compile(rf"(?:\s*,?{space}(?:{self._expanded(self._plain(words))})(?:{space})?|{dash})\Z")

    def _rule(self, row: Row, frame: str) -> Rule:
        meaning, *arguments = row[0].split()
        weak = meaning.endswith("?")
        return Rule(
            meaning.rstrip("?"), tuple(arguments), weak, self._compile(row[1], frame), _needed(row[1])
        )

    def _compile(self, pattern: str, frame: str) -> re.Pattern[str]:
        body = _numbered_groups(self._expanded(self._plain(pattern)))
        left, right = (r"(?<!\d)", "") if self.language.glued else (r"(?<!\w)(?<!\d\.)", r"(?!\w)")
        return re.compile(frame.format(f"{left}(?:{body}){right}"))

    def _expanded(self, pattern: str) -> str:
        while _PLACEHOLDER.search(pattern):
            pattern = _PLACEHOLDER.sub(lambda found: self._placeholder(found[1], found[2]), pattern)
        return pattern

    def _placeholder(self, name: str, index: str) -> str:
        if name in self._fragments:
            return f"(?:{self._fragments[name]})"
        number = rf"(?:{_alternatives(self.numbers)})"
        more = self._fragments.get("number_link", r"[\s-]+")
        spoken = self._fragments.get("spoken_year", r"(?!)")
        han = f"[{HAN_DIGITS}]" if self.language.glued else r"(?!)"
        bodies = {
            "n": rf"{_alternatives(self.amounts)}|\d[\d,]*|{number}(?:{more}{number})*|{han}+",
            "unit": _alternatives(self.units),
            "month": _alternatives(self.months),
            "weekday": _alternatives(self.weekdays),
            "season": _alternatives(self.seasons),
            "holiday": _alternatives(self.holidays),
            "ordinal": _alternatives(self.ordinals),
            "day": (
                rf"\d{{1,2}}{self._fragments.get('th', '')}(?![\d:%]|[.,/]\d)"
                rf"|{self._ordinal_day()}|{han}{{1,3}}"
            ),
            "year": rf"(?<!\d[./-])(?<![.#$])\d{{4}}(?![-/.:]?\d|[- ]?[qh]\d|[%a-z_])|{spoken}|{han}{{4}}",
        }
        return f"(?P<{name}{index}>{bodies[name]})"

    def _ordinal_day(self) -> str:
        return _alternatives(word for word, value in self.ordinals.items() if value > 0)


class Words:
    """The parts of one match, read by the tables of its language."""

    def __init__(self, match: re.Match[str], grammar: Grammar) -> None:
        groups = match.groupdict().items()
        self._groups = {name.split("__")[0]: said for name, said in groups if said is not None}
        self._grammar = grammar

    def has(self, name: str) -> bool:
        return name in self._groups

    def text(self, name: str) -> str:
        return re.sub(r"\s+", " ", self._groups[name])

    def amount(self) -> Amount:
        """How many; one where no number stands."""
        if not self.has("n"):
            return Amount(1, 1, 1)
        said = self.text("n")
        if said in self._grammar.amounts:
            return self._grammar.amounts[said]
        count = read_number(said, self._grammar.numbers)
        return Amount(count, count, count)

    def unit(self) -> str:
        return self._grammar.units[self.text("unit")]

    def further_steps(self) -> Iterator[tuple[int, str]]:
        """The rest of "two years and three months": counts and units."""
        for index in "23":
            if self.has(f"unit{index}") and self.has(f"n{index}"):
                count = read_number(self.text(f"n{index}"), self._grammar.numbers)
                yield count, self._grammar.units[self.text(f"unit{index}")]

    def month(self, name: str = "month") -> int:
        said = self.text(name)
        return int(said) if said.isdecimal() else self._grammar.months[said]

    def weekday(self) -> int:
        return self._grammar.weekdays[self.text("weekday")]

    def season(self) -> str:
        return self._grammar.seasons[self.text("season")]

    def holiday(self) -> str:
        return self._grammar.holidays[self.text("holiday")]

    def ordinal(self) -> int:
        said = self.text("ordinal")
        return int(digits[0]) if (digits := re.match(r"\d+", said)) else self._grammar.ordinals[said]

    def day(self, name: str = "day") -> int:
        """A day of the month, in digits or words."""
        said = self.text(name)
        if digits := re.match(r"\d+", said):
            return int(digits[0])
        if said in self._grammar.ordinals:
            return self._grammar.ordinals[said]
        return read_number(said, self._grammar.numbers)

    def year(self, name: str = "year") -> int:
        """A year a memory can speak of; anything else is refused."""
        said = self.text(name).strip("' ")
        year = read_number(said, {}) if said[0] in HAN_DIGITS or said.isdecimal() else self._spoken(said)
        if len(said) <= 2:  # noqa: PLR2004 - two digits of a year
            year += 2000 if year < _TWO_DIGIT_PIVOT else 1900
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError(said)
        return year

    def _spoken(self, said: str) -> int:
        return read_spoken_year(said, self._grammar.numbers)
