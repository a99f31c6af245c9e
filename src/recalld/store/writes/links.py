"""Writes temporal and semantic links of new facts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from sqlalchemy import ARRAY, TextClause, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

TEMPORAL_NEIGHBOURS = 20
SEMANTIC_NEIGHBOURS = 50
MIN_SIMILARITY = 0.7

# A temporal link weighs 1 at the same moment, less with the hours of a day, never under 0.3.
_LINK = """
    INSERT INTO memory_links (bank_key, from_id, to_id, link_type, weight)
    SELECT :bank_key, fresh.id, near.id, 'temporal', greatest(0.3, 1 - near.hours / 24)
    FROM memory_units AS fresh
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
    WHERE fresh.bank_key = :bank_key AND fresh.id = ANY(:ids)
    UNION ALL
    SELECT :bank_key, fresh.id, near.id, 'semantic', least(1, 1 - near.distance)
    FROM memory_units AS fresh
    CROSS JOIN LATERAL (
        SELECT other.id, other.embedding::halfvec({d}) <=> fresh.embedding::halfvec({d}) AS distance
        FROM memory_units AS other
        WHERE other.bank_key = :bank_key AND other.fact_type = fresh.fact_type
        ORDER BY 2 LIMIT {semantic}
    ) AS near
    WHERE fresh.bank_key = :bank_key AND fresh.id = ANY(:ids) AND near.id <> fresh.id
      AND near.distance <= 1 - {similarity}
"""


async def link_units(
    connection: AsyncConnection, bank_key: int, ids: Sequence[UUID], dimension: int
) -> None:
    """Link new facts to their nearest in time and in meaning, never to themselves."""
    if ids:
        await connection.execute(_statement(dimension), {"bank_key": bank_key, "ids": list(ids)})


@lru_cache
def _statement(dimension: int) -> TextClause:
    query = _LINK.format(
        d=int(dimension),
        temporal=TEMPORAL_NEIGHBOURS,
        semantic=SEMANTIC_NEIGHBOURS + 1,
        similarity=MIN_SIMILARITY,
    )
    return text(query).bindparams(bindparam("ids", type_=ARRAY(Uuid)))
