"""One spelling for every query: compatible forms, small letters, Latin letters without accents."""

from __future__ import annotations

import unicodedata

_LATIN_END = 0x250
_TRADITIONAL = "後週個來鐘點時號禮幾兩過內萬億當這間開從與們爾長頭末號歲節夏導"
_SIMPLIFIED = "后周个来钟点时号礼几两过内万亿当这间开从与们尔长头末号岁节夏导"
_DASHES = {ord(mark): "-" for mark in "‐‑‒–—−〜～"} | {ord(mark): "'" for mark in "’‘ʼ`´"}


def _plain_latin() -> dict[int, str]:
    plain = {}
    for code in range(0xC0, _LATIN_END):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base != chr(code):
            plain[code] = base
    return plain


_PLAIN = {**_plain_latin(), **_DASHES, ord("ё"): "е"}
_SIMPLE_HAN = {ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLIFIED, strict=True) if old != new}


def fold(text: str) -> str:
    """The text as rules and word tables spell it."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).lower().translate(_PLAIN)


def simplify_han(text: str) -> str:
    """Traditional Chinese signs that occur in dates, as simplified ones."""
    return text.translate(_SIMPLE_HAN)
