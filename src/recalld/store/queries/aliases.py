"""Which other names does a bank have?"""

from __future__ import annotations

from recalld.domain.records import Alias
from recalld.store.engine import ReadConnection, fetch

_ALIASES = """
    SELECT alias, is_primary FROM bank_aliases WHERE bank_key = %(bank_key)s ORDER BY created_at, alias
"""


async def list_aliases(connection: ReadConnection, bank_key: int) -> list[Alias]:
    """The bank's aliases, oldest first."""
    return [Alias(*row) for row in await fetch(connection, _ALIASES, {"bank_key": bank_key})]
