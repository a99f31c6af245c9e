"""One spelling for every query: compatible forms, small letters, Latin letters without accents."""

from __future__ import annotations

import unicodedata

_LATIN_END = 0x250
_TRADITIONAL = "後週個來鐘點時號禮幾兩過內萬億當這間開從與們爾長頭末號歲節夏導"
_SIMPLIFIED = "后周个来钟点时号礼几两过内万亿当这间开从与们尔长头末号岁节夏导"
_DASHES = {ord(mark): "-" for mark in "\u2010\u2011\u2012\u2013\u2014\u2212\u301c\uff5e~"} | {
    ord(mark): "'" for mark in "\u2019\u2018\u02bc`\xb4"
}


def _plain_latin() -> dict[int, str]:
    plain = {}
    for code in range(0xC0, _LATIN_END):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base != chr(code):
            plain[code] = base
    return plain


_PLAIN = {**_plain_latin(), **_DASHES, 0x451: "\u0435"}
_SIMPLE_HAN = {ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLIFIED, strict=True) if old != new}


def fold(text: str) -> str:
    """The text as rules and word tables spell it."""
    if not text.isascii() or "~" in text:
        text = unicodedata.normalize("NFKC", text).translate(_PLAIN).lower().translate(_PLAIN)
    return " ".join(text.lower().split())


def simplify_han(text: str) -> str:
    """Traditional Chinese signs that occur in dates, as simplified ones."""
    return text.translate(_SIMPLE_HAN)


def plain(pattern: str) -> str:
    """A rule's pattern with plain letters; its case may mean something and stays."""
    return pattern.translate(_PLAIN)
