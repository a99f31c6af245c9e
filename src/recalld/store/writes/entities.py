"""Writes entities and which facts mention them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ARRAY, DateTime, Uuid, any_, bindparam, func, insert, literal, select, text
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.tables import entities, unit_entities

_RECOUNT = text("""
    WITH counted AS (
        SELECT entity.id, (SELECT count(*) FROM unit_entities AS held
                           WHERE held.bank_key = :bank_key AND held.entity_id = entity.id) AS mentions
        FROM entities AS entity WHERE entity.bank_key = :bank_key AND entity.id = ANY(:ids)
    ), unmentioned AS (
        DELETE FROM entities WHERE bank_key = :bank_key AND id IN (SELECT id FROM counted WHERE mentions = 0)
    )
    UPDATE entities SET mention_count = counted.mentions FROM counted
    WHERE entities.bank_key = :bank_key AND entities.id = counted.id AND counted.mentions > 0
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_DATE = text("""
    UPDATE entities SET first_seen = least(first_seen, :first), last_seen = greatest(last_seen, :last)
    WHERE bank_key = :bank_key AND id = :id
""").bindparams(
    bindparam("id", type_=Uuid),
    bindparam("first", type_=DateTime(timezone=True)),
    bindparam("last", type_=DateTime(timezone=True)),
)


async def save_entities(
    connection: AsyncConnection, bank_key: int, mentioned: Sequence[str], seen: datetime | None
) -> dict[str, UUID]:
    """Count mentions of names, whatever their case, creating entities the bank does not know yet.

    Returns ids by name in lower case. The rows stay locked until the end. They are taken in the order of
    their names, and before the bank's own row, so that two writers never wait for each other.
    """
    counts: dict[str, int] = {}
    spelling: dict[str, str] = {}
    for name in mentioned:
        counts[name.lower()] = counts.get(name.lower(), 0) + 1
        spelling.setdefault(name.lower(), name)
    ids: dict[str, UUID] = {}
    for lowered in sorted(counts):
        statement = upsert(entities).values(
            bank_key=bank_key,
            id=uuid4(),
            canonical_name=spelling[lowered],
            mention_count=counts[lowered],
            first_seen=seen,
            last_seen=seen,
        )
        merged = statement.on_conflict_do_update(
            index_elements=[entities.c.bank_key, func.lower(entities.c.canonical_name)],
            set_={
                "mention_count": entities.c.mention_count + statement.excluded.mention_count,
                "first_seen": func.least(entities.c.first_seen, statement.excluded.first_seen),
                "last_seen": func.greatest(entities.c.last_seen, statement.excluded.last_seen),
            },
        ).returning(entities.c.id)
        ids[lowered] = (await connection.execute(merged)).scalar_one()
    return ids


async def link_mentions(
    connection: AsyncConnection,
    bank_key: int,
    mentions: Mapping[UUID, Sequence[str]],
    ids: Mapping[str, UUID],
) -> None:
    """Note which facts mention which of the saved entities."""
    rows = [
        {"bank_key": bank_key, "unit_id": unit_id, "entity_id": entity_id}
        for unit_id, names in mentions.items()
        for entity_id in {ids[name.lower()] for name in names}
    ]
    if rows:
        await connection.execute(insert(unit_entities), rows)


async def date_entities(
    connection: AsyncConnection, bank_key: int, seen: Mapping[UUID, tuple[datetime, datetime]]
) -> None:
    """Let saved entities have been seen from a first to a last moment, besides when they were anyway."""
    rows = [
        {"bank_key": bank_key, "id": id_, "first": first, "last": last} for id_, (first, last) in seen.items()
    ]
    if rows:
        await connection.execute(_DATE, rows)


async def hold_entities(connection: AsyncConnection, bank_key: int, unit_ids: Sequence[UUID]) -> list[UUID]:
    """Lock the entities that facts mention, in the order of ``save_entities``."""
    mentioned = select(unit_entities.c.entity_id).where(
        unit_entities.c.bank_key == bank_key,
        unit_entities.c.unit_id == any_(literal(list(unit_ids), ARRAY(Uuid))),
    )
    statement = (
        select(entities.c.id)
        .where(entities.c.bank_key == bank_key, entities.c.id.in_(mentioned))
        .order_by(func.lower(entities.c.canonical_name).collate("C"))
        .with_for_update()
    )
    return list((await connection.execute(statement)).scalars())


async def recount_entities(connection: AsyncConnection, bank_key: int, ids: Sequence[UUID]) -> None:
    """Count the mentions of locked entities anew, and drop those without any."""
    if ids:
        await connection.execute(_RECOUNT, {"bank_key": bank_key, "ids": list(ids)})
