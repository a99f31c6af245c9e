"""Which banks exist, and what are they?"""

from __future__ import annotations

from typing import Any

from recalld.domain.banks import Bank, BankSummary, Disposition
from recalld.store.engine import ReadConnection, fetch

_COLUMNS = "bank_key, bank_id, name, mission, disposition, config, unit_count, average_length"
_WIDTH = 8

_FIND = f"SELECT {_COLUMNS} FROM banks WHERE bank_id = %(bank_id)s"

_PAGE = f"""
    SELECT {_COLUMNS}, created_at, updated_at,
           (SELECT count(*) FROM memory_units AS unit WHERE unit.bank_key = banks.bank_key),
           last_document_at, last_write_at
    FROM banks
    WHERE %(pattern)s::text IS NULL OR bank_id ILIKE %(pattern)s OR name ILIKE %(pattern)s
    ORDER BY coalesce(last_write_at, created_at) DESC, bank_id LIMIT %(limit)s OFFSET %(offset)s
"""

_COUNT = """
    SELECT count(*) FROM banks
    WHERE %(pattern)s::text IS NULL OR bank_id ILIKE %(pattern)s OR name ILIKE %(pattern)s
"""


async def find_bank(connection: ReadConnection, bank_id: str) -> Bank | None:
    """The bank of that name, or ``None``."""
    rows = await fetch(connection, _FIND, {"bank_id": bank_id})
    return _bank(rows[0]) if rows else None


async def list_banks(
    connection: ReadConnection, search: str | None, limit: int, offset: int
) -> tuple[list[BankSummary], int]:
    """A page of banks whose id or name contains ``search``, last written first, and the total."""
    params = {"pattern": _pattern(search), "limit": limit, "offset": offset}
    total = (await fetch(connection, _COUNT, params))[0][0]
    rows = await fetch(connection, _PAGE, params)
    return [BankSummary(_bank(row), *row[_WIDTH:]) for row in rows], total


def _pattern(search: str | None) -> str | None:
    if not search:
        return None
    return "%" + search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def _bank(row: tuple[Any, ...]) -> Bank:
    key, bank_id, name, mission, disposition, config, unit_count, average_length = row[:_WIDTH]
    return Bank(
        key=key,
        bank_id=bank_id,
        name=name or bank_id,
        mission=mission,
        disposition=Disposition(**disposition),
        overrides=config,
        unit_count=unit_count,
        average_length=average_length,
    )
