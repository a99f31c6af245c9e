"""Which tags do a bank's facts carry?"""

from __future__ import annotations

from recalld.domain.listing import Page
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.patterns import wildcard

_DISTINCT = """
    SELECT tag FROM memory_units AS unit CROSS JOIN LATERAL unnest(unit.tags) AS tag
    WHERE unit.bank_key = %(bank_key)s AND unit.tags <> '{}'
    GROUP BY tag ORDER BY count(*) DESC, tag LIMIT %(limit)s
"""

_CARRIED = """
    FROM memory_units AS unit CROSS JOIN LATERAL unnest(unit.tags) AS tag
    WHERE unit.bank_key = %(bank_key)s AND unit.tags <> '{}'
      AND (%(pattern)s::text IS NULL OR tag ILIKE %(pattern)s)
"""


async def distinct_tags(connection: ReadConnection, bank_key: int, limit: int) -> list[str]:
    """Tags in use, the most frequent first."""
    return [row[0] for row in await fetch(connection, _DISTINCT, {"bank_key": bank_key, "limit": limit})]


async def list_tags(
    connection: ReadConnection, bank_key: int, pattern: str | None, page: Page
) -> tuple[list[tuple[str, int]], int]:
    """A page of tags with how many facts carry each, the most frequent first, and the total.

    A ``*`` in the pattern stands for anything; without one it names a tag, whatever its case.
    """
    params = {"bank_key": bank_key, "pattern": wildcard(pattern), **page.bounds}
    total = (await fetch(connection, f"SELECT count(DISTINCT tag) {_CARRIED}", params))[0][0]
    query = f"SELECT tag, count(*) {_CARRIED} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s OFFSET %(offset)s"
    return [(tag, count) for tag, count in await fetch(connection, query, params)], total
