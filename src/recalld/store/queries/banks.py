"""Which banks exist, and what are they?"""

from __future__ import annotations

from typing import Any

from recalld.domain.banks import Bank, BankSummary, Disposition
from recalld.domain.text import has_forbidden, scrub
from recalld.store.engine import ReadConnection, fetch

BANK = """banks.bank_key, banks.bank_id, banks.name, banks.mission, banks.disposition, banks.config,
    banks.unit_count, banks.average_length"""
"""The columns ``bank`` reads, in order."""

BANK_WIDTH = 8

_FIND = f"SELECT {BANK} FROM banks WHERE bank_id = %(bank_id)s"

_SHOWN = """(%(pattern)s::text IS NULL OR bank_id ILIKE %(pattern)s OR name ILIKE %(pattern)s)
    AND starts_with(bank_id, %(prefix)s)"""

_PAGE = f"""
    SELECT {BANK}, created_at, updated_at,
           (SELECT count(*) FROM memory_units AS unit WHERE unit.bank_key = banks.bank_key),
           last_document_at, last_write_at
    FROM banks WHERE {_SHOWN}
    ORDER BY coalesce(last_write_at, created_at) DESC, bank_id LIMIT %(limit)s OFFSET %(offset)s
"""

_COUNT = f"SELECT count(*) FROM banks WHERE {_SHOWN}"


async def find_bank(connection: ReadConnection, bank_id: str) -> Bank | None:
    """The bank of that name, or ``None``."""
    if has_forbidden(bank_id):
        return None
    rows = await fetch(connection, _FIND, {"bank_id": bank_id})
    return bank(rows[0]) if rows else None


async def list_banks(
    connection: ReadConnection, search: str | None, prefix: str, limit: int, offset: int
) -> tuple[list[BankSummary], int]:
    """A page of banks whose id or name contains ``search``, last written first, and the total.

    Only banks whose id begins with ``prefix``.
    """
    params = {"pattern": _pattern(search), "prefix": scrub(prefix), "limit": limit, "offset": offset}
    total = (await fetch(connection, _COUNT, params))[0][0]
    rows = await fetch(connection, _PAGE, params)
    return [BankSummary(bank(row), *row[BANK_WIDTH:]) for row in rows], total


def _pattern(search: str | None) -> str | None:
    if not search:
        return None
    return "%" + scrub(search).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def bank(row: tuple[Any, ...]) -> Bank:
    """The bank in the first columns of a row that selected ``BANK``."""
    key, bank_id, name, mission, disposition, config, unit_count, average_length = row[:BANK_WIDTH]
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
