"""Which tags do a bank's facts carry?"""

from __future__ import annotations

from recalld.store.engine import ReadConnection, fetch

_DISTINCT = """
    SELECT tag FROM memory_units AS unit CROSS JOIN LATERAL unnest(unit.tags) AS tag
    WHERE unit.bank_key = %(bank_key)s AND unit.tags <> '{}'
    GROUP BY tag ORDER BY count(*) DESC, tag LIMIT %(limit)s
"""


async def distinct_tags(connection: ReadConnection, bank_key: int, limit: int) -> list[str]:
    """Tags in use, the most frequent first."""
    return [row[0] for row in await fetch(connection, _DISTINCT, {"bank_key": bank_key, "limit": limit})]
