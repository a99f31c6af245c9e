"""Finds the dated expressions of a query, joins those that belong together and picks the strongest."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from recalld.recall.time_window.grammar import Grammar, Rule, Words, tokens
from recalld.recall.time_window.meanings import MEANINGS
from recalld.recall.time_window.modifiers import MODIFIERS
from recalld.recall.time_window.reading import Anchor, Reading, joined
from recalld.recall.time_window.spans import Span

_LOG = logging.getLogger(__name__)
_REFUSALS = (ValueError, OverflowError, KeyError, StopIteration, TypeError, IndexError)
_LOOK_BEHIND = 60
_ROUNDS = 4
_RANGE = "range"
_RUNNING = "running"
_PARTS = {"third", "half_of", "nth", "nth_weekday"}
_OPEN = {"since", "before"}
_PUNCTUATION = re.compile(r"[\W_]*")

Found = tuple[re.Match[str], Rule, Grammar]


@dataclass(frozen=True, slots=True)
class Mention:
    """An expression where it stands; without a reading it only occupies its words."""

    start: int
    end: int
    reading: Reading | None
    weak: bool
    kind: str


def _attempt(read: Callable[[], Reading]) -> Reading | None:
    try:
        return read()
    except _REFUSALS as refusal:
        _LOG.debug("a date expression has no window: %r", refusal)
        return None


def _nameless(match: re.Match[str]) -> bool:
    """Whether a match leaves its year open; one that names it goes first, however long the other."""
    return not any(said for name, said in match.groupdict().items() if name.startswith(("year", "decade")))


def _matches(text: str, grammars: Sequence[Grammar]) -> list[Found]:
    words = frozenset(tokens(text))
    found: list[Found] = [
        (match, rule, grammar)
        for grammar in grammars
        for rule in grammar.rules_for(words)
        for match in rule.pattern.finditer(text)
    ]
    found.sort(key=lambda item: (_nameless(item[0]), item[0].start() - item[0].end()))
    taken: list[Found] = []
    for item in found:
        low, high = item[0].span()
        if low < high and all(high <= match.start() or match.end() <= low for match, _, _ in taken):
            taken.append(item)
    return sorted(taken, key=lambda item: item[0].start())


def find_mentions(text: str, grammars: Sequence[Grammar], anchor: Anchor) -> list[Mention]:
    """Every expression the rules match, the longest first where they overlap."""
    return [
        Mention(
            match.start(),
            match.end(),
            _attempt(partial(MEANINGS[rule.meaning], Words(match, grammar), anchor, rule.arguments)),
            rule.weak,
            rule.meaning,
        )
        for match, rule, grammar in _matches(text, grammars)
    ]


def _modified(mention: Mention, rule: Rule, words: Words, anchor: Anchor) -> Mention | None:
    if rule.meaning == "introduce" and rule.arguments and mention.kind not in rule.arguments:
        return None
    if rule.meaning in _OPEN and mention.kind == _RANGE:
        return None
    if mention.kind == _RUNNING and rule.meaning not in _PARTS:
        return None
    if mention.reading is None:
        return mention
    change = partial(MODIFIERS[rule.meaning], mention.reading, words, anchor, rule.arguments)
    kind = mention.kind if rule.meaning == "introduce" else rule.meaning
    return replace(mention, reading=_attempt(change), weak=False, kind=kind)


def _take_before(
    mention: Mention, text: str, rules: Sequence[tuple[Rule, Grammar]], anchor: Anchor
) -> Mention:
    low = max(0, mention.start - _LOOK_BEHIND)
    behind = text[low : mention.start]
    found = [(match, rule, grammar) for rule, grammar in rules if (match := rule.pattern.search(behind))]
    for match, rule, grammar in sorted(found, key=lambda item: item[0].start()):
        changed = _modified(mention, rule, Words(match, grammar), anchor)
        if changed is not None:
            return replace(changed, start=low + match.start())
    return mention


def _take_after(
    mention: Mention, text: str, rules: Sequence[tuple[Rule, Grammar]], anchor: Anchor
) -> Mention:
    ahead = text[mention.end : mention.end + _LOOK_BEHIND]
    for rule, grammar in rules:
        if match := rule.pattern.match(ahead):
            changed = _modified(mention, rule, Words(match, grammar), anchor)
            if changed is not None:
                return replace(changed, end=mention.end + match.end())
    return mention


def _settle(mention: Mention, step: Callable[[Mention], Mention]) -> Mention:
    for _ in range(_ROUNDS):
        changed = step(mention)
        if changed is mention:
            break
        mention = changed
    return mention


def _join(left: Mention, right: Mention, text: str, grammars: Sequence[Grammar]) -> Mention | None:
    if left.reading is None or right.reading is None or _RUNNING in {left.kind, right.kind}:
        return None
    gap, behind = text[left.end : right.start], text[max(0, left.start - _LOOK_BEHIND) : left.start]
    opened = any(grammar.range_openers.search(behind) for grammar in grammars)
    ranged = any(grammar.range_words.match(gap) for grammar in grammars)
    listed = any(grammar.list_words.match(gap) for grammar in grammars)
    if not ranged and not listed:
        return None
    first, second = left.reading, right.reading
    reading = _attempt(lambda: joined(first, second))
    weak = left.weak and right.weak and not (ranged or opened)
    return Mention(left.start, right.end, reading, weak, _RANGE)


def _joined(mentions: Sequence[Mention], text: str, grammars: Sequence[Grammar]) -> list[Mention]:
    out: list[Mention] = []
    for mention in mentions:
        merged = _join(out[-1], mention, text, grammars) if out else None
        if merged is None:
            out.append(mention)
        else:
            out[-1] = merged
    return out


def _rank(mention: Mention) -> tuple[int, int, int]:
    reading = mention.reading
    if reading is None:
        return (0, 0, 0)
    return (-reading.strength, reading.span.days, mention.start)


def strongest_span(text: str, grammars: Sequence[Grammar], anchor: Anchor) -> tuple[Span | None, bool]:
    """The span of the strongest expression, and whether an expression was met that has none."""
    inner = [(rule, grammar) for grammar in grammars for rule in grammar.inner]
    outer = [(rule, grammar) for grammar in grammars for rule in grammar.outer]
    near = [(rule, grammar) for grammar in grammars for rule in grammar.suffixes]
    far = [(rule, grammar) for rule, grammar in near if rule.meaning in _OPEN]
    near = [item for item in near if item not in far]
    mentions = find_mentions(text, grammars, anchor)
    mentions = [
        _settle(mention, partial(_both, text=text, rules=(inner, near), anchor=anchor))
        for mention in mentions
    ]
    mentions = _joined(mentions, text, grammars)
    mentions = [_both(mention, text=text, rules=(outer, far), anchor=anchor) for mention in mentions]
    read = [
        mention for mention in mentions if mention.reading is not None and not _is_unsupported(mention, text)
    ]
    if not read:
        return None, any(mention.reading is None for mention in mentions)
    best = min(read, key=_rank)
    return (best.reading.span if best.reading else None), True


def _both(
    mention: Mention, *, text: str, rules: tuple[Sequence[tuple[Rule, Grammar]], ...], anchor: Anchor
) -> Mention:
    before, after = rules
    return _take_before(_take_after(mention, text, after, anchor), text, before, anchor)


def _is_unsupported(mention: Mention, text: str) -> bool:
    alone = _PUNCTUATION.fullmatch(text[: mention.start]) and _PUNCTUATION.fullmatch(text[mention.end :])
    return mention.weak and (mention.kind == _RUNNING or not alone)
