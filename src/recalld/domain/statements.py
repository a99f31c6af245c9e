"""Statements: when two of them say the same, or the later one says anew what the earlier one said. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

ALIKE = 0.95
"""Cosine from which two statements about one thing count as the same, whatever their words."""

_WORD = re.compile(r"[^\W_]+(?:[.:'-][^\W_]+)*")
# Words a value follows, and words that change nothing, in the languages dates are read in.
# fmt: off
_LINKING = frozenset({
    "is", "are", "was", "were", "be", "been", "equals", "=", "ist", "sind", "war", "waren", "es",
    "son", "era", "eran", "est", "sont", "était", "è", "sono", "é", "são", "zijn",
})
_FILLING = frozenset({
    "now", "currently", "still", "again", "already", "today", "actually", "meanwhile", "jetzt",
    "nun", "wieder", "noch", "inzwischen", "ahora", "ya", "todavía", "maintenant", "encore",
    "déjà", "adesso", "ora", "ancora", "agora", "ainda", "nu", "nog", "weer",
})
# fmt: on
_MOST_CHANGED = 3
_LEAST_SHARED = 0.6
_MOST_WORDS = 30

Frame: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a statement before and after what was left out."""


def restates(earlier: str, later: str) -> bool:
    """Whether the later statement gives another value for what the earlier one is about.

    They have to be the same words in the same order but for one stretch of up to three, not the
    beginning, that is a value on both sides: it holds a digit or a name, or follows a linking word
    such as "is". Words like "now" may come and go.
    """
    before, after = _words(earlier), _words(later)
    matcher = SequenceMatcher(None, [w.lower() for w in before], [w.lower() for w in after], autojunk=False)
    changes = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace":
        return False
    _, start, end, other_start, other_end = changes[0]
    if start == 0 or max(end - start, other_end - other_start) > _MOST_CHANGED:
        return False
    shared = len(before) - (end - start)
    if shared < _LEAST_SHARED * min(len(before), len(after)) or shared < 2:  # noqa: PLR2004
        return False
    linked = before[start - 1].lower() in _LINKING
    return linked or (_is_value(before[start:end]) and _is_value(after[other_start:other_end]))


def frames(text: str) -> set[Frame]:
    """What is left of a statement without one stretch of up to three words, not the beginning.

    Two statements of which one restates the other have one in common. A text that is too long to be a
    statement has none.
    """
    words = tuple(word.lower() for word in _words(text))
    if len(words) > _MOST_WORDS:
        return set()
    return {
        (words[:start], words[end:])
        for start in range(1, len(words))
        for end in range(start + 1, min(start + _MOST_CHANGED, len(words)) + 1)
    }


def says_the_same(cosine: float, earlier: str, later: str) -> bool:
    """Whether two statements about one thing are the same, or the later one takes the place of the other."""
    return cosine >= ALIKE or restates(earlier, later)


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in _FILLING]


def _is_value(words: Sequence[str]) -> bool:
    return any(word[0].isupper() or any(char.isdigit() for char in word) for word in words)
