"""Scopes: which sets of tags a fact's observations are made for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

Scope = tuple[str, ...]
"""Tags in order, each once; empty for what is untagged."""

MOST_COMBINED = 6
"""Tags of which every combination is a scope; with more of them a fact has the one of all its tags."""


def scopes_of(tags: Sequence[str], setting: Any) -> list[Scope]:
    """The scopes a fact with these tags counts in.

    ``setting`` is ``None`` or ``combined`` (all tags together), ``per_tag``, ``all_combinations``,
    ``shared`` (the untagged scope), or a list of lists of tags, in which ``*`` stands for any of the
    fact's own tags it matches. A list that matches nothing is left out.
    """
    own = scope(tags)
    if isinstance(setting, list) and setting:
        return list(
            dict.fromkeys(found for wanted in setting if (found := _matched(own, wanted)) is not None)
        )
    match setting:
        case "shared":
            return [()]
        case "per_tag":
            return [(tag,) for tag in own] or [()]
        case "all_combinations" if 0 < len(own) <= MOST_COMBINED:
            return [chosen for size in range(1, len(own) + 1) for chosen in combinations(own, size)]
        case _:
            return [own]


def scope(tags: Sequence[str]) -> Scope:
    """Tags as a scope."""
    return tuple(sorted(set(tags)))


def _matched(own: Scope, wanted: Sequence[str]) -> Scope | None:
    """The tags a list names; patterns stand for the fact's own tags. ``None`` when nothing matches."""
    named: set[str] = set()
    for tag in wanted:
        named.update([tag] if "*" not in tag else [mine for mine in own if fnmatchcase(mine, tag)])
    return scope(list(named)) if named or not wanted else None
