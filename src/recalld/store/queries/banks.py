"""Which banks exist, and what are they?"""

from __future__ import annotations

from sqlalchemy import Row, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.banks import Bank, BankSummary, Disposition
from recalld.store.tables import banks, memory_units

_BANK = (
    banks.c.bank_key,
    banks.c.bank_id,
    banks.c.name,
    banks.c.mission,
    banks.c.disposition,
    banks.c.config,
    banks.c.unit_count,
    banks.c.average_length,
)


async def find_bank(connection: AsyncConnection, bank_id: str) -> Bank | None:
    """The bank of that name, or ``None``."""
    row = (await connection.execute(select(*_BANK).where(banks.c.bank_id == bank_id))).first()
    return None if row is None else _bank(row)


async def list_banks(
    connection: AsyncConnection, search: str | None, limit: int, offset: int
) -> tuple[list[BankSummary], int]:
    """A page of banks whose id or name contains ``search``, last written first, and the total."""
    wanted = select(banks)
    if search:
        pattern = "%" + search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        wanted = wanted.where(or_(banks.c.bank_id.ilike(pattern), banks.c.name.ilike(pattern)))
    total = await connection.scalar(select(func.count()).select_from(wanted.subquery()))
    facts = (
        select(func.count())
        .where(memory_units.c.bank_key == banks.c.bank_key)
        .correlate(banks)
        .scalar_subquery()
    )
    page = (
        wanted.with_only_columns(
            *_BANK,
            banks.c.created_at,
            banks.c.updated_at,
            facts,
            banks.c.last_document_at,
            banks.c.last_write_at,
        )
        .order_by(func.coalesce(banks.c.last_write_at, banks.c.created_at).desc(), banks.c.bank_id)
        .limit(limit)
        .offset(offset)
    )
    rows = (await connection.execute(page)).all()
    return [BankSummary(_bank(row), *row[len(_BANK) :]) for row in rows], total or 0


def _bank(row: Row[tuple[object, ...]]) -> Bank:
    key, bank_id, name, mission, disposition, config, unit_count, average_length = row[: len(_BANK)]
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
