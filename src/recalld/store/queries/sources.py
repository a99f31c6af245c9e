"""Whose are a bank's documents, and which ingests wrote them?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from recalld.domain.banks import Bank
from recalld.domain.visibility import AUDIENCE, IDENTITY
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.banks import BANK, bank

_NOTED = """
    SELECT id, fingerprint, ingestion_id FROM documents
    WHERE bank_key = %(bank_key)s AND id = ANY(%(ids)s) AND fingerprint IS NOT NULL
"""

_NAMES = """
    SELECT name, count(*) FROM (
        SELECT substr(tag, length(%(prefix)s) + 1) COLLATE "C" AS name
        FROM documents CROSS JOIN LATERAL unnest(tags) AS tag
        WHERE bank_key = %(bank_key)s AND tags <> '{}' AND starts_with(tag, %(prefix)s)
          AND (%(carrying)s::text IS NULL OR tags @> ARRAY[%(carrying)s::text])
    ) AS named
    WHERE %(after)s::text IS NULL OR name > %(after)s
    GROUP BY name ORDER BY name LIMIT %(limit)s
"""

_HOME = f"""
    SELECT {BANK} FROM banks JOIN operations AS op ON op.bank_key = banks.bank_key WHERE op.id = %(id)s
"""

_WITH = """
    SELECT banks.bank_id FROM banks JOIN documents ON documents.bank_key = banks.bank_key
    WHERE starts_with(banks.bank_id, %(prefix)s) AND documents.id = %(id)s ORDER BY banks.bank_id
"""

_BEHIND = """
    SELECT name, (SELECT count(*) FROM documents WHERE documents.bank_key = named.bank_key) FROM (
        SELECT bank_key, substr(bank_id, length(%(prefix)s) + 1) COLLATE "C" AS name
        FROM banks WHERE starts_with(bank_id, %(prefix)s)
    ) AS named
    WHERE %(after)s::text IS NULL OR name > %(after)s
    ORDER BY name LIMIT %(limit)s
"""


class NotedSource(NamedTuple):
    """What the last ingest of a document was."""

    fingerprint: str
    ingestion: UUID | None


async def noted_sources(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, NotedSource]:
    """The last ingests by document; documents that came another way are missing."""
    rows = await fetch(connection, _NOTED, {"bank_key": bank_key, "ids": list(ids)})
    return {row[0]: NotedSource(row[1], row[2]) for row in rows}


async def identities(
    connection: ReadConnection, bank_key: int, after: str | None, limit: int
) -> list[tuple[str, int]]:
    """Identities by name, each with the number of its documents."""
    return await _names(connection, bank_key, IDENTITY, after=after, limit=limit)


async def audiences(
    connection: ReadConnection, bank_key: int, identity: str | None = None
) -> list[tuple[str, int]]:
    """Audiences by name, each with the number of its documents: all, or those an identity has told of."""
    carrying = None if identity is None else f"{IDENTITY}{identity}"
    return await _names(connection, bank_key, AUDIENCE, carrying=carrying)


async def bank_of_operation(connection: ReadConnection, id_: UUID) -> Bank | None:
    """The bank an operation belongs to."""
    rows = await fetch(connection, _HOME, {"id": id_})
    return bank(rows[0]) if rows else None


async def banks_with(connection: ReadConnection, document_id: str, prefix: str) -> list[str]:
    """Ids that begin with the prefix, of banks that have a document of that id."""
    return [row[0] for row in await fetch(connection, _WITH, {"id": document_id, "prefix": prefix})]


async def banks_behind(
    connection: ReadConnection, prefix: str, after: str | None, limit: int
) -> list[tuple[str, int]]:
    """What comes after the prefix in ids of banks, in order, with the number of their documents."""
    rows = await fetch(connection, _BEHIND, {"prefix": prefix, "after": after, "limit": limit})
    return [(name, count) for name, count in rows]


async def _names(
    connection: ReadConnection,
    bank_key: int,
    prefix: str,
    *,
    carrying: str | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> list[tuple[str, int]]:
    params = {"bank_key": bank_key, "prefix": prefix, "carrying": carrying, "after": after, "limit": limit}
    return [(name, count) for name, count in await fetch(connection, _NAMES, params)]
