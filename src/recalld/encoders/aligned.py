"""Answers that have to fit the inputs they are about: one for each, by index or in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recalld.encoders.protocols import EncoderFailed


def one_each(scores: Sequence[float], count: int, name: str) -> Sequence[float]:
    """The scores, if there is one for each text."""
    if len(scores) != count:
        raise EncoderFailed(f"{name} gave {len(scores)} scores for {count} texts")
    return scores


def aligned(items: Any, count: int, field: str, name: str) -> list[Any]:
    """``field`` of each item, by its ``index``; every index from 0 to ``count`` comes exactly once."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise EncoderFailed(f"{name} answered with something other than a list of results")
    if len(items) != count:
        raise EncoderFailed(f"{name} answered with {len(items)} results for {count} texts")
    found: dict[int, Any] = {}
    for item in items:
        index = item.get("index")
        if type(index) is not int or not 0 <= index < count or index in found:
            raise EncoderFailed(f"{name} answered about a text {index!r} that was not asked about")
        if field not in item:
            raise EncoderFailed(f"{name} answered without a {field!r}")
        found[index] = item[field]
    return [found[index] for index in range(count)]
