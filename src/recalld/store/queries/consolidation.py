"""What is still to be consolidated, and what goes together with it?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, bindparam, text

from recalld.store.engine import WriteConnection

_MEMBERS_PER_ENTITY = 1000
_PARTNERS = 100

_FACT = """unit.id, unit.text, unit.tags, unit.observation_scopes, unit.occurred_start, unit.occurred_end,
    unit.mentioned_at, coalesce(unit.event_date, unit.created_at)"""

_STILL_PENDING = """FROM memory_units AS unit
    WHERE unit.bank_key = :bank_key AND unit.fact_type <> 'observation'
      AND unit.consolidated_at IS NULL AND unit.consolidation_failed_at IS NULL
    ORDER BY coalesce(unit.event_date, unit.created_at), unit.id LIMIT :most
"""

# Most facts are alone in what they say: those are told apart at once.
_PENDING = text(f"""
    SELECT {_FACT}, 1.0,
           EXISTS (SELECT FROM unit_entities AS held
                   WHERE held.bank_key = unit.bank_key AND held.unit_id = unit.id)
           OR EXISTS (SELECT FROM memory_units AS other
                      WHERE other.bank_key = unit.bank_key AND other.id <> unit.id
                        AND other.fact_type <> 'observation'
                        AND statement_hash(other.text) = statement_hash(unit.text))
    {_STILL_PENDING}
""")

_PARTNERSHIP = f"""
    SELECT unit.id FROM memory_units AS unit
    WHERE unit.bank_key = :bank_key AND unit.fact_type <> 'observation' AND unit.id <> fact.id
      AND statement_hash(unit.text) = statement_hash(fact.text)
    UNION
    SELECT near.unit_id FROM unit_entities AS mine
    CROSS JOIN LATERAL (
        SELECT theirs.unit_id FROM unit_entities AS theirs
        WHERE theirs.bank_key = :bank_key AND theirs.entity_id = mine.entity_id
        ORDER BY theirs.unit_id LIMIT {_MEMBERS_PER_ENTITY}
    ) AS near
    WHERE mine.bank_key = :bank_key AND mine.unit_id = fact.id AND near.unit_id <> fact.id
"""

# Equal statements have a cosine of 1 whatever names were embedded along with them.
_PARTNERS_OF = text(f"""
    SELECT {_FACT},
           CASE WHEN statement_hash(unit.text) = statement_hash(fact.text) THEN 1.0
                ELSE 1 - (unit.embedding <=> fact.embedding) END AS cosine
    FROM memory_units AS fact
    CROSS JOIN LATERAL ({_PARTNERSHIP}) AS partner(id)
    JOIN memory_units AS unit ON unit.bank_key = :bank_key AND unit.id = partner.id
    WHERE fact.bank_key = :bank_key AND fact.id = :id AND unit.fact_type <> 'observation'
      AND vector_dims(unit.embedding) = vector_dims(fact.embedding)
    ORDER BY cosine DESC, unit.id LIMIT {_PARTNERS}
""").bindparams(bindparam("id", type_=Uuid))

_FACTS = text(f"""
    SELECT {_FACT}, 1.0 FROM memory_units AS unit
    WHERE unit.bank_key = :bank_key AND unit.id = ANY(:ids)
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_RESTING_ON = text("""
    SELECT unit.id, unit.text, unit.source_memory_ids FROM memory_units AS unit
    WHERE unit.bank_key = :bank_key AND unit.fact_type = 'observation' AND unit.source_memory_ids && :ids
      AND unit.tags @> :scope AND unit.tags <@ :scope
    ORDER BY unit.created_at, unit.id
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)), bindparam("scope", type_=ARRAY(Text)))

_WAITING = text(f"SELECT {_FACT}, 1.0 {_STILL_PENDING}")

_NEAR = text("""
    SELECT unit.id, unit.text, unit.source_memory_ids FROM memory_units AS unit
    CROSS JOIN LATERAL (
        SELECT min(unit.embedding <=> fact.embedding) AS distance FROM memory_units AS fact
        WHERE fact.bank_key = :bank_key AND fact.id = ANY(:ids)
          AND vector_dims(fact.embedding) = vector_dims(unit.embedding)
    ) AS near
    WHERE unit.bank_key = :bank_key AND unit.fact_type = 'observation'
      AND unit.tags @> :scope AND unit.tags <@ :scope
    ORDER BY near.distance, unit.id LIMIT :most
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)), bindparam("scope", type_=ARRAY(Text)))

_CURRENT = text("""
    SELECT id, text FROM memory_units
    WHERE bank_key = :bank_key AND id = ANY(:ids)
      AND (fact_type = 'observation' OR consolidated_at IS NULL)
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))


class Statement(NamedTuple):
    """A fact as consolidation sees it: ``moment`` orders facts, ``cosine`` is to the one it was found for."""

    id: UUID
    text: str
    tags: Sequence[str]
    scopes: Any
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime | None
    moment: datetime
    cosine: float


class Pending(NamedTuple):
    """Facts to be consolidated: ``ids`` of all, and those that may not be alone in what they say."""

    ids: Sequence[UUID]
    in_company: Sequence[Statement]


class Observed(NamedTuple):
    """An observation with what it rests on."""

    id: UUID
    text: str
    source_ids: Sequence[UUID]


async def pending_statements(connection: WriteConnection, bank_key: int, most: int) -> Pending:
    """Facts nobody has consolidated yet, earliest first."""
    rows = (await connection.execute(_PENDING, {"bank_key": bank_key, "most": most})).all()
    return Pending([row[0] for row in rows], [Statement(*row[:-1]) for row in rows if row[-1]])


async def partners_of(connection: WriteConnection, bank_key: int, id_: UUID) -> list[Statement]:
    """Facts with the same words as one, or about one of the things it is about, most alike first."""
    rows = await connection.execute(_PARTNERS_OF, {"bank_key": bank_key, "id": id_})
    return [Statement(*row) for row in rows]


async def statements(connection: WriteConnection, bank_key: int, ids: Sequence[UUID]) -> list[Statement]:
    """Facts by id."""
    rows = await connection.execute(_FACTS, {"bank_key": bank_key, "ids": list(ids)})
    return [Statement(*row) for row in rows]


async def observations_on(
    connection: WriteConnection, bank_key: int, ids: Sequence[UUID], scope: Sequence[str]
) -> list[Observed]:
    """Observations of a scope that rest on any of the facts, oldest first."""
    params = {"bank_key": bank_key, "ids": list(ids), "scope": list(scope)}
    return [Observed(*row) for row in await connection.execute(_RESTING_ON, params)]


async def pending_facts(connection: WriteConnection, bank_key: int, most: int) -> list[Statement]:
    """Facts nobody has consolidated yet, earliest first, whether alone in what they say or not."""
    rows = await connection.execute(_WAITING, {"bank_key": bank_key, "most": most})
    return [Statement(*row) for row in rows]


async def observations_near(
    connection: WriteConnection, bank_key: int, ids: Sequence[UUID], scope: Sequence[str], most: int
) -> list[Observed]:
    """Observations of a scope, those first that mean most nearly what one of the facts does."""
    params = {"bank_key": bank_key, "ids": list(ids), "scope": list(scope), "most": most}
    return [Observed(*row) for row in await connection.execute(_NEAR, params)]


async def current_texts(connection: WriteConnection, bank_key: int, ids: Sequence[UUID]) -> dict[UUID, str]:
    """What observations say, and facts that are still to be consolidated."""
    rows = await connection.execute(_CURRENT, {"bank_key": bank_key, "ids": list(ids)})
    return {row[0]: row[1] for row in rows}
