"""Writes links of new facts: temporal and semantic ones, and the causal ones they bring along."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache
from uuid import UUID

from sqlalchemy import ARRAY, TextClause, Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.errors import Contended
from recalld.store.engine import Database
from recalld.store.tables import memory_links

logger = logging.getLogger(__name__)

TEMPORAL_NEIGHBOURS = 20
SEMANTIC_NEIGHBOURS = 50
MIN_SIMILARITY = 0.7
AT_ONCE = 1000
ATTEMPTS = 20

# A temporal link weighs 1 at the same moment, less with the hours of a day, never under 0.3.
_LINK = """
    WITH fresh AS MATERIALIZED (
        SELECT unit.id, unit.fact_type, unit.event_date, unit.embedding
        FROM memory_units AS unit WHERE unit.bank_key = :bank_key AND unit.id = ANY(:ids)
    )
    INSERT INTO memory_links (bank_key, from_id, to_id, link_type, weight)
    SELECT :bank_key, fresh.id, near.id, 'temporal', greatest(0.3, 1 - near.hours / 24)
    FROM fresh
    CROSS JOIN LATERAL (
        SELECT id, hours FROM (
            (SELECT other.id, extract(epoch FROM fresh.event_date - other.event_date) / 3600 AS hours
             FROM memory_units AS other
             WHERE other.bank_key = :bank_key AND other.fact_type = fresh.fact_type
               AND other.event_date <= fresh.event_date AND other.id <> fresh.id
             ORDER BY other.event_date DESC LIMIT {temporal})
            UNION ALL
            (SELECT other.id, extract(epoch FROM other.event_date - fresh.event_date) / 3600
             FROM memory_units AS other
             WHERE other.bank_key = :bank_key AND other.fact_type = fresh.fact_type
               AND other.event_date > fresh.event_date
             ORDER BY other.event_date LIMIT {temporal})
        ) AS sides
        ORDER BY hours, id LIMIT {temporal}
    ) AS near
    UNION ALL
    SELECT :bank_key, fresh.id, near.id, 'semantic', least(1, 1 - near.distance)
    FROM fresh
    CROSS JOIN LATERAL (
        SELECT other.id, other.embedding::halfvec({d}) <=> fresh.embedding::halfvec({d}) AS distance
        FROM memory_units AS other
        WHERE other.bank_key = :bank_key AND other.fact_type = fresh.fact_type
        ORDER BY 2 LIMIT {semantic}
    ) AS near
    WHERE near.id <> fresh.id AND near.distance <= 1 - {similarity}
    ON CONFLICT DO NOTHING
"""


_TAKE = text("""
    DELETE FROM unlinked_units WHERE bank_key = :bank_key
    AND unit_id IN (
        SELECT unit_id FROM unlinked_units WHERE bank_key = :bank_key LIMIT :most FOR UPDATE SKIP LOCKED)
    RETURNING unit_id
""")


async def link_pending(database: Database, bank_key: int, dimension: int) -> None:
    """Link everything the bank holds that is not linked yet.

    Where facts keep going away while others are linked to them, the rest stays queued for the next writer.
    """
    for _ in range(ATTEMPTS):
        try:
            linked = 1
            while linked:
                async with database.write() as connection:
                    linked = await link_new_units(connection, bank_key, dimension)
        except (IntegrityError, Contended):
            continue
        return
    logger.warning("facts of bank %d are left to be linked later", bank_key)


async def link_new_units(connection: AsyncConnection, bank_key: int, dimension: int) -> int:
    """Link facts not linked yet to their nearest in time and in meaning; returns how many there were.

    What an interrupted retain left is linked along with the rest.
    """
    taken = await connection.execute(_TAKE, {"bank_key": bank_key, "most": AT_ONCE})
    ids = [row[0] for row in taken]
    if ids:
        await connection.execute(_statement(dimension), {"bank_key": bank_key, "ids": ids})
    return len(ids)


async def insert_causal_links(
    connection: AsyncConnection, bank_key: int, links: Iterable[tuple[UUID, UUID, str]]
) -> None:
    """Add causal links between facts: from one, to another, and of what kind."""
    rows = [
        {"bank_key": bank_key, "from_id": start, "to_id": end, "link_type": kind, "weight": 1.0}
        for start, end, kind in links
    ]
    if rows:
        await connection.execute(insert(memory_links).on_conflict_do_nothing(), rows)


@lru_cache
def _statement(dimension: int) -> TextClause:
    query = _LINK.format(
        d=int(dimension),
        temporal=TEMPORAL_NEIGHBOURS,
        semantic=SEMANTIC_NEIGHBOURS + 1,
        similarity=MIN_SIMILARITY,
    )
    return text(query).bindparams(bindparam("ids", type_=ARRAY(Uuid)))
