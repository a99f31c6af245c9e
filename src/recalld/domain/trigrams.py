"""Similarity of short texts by their trigrams, as PostgreSQL's pg_trgm defines it, accents folded."""

from __future__ import annotations

import re
from functools import lru_cache

from recalld.domain.text import fold_accents

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=20_000)
def trigrams(text: str) -> frozenset[str]:
    """Groups of three characters of each word, which is padded by two spaces before and one after."""
    words = _WORD.findall(fold_accents(text).lower())
    padded = (f"  {word} " for word in words)
    return frozenset(word[i : i + 3] for word in padded for i in range(len(word) - 2))


def similarity(one: str, other: str) -> float:
    """Shared trigrams over all trigrams, in [0, 1] (Jaccard); 0 where a text has no word."""
    left, right = trigrams(one), trigrams(other)
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0
