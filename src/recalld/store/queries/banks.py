"""Which banks exist, and what are they?"""

from __future__ import annotations

from typing import Any

from recalld.domain.banks import Bank, BankSummary, Disposition
from recalld.domain.errors import BankNotFound
from recalld.domain.text import has_forbidden, scrub
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.patterns import containing

BANK = """banks.bank_key, banks.bank_id, banks.name, banks.mission, banks.disposition, banks.config,
    banks.unit_count, banks.average_length, banks.text_search_language"""
"""The columns ``bank`` reads, in order."""

BANK_WIDTH = 9

BANK_NAMED = """banks.bank_key = coalesce(
    (SELECT bank_key FROM banks WHERE bank_id = %(bank_id)s),
    (SELECT bank_key FROM bank_aliases WHERE alias = %(bank_id)s))"""
"""The bank of that id, else the one of that alias, which is looked for only then."""

_FIND = f"SELECT {BANK} FROM banks WHERE {BANK_NAMED}"

_FOUND = """
    FROM banks LEFT JOIN LATERAL (
        SELECT max(alias) FILTER (WHERE is_primary) AS shown,
               array_agg(alias ORDER BY alias) FILTER (WHERE alias ILIKE %(pattern)s) AS matched
        FROM bank_aliases WHERE bank_aliases.bank_key = banks.bank_key
    ) AS alias ON true
    WHERE starts_with(bank_id, %(prefix)s)
      AND (%(pattern)s::text IS NULL OR bank_id ILIKE %(pattern)s OR name ILIKE %(pattern)s
           OR alias.matched IS NOT NULL)
"""

_PAGE = f"""
    SELECT {BANK}, created_at, updated_at,
           (SELECT count(*) FROM memory_units AS unit WHERE unit.bank_key = banks.bank_key),
           last_document_at, last_write_at, alias.shown, coalesce(alias.matched, '{{}}')
    {_FOUND}
    ORDER BY coalesce(last_write_at, created_at) DESC, bank_id LIMIT %(limit)s OFFSET %(offset)s
"""

_COUNT = f"SELECT count(*) {_FOUND}"


async def find_bank(connection: ReadConnection, bank_id: str) -> Bank | None:
    """The bank of that id or alias, or ``None``."""
    if has_forbidden(bank_id):
        return None
    rows = await fetch(connection, _FIND, {"bank_id": bank_id})
    return bank(rows[0]) if rows else None


async def known_bank(connection: ReadConnection, bank_id: str) -> Bank:
    """The bank of that id or alias, or ``BankNotFound``."""
    found = await find_bank(connection, bank_id)
    if found is None:
        raise BankNotFound(bank_id)
    return found


async def text_search_languages(connection: ReadConnection) -> list[str]:
    """The languages whose words this PostgreSQL can index."""
    rows = await fetch(connection, "SELECT DISTINCT cfgname::text FROM pg_ts_config ORDER BY 1", {})
    return [row[0] for row in rows]


async def list_banks(
    connection: ReadConnection, search: str | None, prefix: str, limit: int, offset: int
) -> tuple[list[BankSummary], int]:
    """A page of banks whose id, name or alias contains ``search``, last written first, and the total.

    Only banks whose id begins with ``prefix``.
    """
    params = {"pattern": containing(search), "prefix": scrub(prefix), "limit": limit, "offset": offset}
    total = (await fetch(connection, _COUNT, params))[0][0]
    rows = await fetch(connection, _PAGE, params)
    return [BankSummary(bank(row), *row[BANK_WIDTH:]) for row in rows], total


def bank(row: tuple[Any, ...]) -> Bank:
    """The bank in the first columns of a row that selected ``BANK``."""
    key, bank_id, name, mission, disposition, config, unit_count, average_length, language = row[:BANK_WIDTH]
    return Bank(
        key=key,
        bank_id=bank_id,
        name=name or bank_id,
        mission=mission,
        disposition=Disposition(**disposition),
        overrides=config,
        unit_count=unit_count,
        average_length=average_length,
        language=language,
    )
