"""Text as the keyword index and the checks see it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_NOT_WORD = re.compile(r"[^\w\s]")
# Han, Hiragana, Katakana, Hangul syllables and compatibility ideographs: scripts written without
# (reliable) spaces between words, matched by overlapping pairs of characters (D16).
_CJK_RUN = re.compile(
    "[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One lexeme of the query: its place in sparse vectors, how many facts hold it, and its IDF.

    ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``, the non-negative form used by Lucene.
    """

    lexeme: str
    place: int
    df: int
    idf: float
    spans: tuple[tuple[int, int], ...]


def scrub(text: str) -> str:
    """Drop what no database text may hold: control characters (tab, LF, CR stay) and surrogates."""
    return _FORBIDDEN.sub("", text)


def scrub_all(value: Any) -> Any:
    """``scrub`` for every text inside lists and dicts."""
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {scrub(str(key)): scrub_all(inner) for key, inner in value.items()}
    return [scrub_all(inner) for inner in value] if isinstance(value, list) else value


def has_forbidden(text: str) -> bool:
    """Whether ``scrub`` would change the text."""
    return _FORBIDDEN.search(text) is not None


def unscrubbed(text: str) -> str:
    """A text that is never changed in passing, such as an id; ``ValueError`` if ``scrub`` would change it."""
    if has_forbidden(text):
        msg = "must not hold control characters"
        raise ValueError(msg)
    return text


def not_blank(text: str) -> str:
    """The text scrubbed; ``ValueError`` if nothing is left of it."""
    text = scrub(text)
    if not text.strip():
        msg = "must not be blank"
        raise ValueError(msg)
    return text


def has_word(text: str) -> bool:
    """Whether any token is left once everything but word characters and spaces is gone."""
    return bool(_NOT_WORD.sub(" ", text).split())


def index_text(text: str) -> str:
    """The form of a text the keyword index reads: accents folded, CJK runs as overlapping bigrams."""
    return _CJK_RUN.sub(_bigrams, fold_accents(text))


def query_words(text: str) -> list[tuple[str, int, int]]:
    """Words of a query with the ``[start, end)`` characters each came from, in order.

    A CJK run yields its bigrams. Words keep inner punctuation (``3.11``, ``user@host``), since
    the index parses them the same way.
    """
    return [
        (word, start, end)
        for piece in re.finditer(r"\S+", text)
        for word, start, end in _words_of(piece.group(), piece.start())
    ]


def _words_of(piece: str, offset: int) -> Iterator[tuple[str, int, int]]:
    position = 0
    for run in _CJK_RUN.finditer(piece):
        yield from _plain_word(piece[position : run.start()], offset + position)
        chars, start = run.group(), offset + run.start()
        if len(chars) == 1:
            yield chars, start, start + 1
        for i in range(len(chars) - 1):
            yield chars[i : i + 2], start + i, start + i + 2
        position = run.end()
    yield from _plain_word(piece[position:], offset + position)


def _plain_word(word: str, offset: int) -> Iterator[tuple[str, int, int]]:
    first, last = 0, len(word)
    while first < last and not _is_part_of_word(word[first]):
        first += 1
    while last > first and not _is_part_of_word(word[last - 1]):
        last -= 1
    if first < last:
        yield fold_accents(word[first:last]), offset + first, offset + last


def _is_part_of_word(char: str) -> bool:
    """Letters, digits, underscores, and the marks that many scripts write on letters."""
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")


def _bigrams(run: re.Match[str]) -> str:
    chars = run.group()
    pairs = [chars[i : i + 2] for i in range(len(chars) - 1)] or [chars]
    return f" {' '.join(pairs)} "


def fold_accents(text: str) -> str:
    """The text with letters in place of their accented forms."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if not ("\u0300" <= c <= "\u036f"))
    return unicodedata.normalize("NFC", bare)
