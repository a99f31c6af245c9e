"""From what a caller names to what the store knows."""

from __future__ import annotations

from uuid import UUID

from recalld.domain.errors import InvalidRequest
from recalld.domain.fuzzy_tags import MAX_VOCABULARY, is_fuzzy, resolve_fuzzy
from recalld.domain.tags import TagNode
from recalld.store.engine import ReadConnection
from recalld.store.queries.tags import distinct_tags


def as_uuid(name: str, value: str) -> str:
    """An id in its plain spelling, or ``InvalidRequest``."""
    try:
        return str(UUID(value))
    except ValueError as error:
        raise InvalidRequest(f"{name} must be a UUID") from error


async def literal_tags(connection: ReadConnection, bank_key: int, tags: TagNode) -> TagNode:
    """The filter over tags the bank has, where it asks for similar ones."""
    if not is_fuzzy(tags):
        return tags
    return resolve_fuzzy(tags, await distinct_tags(connection, bank_key, MAX_VOCABULARY + 1))
