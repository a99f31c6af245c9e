"""Which entities of a bank are called almost like these names?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from recalld.store.engine import ReadConnection, fetch

_SIMILAR = """
    SELECT wanted.name, near.canonical_name, near.likeness, near.last_seen, near.companions
    FROM unnest(%(names)s::text[]) AS wanted(name)
    CROSS JOIN LATERAL (
        SELECT entity.canonical_name, entity.last_seen,
               similarity(entity.canonical_name, wanted.name) AS likeness,
               ARRAY(SELECT DISTINCT lower(other.canonical_name)
                     FROM (SELECT unit_id FROM unit_entities
                           WHERE bank_key = %(bank_key)s AND entity_id = entity.id LIMIT 50) AS held
                     JOIN unit_entities AS beside
                       ON beside.bank_key = %(bank_key)s AND beside.unit_id = held.unit_id
                     JOIN entities AS other
                       ON other.bank_key = %(bank_key)s AND other.id = beside.entity_id
                     WHERE other.id <> entity.id) AS companions
        FROM entities AS entity
        WHERE entity.bank_key = %(bank_key)s AND entity.canonical_name %% wanted.name
        ORDER BY likeness DESC, entity.canonical_name LIMIT 5
    ) AS near
    WHERE NOT EXISTS (
        SELECT FROM entities AS known
        WHERE known.bank_key = %(bank_key)s AND lower(known.canonical_name) = lower(wanted.name))
"""


class SimilarEntity(NamedTuple):
    """An entity called almost like ``wanted``; ``companions`` are names in lower case its facts also mention.

    ``likeness`` is the trigram similarity of the two names.
    """

    wanted: str
    name: str
    likeness: float
    last_seen: datetime | None
    companions: Sequence[str]


async def similar_entities(
    connection: ReadConnection, bank_key: int, names: Sequence[str]
) -> list[SimilarEntity]:
    """For each name the bank does not know in any case, the few entities most like it."""
    rows = await fetch(connection, _SIMILAR, {"bank_key": bank_key, "names": list(names)})
    return [SimilarEntity(*row) for row in rows]
