"""Writes entities and which facts mention them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import func, insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.tables import entities, unit_entities


async def mention_entities(
    connection: AsyncConnection,
    bank_key: int,
    mentions: Mapping[UUID, Sequence[str]],
    seen: datetime | None,
) -> None:
    """Link facts to the entities they mention, creating those the bank does not know yet.

    A name matches whatever its case. Names go in sorted, so that two writers never wait for each other.
    """
    counts: dict[str, int] = {}
    spelling: dict[str, str] = {}
    for names in mentions.values():
        for name in names:
            counts[name.lower()] = counts.get(name.lower(), 0) + 1
            spelling.setdefault(name.lower(), name)
    if not counts:
        return
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
    rows = [
        {"bank_key": bank_key, "unit_id": unit_id, "entity_id": entity_id}
        for unit_id, names in mentions.items()
        for entity_id in {ids[name.lower()] for name in names}
    ]
    await connection.execute(insert(unit_entities), rows)
