"""Creates, changes and deletes banks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, delete, exists, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.banks import Bank, check_bank_id
from recalld.store.engine import Database
from recalld.store.queries.banks import find_bank, known_bank
from recalld.store.tables import bank_aliases, banks, documents, entities, memory_units


def bank_named(name: str) -> ColumnElement[bool]:
    """The bank of that id, else the one of that alias."""
    by_id = select(banks.c.bank_key).where(banks.c.bank_id == name).scalar_subquery()
    by_alias = select(bank_aliases.c.bank_key).where(bank_aliases.c.alias == name).scalar_subquery()
    return banks.c.bank_key == func.coalesce(by_id, by_alias)


async def ensure_bank(connection: AsyncConnection, bank_id: str) -> None:
    """Create the bank unless it exists, under that id or that alias."""
    await create_bank(connection, bank_id)


async def create_bank(connection: AsyncConnection, bank_id: str) -> bool:
    """Create the bank; false when there is one under that id or that alias."""
    free = select(cast(literal(bank_id), Text)).where(~exists().where(bank_aliases.c.alias == bank_id))
    statement = insert(banks).from_select(["bank_id"], free).on_conflict_do_nothing()
    return (await connection.execute(statement.returning(banks.c.bank_key))).first() is not None


async def bank_made_if_needed(database: Database, bank_id: str) -> Bank:
    """The bank of that id or alias, which is created unless it exists."""
    async with database.read() as connection:
        found = await find_bank(connection, bank_id)
    if found is None:
        async with database.write() as writing:
            await ensure_bank(writing, check_bank_id(bank_id))
        async with database.read() as connection:
            found = await known_bank(connection, bank_id)
    return found


async def change_bank(
    connection: AsyncConnection, bank_id: str, columns: Mapping[str, Any], overrides: Mapping[str, Any]
) -> None:
    """Set columns (name, mission, disposition) and merge configuration overrides."""
    values: dict[str, Any] = {**columns, "updated_at": func.now()}
    if overrides:
        values["config"] = banks.c.config.op("||")(dict(overrides))
    await connection.execute(update(banks).where(bank_named(bank_id)).values(values))


async def delete_bank(connection: AsyncConnection, bank_id: str) -> tuple[int | None, int]:
    """Delete the bank and all it holds; returns its key and how many facts, entities and documents went."""
    key = await connection.scalar(select(banks.c.bank_key).where(bank_named(bank_id)).with_for_update())
    if key is None:
        return None, 0
    count = 0
    for table in (memory_units, entities, documents):
        held = await connection.scalar(select(func.count()).select_from(table).where(table.c.bank_key == key))
        count += held or 0
    await connection.execute(delete(banks).where(banks.c.bank_key == key))
    return key, count


async def reset_config(connection: AsyncConnection, bank_key: int) -> None:
    """Drop the bank's configuration overrides, its mission and its disposition."""
    values: dict[str, Any] = {"config": {}, "mission": "", "disposition": {}, "updated_at": func.now()}
    await connection.execute(update(banks).where(banks.c.bank_key == bank_key).values(values))
