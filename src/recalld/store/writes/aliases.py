"""Gives banks other names and takes them away."""

from __future__ import annotations

from sqlalchemy import delete, exists, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.tables import bank_aliases, banks


async def save_alias(connection: AsyncConnection, bank_key: int, alias: str) -> bool:
    """Give the bank the alias; ``False`` when a bank or another bank's alias has that name."""
    if await connection.scalar(select(exists().where(banks.c.bank_id == alias))):
        return False
    statement = insert(bank_aliases).values(bank_key=bank_key, alias=alias).on_conflict_do_nothing()
    await connection.execute(statement)
    holder = select(bank_aliases.c.bank_key).where(bank_aliases.c.alias == alias)
    return await connection.scalar(holder) == bank_key


async def set_primary(connection: AsyncConnection, bank_key: int, alias: str, *, primary: bool) -> bool:
    """Show the alias in place of the bank's id, and no other, or stop that; ``False`` for an unknown one."""
    of_bank = bank_aliases.c.bank_key == bank_key
    if primary:
        others = update(bank_aliases).where(of_bank, bank_aliases.c.alias != alias)
        await connection.execute(others.values(is_primary=False))
    changed = update(bank_aliases).where(of_bank, bank_aliases.c.alias == alias)
    return (await connection.execute(changed.values(is_primary=primary))).rowcount == 1


async def delete_alias(connection: AsyncConnection, bank_key: int, alias: str) -> bool:
    """Take the alias away; ``False`` for an unknown one."""
    statement = delete(bank_aliases).where(bank_aliases.c.bank_key == bank_key, bank_aliases.c.alias == alias)
    return (await connection.execute(statement)).rowcount == 1
