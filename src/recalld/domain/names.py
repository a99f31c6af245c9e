"""Names callers give to things, as they are kept."""

from __future__ import annotations

from collections.abc import Iterable

from recalld.domain.text import scrub

MAX_NAME = 512


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names with white space folded; blank and over-long ones are dropped, each kept once."""
    kept: dict[str, str] = {}
    for name in (" ".join(scrub(name).split()) for name in names):
        if 0 < len(name) <= MAX_NAME:
            kept.setdefault(name.lower(), name)
    return tuple(kept.values())
