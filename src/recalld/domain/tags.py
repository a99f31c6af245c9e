"""Tag filters as a small boolean tree, with a plain evaluation that defines their meaning."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum


class TagMatch(StrEnum):
    """How a leaf compares its tags with a row's."""

    ANY = "any"
    ALL = "all"
    ANY_STRICT = "any_strict"
    ALL_STRICT = "all_strict"
    EXACT = "exact"


class TagResolve(StrEnum):
    """Whether a leaf's tags are taken literally or looked up by similarity first."""

    EXACT = "exact"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True)
class TagLeaf:
    """Compare a row's tags with these."""

    tags: tuple[str, ...]
    match: TagMatch = TagMatch.ANY_STRICT
    resolve: TagResolve = TagResolve.EXACT


@dataclass(frozen=True, slots=True)
class TagAnd:
    """True when every part is; true without parts (F9)."""

    parts: tuple[TagNode, ...]


@dataclass(frozen=True, slots=True)
class TagOr:
    """True when any part is; false without parts (F9)."""

    parts: tuple[TagNode, ...]


@dataclass(frozen=True, slots=True)
class TagNot:
    """True when the part is not."""

    part: TagNode


TagNode = TagLeaf | TagAnd | TagOr | TagNot

NO_FILTER = TagAnd(())


def flat_filter(tags: Collection[str], match: TagMatch) -> TagNode:
    """The filter meant by the request's ``tags`` and ``tags_match``.

    Without tags there is no filter, except that ``exact`` asks for untagged rows.
    """
    if not tags and match is not TagMatch.EXACT:
        return NO_FILTER
    return TagLeaf(tuple(dict.fromkeys(tags)), match)


def matches(node: TagNode, row_tags: Collection[str]) -> bool:
    """Whether a row passes. The SQL builder is tested against this function."""
    match node:
        case TagAnd(parts):
            return all(matches(part, row_tags) for part in parts)
        case TagOr(parts):
            return any(matches(part, row_tags) for part in parts)
        case TagNot(part):
            return not matches(part, row_tags)
        case TagLeaf(tags, mode):
            return _leaf_matches(set(tags), mode, set(row_tags))


def _leaf_matches(wanted: set[str], mode: TagMatch, present: set[str]) -> bool:
    match mode:
        case TagMatch.EXACT:
            return wanted == present
        case TagMatch.ANY:
            return not present or bool(wanted & present)
        case TagMatch.ALL:
            return not present or wanted <= present
        case TagMatch.ANY_STRICT:
            return bool(wanted & present)
        case TagMatch.ALL_STRICT:
            return bool(present) and wanted <= present


def leaves(node: TagNode) -> Iterator[TagLeaf]:
    """Every leaf of the tree, left to right."""
    match node:
        case TagLeaf():
            yield node
        case TagNot(part):
            yield from leaves(part)
        case TagAnd(parts) | TagOr(parts):
            for part in parts:
                yield from leaves(part)
