"""Which entities do a bank's memories mention, and how often?"""

from __future__ import annotations

from recalld.domain.listing import Page
from recalld.domain.records import EntityRecord
from recalld.domain.tags import NO_FILTER, TagNode
from recalld.store.engine import ReadConnection, fetch
from recalld.store.where import Conditions, tag_conditions

_TAGGED = "JOIN memory_units AS unit ON unit.bank_key = held.bank_key AND unit.id = held.unit_id"

# Counted from what is mentioned now, so that what was deleted or set aside does not count.
_PAGE = """
    WITH counted AS (
        SELECT held.entity_id, count(*) AS mentions FROM unit_entities AS held {join}
        WHERE held.bank_key = %(bank_key)s AND {conditions} GROUP BY 1
    ), page AS (
        SELECT entity.id, entity.canonical_name, entity.metadata, counted.mentions
        FROM counted JOIN entities AS entity
          ON entity.bank_key = %(bank_key)s AND entity.id = counted.entity_id
        ORDER BY counted.mentions DESC, entity.canonical_name, entity.id LIMIT %(limit)s OFFSET %(offset)s
    )
    SELECT page.id::text, page.canonical_name, page.metadata, page.mentions, seen.first, seen.last
    FROM page CROSS JOIN LATERAL (
        SELECT min(coalesce(unit.occurred_start, unit.mentioned_at)) AS first,
               max(coalesce(unit.occurred_start, unit.mentioned_at)) AS last
        FROM unit_entities AS held {seen}
        WHERE held.bank_key = %(bank_key)s AND held.entity_id = page.id AND {conditions}
    ) AS seen
    ORDER BY page.mentions DESC, page.canonical_name, page.id
"""

_COUNT = """
    SELECT count(DISTINCT held.entity_id) FROM unit_entities AS held {join}
    WHERE held.bank_key = %(bank_key)s AND {conditions}
"""


async def list_entities(
    connection: ReadConnection, bank_key: int, tags: TagNode, page: Page
) -> tuple[list[EntityRecord], int]:
    """A page of the entities of memories that pass the filter, most mentioned first, and the total."""
    where = _conditions(bank_key, tags)
    join = "" if tags == NO_FILTER else _TAGGED
    total = await fetch(connection, _COUNT.format(join=join, conditions=where.sql), where.params)
    query = _PAGE.format(join=join, seen=_TAGGED, conditions=where.sql)
    rows = await fetch(connection, query, {**where.params, **page.bounds})
    return [EntityRecord(*row) for row in rows], total[0][0]


async def read_entity(
    connection: ReadConnection, bank_key: int, id_: str, tags: TagNode
) -> EntityRecord | None:
    """One entity, unless no memory that passes the filter mentions it."""
    where = _conditions(bank_key, tags) & Conditions("held.entity_id = %(id)s::uuid", {"id": id_})
    query = _PAGE.format(join=_TAGGED, seen=_TAGGED, conditions=where.sql)
    rows = await fetch(connection, query, {**where.params, **Page().bounds})
    return EntityRecord(*rows[0]) if rows else None


def _conditions(bank_key: int, tags: TagNode) -> Conditions:
    tagged = Conditions("true") if tags == NO_FILTER else tag_conditions(tags, "unit.tags")
    return Conditions(tagged.sql, {**tagged.params, "bank_key": bank_key})
