"""Who sees a source, told by tags: its identity, the members of its audience, or everybody. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from recalld.domain.tags import TagLeaf, TagMatch, TagNode

IDENTITY, AUDIENCE = "identity:", "audience:"


def visibility_tags(identity: str | None, audience: str | None) -> tuple[str, ...]:
    """The tags of a source; without any it is for everybody."""
    named = ((IDENTITY, identity), (AUDIENCE, audience))
    return tuple(f"{prefix}{name}" for prefix, name in named if name is not None)


def visible_to(identity: str, audiences: Iterable[str]) -> TagNode:
    """What an identity sees: its own, that of its audiences, and what is for everybody."""
    return TagLeaf((f"{IDENTITY}{identity}", *(f"{AUDIENCE}{name}" for name in audiences)), TagMatch.ANY)
