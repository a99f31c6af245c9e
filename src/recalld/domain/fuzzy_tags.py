"""Fuzzy leaves of a tag filter, rewritten over the tags a bank really has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod

from recalld.domain.errors import Unprocessable
from recalld.domain.tags import TagAnd, TagLeaf, TagMatch, TagNode, TagNot, TagOr, TagResolve, leaves
from recalld.domain.trigrams import similarity

MIN_SIMILARITY = 0.45
MAX_VOCABULARY = 5000
MAX_COMBINATIONS = 32

_STRICTNESS = {TagMatch.ALL: TagMatch.ANY, TagMatch.ALL_STRICT: TagMatch.ANY_STRICT}


def is_fuzzy(node: TagNode) -> bool:
    """Whether any leaf is to be looked up by similarity."""
    return any(leaf.resolve is TagResolve.FUZZY for leaf in leaves(node))


def resolve_fuzzy(node: TagNode, vocabulary: Sequence[str]) -> TagNode:
    """The same filter with every fuzzy leaf over literal tags of ``vocabulary``.

    A tag like none there stays as it is, so that a leaf can come to match nothing but never more.
    Raises ``Unprocessable`` over ``MAX_VOCABULARY`` tags, and for an ``exact`` leaf that could mean
    more than ``MAX_COMBINATIONS`` sets.
    """
    if len(vocabulary) > MAX_VOCABULARY:
        raise Unprocessable(
            f"resolve 'fuzzy' is limited to banks of at most {MAX_VOCABULARY} distinct tags. "
            "Use resolve 'exact'."
        )
    return _resolved(node, vocabulary)


def similar_tags(tag: str, vocabulary: Sequence[str]) -> tuple[str, ...]:
    """Tags that ``tag`` may mean, the most similar first; itself when there are none.

    Spellings that differ only by case beat all others. Otherwise the part before the first colon has
    to be equal, and what follows it similar.
    """
    wanted = tag.strip().casefold()
    spellings = tuple(known for known in vocabulary if known.casefold() == wanted)
    if spellings:
        return spellings
    space, value = _parts(wanted)
    scored = [
        (similarity(value, other), known)
        for known in vocabulary
        for other_space, other in [_parts(known.casefold())]
        if other_space == space
    ]
    close = sorted((-score, known) for score, known in scored if score >= MIN_SIMILARITY)
    return tuple(known for _, known in close) or (tag,)


def _resolved(node: TagNode, vocabulary: Sequence[str]) -> TagNode:
    match node:
        case TagAnd(parts):
            return TagAnd(tuple(_resolved(part, vocabulary) for part in parts))
        case TagOr(parts):
            return TagOr(tuple(_resolved(part, vocabulary) for part in parts))
        case TagNot(part):
            return TagNot(_resolved(part, vocabulary))
        case TagLeaf():
            return _resolved_leaf(node, vocabulary)


def _resolved_leaf(leaf: TagLeaf, vocabulary: Sequence[str]) -> TagNode:
    if leaf.resolve is TagResolve.EXACT or not leaf.tags:
        return replace(leaf, resolve=TagResolve.EXACT)
    meanings = [similar_tags(tag, vocabulary) for tag in dict.fromkeys(leaf.tags)]
    if leaf.match is TagMatch.EXACT:
        return _one_of_the_sets(meanings)
    if leaf.match in _STRICTNESS:
        return TagAnd(tuple(TagLeaf(tags, _STRICTNESS[leaf.match]) for tags in meanings))
    return TagLeaf(tuple(dict.fromkeys(tag for tags in meanings for tag in tags)), leaf.match)


def _one_of_the_sets(meanings: Sequence[tuple[str, ...]]) -> TagNode:
    """Sets with one meaning of each tag; two tags never share a meaning."""
    count = prod(len(tags) for tags in meanings)
    if count > MAX_COMBINATIONS:
        raise Unprocessable(
            f"A fuzzy 'exact' leaf could mean {count} sets of tags, more than {MAX_COMBINATIONS}. "
            "Use fewer or more precise tags."
        )
    sets = (tags for tags in product(*meanings) if len(set(tags)) == len(tags))
    return TagOr(tuple(TagLeaf(tags, TagMatch.EXACT) for tags in sets))


def _parts(tag: str) -> tuple[str, str]:
    """Namespace and value: ``team:red`` is ``("team", "red")``, ``red`` is ``("", "red")``."""
    space, colon, value = tag.partition(":")
    return (space.strip(), value) if colon else ("", space)
