"""Takes a fact out as it was and puts it in, or sets it aside, as it will be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, bindparam, delete, func, insert, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.documents import UnitDraft
from recalld.domain.records import CausalLink, MemoryRecord
from recalld.store.tables import invalidated_units, memory_units
from recalld.store.writes.entities import link_mentions, save_entities
from recalld.store.writes.removal import lock_documents, remove_facts
from recalld.store.writes.terms import count_facts, lock_statistics
from recalld.store.writes.units import insert_units

_UNCHANGED = text("""
    SELECT FROM memory_units WHERE bank_key = :bank_key AND id = :id AND updated_at = :updated_at
    UNION ALL
    SELECT FROM invalidated_units WHERE bank_key = :bank_key AND id = :id AND updated_at = :updated_at
""").bindparams(bindparam("updated_at", type_=DateTime(timezone=True)))

_CAUSAL = text("""
    SELECT CAST(CASE WHEN from_id = :id THEN to_id ELSE from_id END AS text), link_type, weight, from_id = :id
    FROM memory_links
    WHERE bank_key = :bank_key AND (from_id = :id OR to_id = :id)
      AND link_type NOT IN ('temporal', 'semantic')
""")

_ARCHIVED_LINKS = text("SELECT causal_links FROM invalidated_units WHERE bank_key = :bank_key AND id = :id")

_LINK = text("""
    INSERT INTO memory_links (bank_key, from_id, to_id, link_type, weight)
    SELECT :bank_key, CAST(:from_id AS uuid), CAST(:to_id AS uuid), :kind, :weight
    WHERE EXISTS (SELECT FROM memory_units WHERE bank_key = :bank_key AND id = CAST(:other AS uuid))
    ON CONFLICT DO NOTHING
""")

# The other end may have been set aside in the meantime: then the link waits there.
_LINK_LATER = text("""
    UPDATE invalidated_units SET causal_links = causal_links || :link
    WHERE bank_key = :bank_key AND id = CAST(:other AS uuid)
""").bindparams(bindparam("link", type_=JSONB))

_COMPUTED = {"id", "source_ids", "consolidated_at", "consolidation_failed_at", "updated_at", "invalidated_at"}
"""Fields of a record that its row in the archive does not take over as they are."""

_RESTORED = ("event_date", "occurred_start", "occurred_end", "proof_count", "created_at", "edited_at")


@dataclass(frozen=True, slots=True)
class Placement:
    """A fact as it will be: its record, its indexed form, the names it mentions."""

    record: MemoryRecord
    draft: UnitDraft
    names: Sequence[str]


async def lock_fact(
    connection: AsyncConnection, bank_key: int, before: MemoryRecord, names: Sequence[str]
) -> dict[str, UUID] | None:
    """Become the only writer of a fact and of the entities it mentions before or after.

    Returns the entities by name, or ``None`` when the fact is not as it was read any more.
    """
    if before.document_id is not None:
        await lock_documents(connection, bank_key, [before.document_id])
    seen = before.occurred_start or before.mentioned_at
    entities = await save_entities(connection, bank_key, names, seen)
    await lock_statistics(connection, bank_key)
    params = {"bank_key": bank_key, "id": before.id, "updated_at": before.updated_at}
    return entities if (await connection.execute(_UNCHANGED, params)).first() is not None else None


async def take_out(connection: AsyncConnection, bank_key: int, before: MemoryRecord) -> list[CausalLink]:
    """Remove a locked fact from where it is; returns its causal links."""
    params = {"bank_key": bank_key, "id": before.id}
    if before.is_valid:
        links = [CausalLink(*row) for row in await connection.execute(_CAUSAL, params)]
        await remove_facts(connection, bank_key, [UUID(before.id)])
        return links
    kept = await connection.scalar(_ARCHIVED_LINKS, params)
    await connection.execute(delete(invalidated_units).where(*_archived(bank_key, before.id)))
    return [CausalLink(**link) for link in kept or ()]


async def put_in(
    connection: AsyncConnection,
    bank_key: int,
    placement: Placement,
    entities: Mapping[str, UUID],
    average_length: float,
) -> None:
    """Make a fact findable: vectors, words, entities. Its temporal and semantic links are made later."""
    record, id_ = placement.record, placement.draft.id
    await insert_units(connection, bank_key, [placement.draft], average_length)
    values = {name: getattr(record, name) for name in _RESTORED}
    row = (memory_units.c.bank_key == bank_key, memory_units.c.id == id_)
    await connection.execute(update(memory_units).where(*row).values(**values, updated_at=func.now()))
    await link_mentions(connection, bank_key, {id_: placement.names}, entities)
    await count_facts(connection, bank_key, [id_], retained=False)


async def link_again(
    connection: AsyncConnection, bank_key: int, id_: str, links: Sequence[CausalLink]
) -> None:
    """Give a fact that was put in its causal links back."""
    for link in links:
        ends = (id_, link.other) if link.outward else (link.other, id_)
        params = {"bank_key": bank_key, "other": link.other}
        linked = await connection.execute(
            _LINK, {**params, "from_id": ends[0], "to_id": ends[1], "kind": link.kind, "weight": link.weight}
        )
        if not linked.rowcount:
            back = link._replace(other=id_, outward=not link.outward)
            await connection.execute(_LINK_LATER, {**params, "link": [back._asdict()]})


async def set_aside(
    connection: AsyncConnection,
    bank_key: int,
    after: MemoryRecord,
    names: Sequence[str],
    links: Sequence[CausalLink],
) -> None:
    """Keep a fact out of recall's sight, with what it takes to bring it back."""
    row: dict[str, Any] = {
        **{name: value for name, value in after._asdict().items() if name not in _COMPUTED},
        "bank_key": bank_key,
        "id": UUID(after.id),
        "source_memory_ids": [],
        "entities": list(names),
        "causal_links": [link._asdict() for link in links],
        "updated_at": func.now(),
    }
    await connection.execute(insert(invalidated_units).values(row))


async def change_reason(connection: AsyncConnection, bank_key: int, id_: str, reason: str) -> None:
    """Say anew why a fact was set aside."""
    changed = update(invalidated_units).where(*_archived(bank_key, id_))
    await connection.execute(changed.values(reason=reason, updated_at=func.now()))


def _archived(bank_key: int, id_: str) -> tuple[Any, Any]:
    return (invalidated_units.c.bank_key == bank_key, invalidated_units.c.id == UUID(id_))
