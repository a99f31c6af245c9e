"""Names the caller gives to the things a text is about, and which known thing each one means. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from recalld.domain.names import clean_names
from recalld.retain.types import RetainItem

SAME = 0.6
"""Score from which a name means a known entity."""
_RECENT = timedelta(days=7)
_DIGITS = re.compile(r"\d+")


class Namesake(Protocol):
    """A known entity called almost like a wanted name."""

    @property
    def wanted(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def likeness(self) -> float: ...
    @property
    def last_seen(self) -> datetime | None: ...
    @property
    def companions(self) -> Sequence[str]: ...


def resolve_names(item: RetainItem, namesakes: Mapping[str, Sequence[Namesake]]) -> RetainItem:
    """The item with each name that means a known entity in that entity's spelling."""
    if not item.resolve_entities or not item.entities:
        return item
    meant = (_meant(name, item, namesakes.get(name, ())) for name in item.entities)
    return replace(item, entities=clean_names(meant))


def _meant(name: str, item: RetainItem, namesakes: Sequence[Namesake]) -> str:
    scored = [(sameness(item, one), one.name) for one in namesakes if _may_be_same(name, one.name)]
    score, best = max(scored, default=(0.0, name))
    return best if score >= SAME else name


def sameness(item: RetainItem, one: Namesake) -> float:
    """Half the likeness of the names, 0.3 for the other names both come with, 0.2 for a recent mention."""
    beside = {name.lower() for name in item.entities} - {one.wanted.lower()}
    shared = len(beside & set(one.companions)) / len(beside) if beside else 0.0
    recency = 0.0
    if item.timestamp and one.last_seen:
        recency = max(0.0, 1.0 - abs(item.timestamp - one.last_seen) / _RECENT)
    return 0.5 * one.likeness + 0.3 * shared + 0.2 * recency


def _may_be_same(name: str, other: str) -> bool:
    """Numbers tell things apart, however alike the rest is."""
    return _DIGITS.findall(name) == _DIGITS.findall(other)
