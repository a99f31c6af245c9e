"""What do facts rest on, and what was said after them of the same thing?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recalld.domain.filters import FactFilter
from recalld.store.engine import ReadConnection, fetch, id_list
from recalld.store.where import date_of, fact_conditions

LINKS = 10
"""Links of a fact looked along each way, strongest first, and observations that rest on it."""

_EVIDENCE = f"""
    SELECT unit.id::text, unit.text, {date_of("unit")}, chunk.chunk_text, unit.document_id, document.label,
           coalesce(document.source_metadata, nullif(document.document_metadata, '{{{{}}}}')::text)
    FROM memory_units AS unit
    LEFT JOIN documents AS document ON document.bank_key = unit.bank_key AND document.id = unit.document_id
    LEFT JOIN chunks AS chunk ON chunk.bank_key = unit.bank_key AND chunk.chunk_id = unit.chunk_id
    WHERE {{conditions}} AND unit.id = ANY(%(ids)s::uuid[])
"""

# Each fact is looked up by itself, for which limits see to it that an index is used.
_LATER = f"""
    SELECT mine.id::text, mine.text, unit.text, unit.date
    FROM memory_units AS mine
    CROSS JOIN LATERAL (
        (SELECT to_id AS id FROM memory_links
         WHERE bank_key = %(bank_key)s AND from_id = mine.id AND link_type = 'semantic'
         ORDER BY weight DESC, to_id LIMIT {LINKS})
        UNION
        (SELECT from_id FROM memory_links
         WHERE bank_key = %(bank_key)s AND to_id = mine.id AND link_type = 'semantic'
         ORDER BY weight DESC, from_id LIMIT {LINKS})
        UNION
        SELECT unnest(observed.source_memory_ids) FROM (
            SELECT source_memory_ids FROM memory_units
            WHERE bank_key = %(bank_key)s AND fact_type = 'observation'
              AND source_memory_ids @> ARRAY[mine.id] LIMIT {LINKS}
        ) AS observed
    ) AS near
    CROSS JOIN LATERAL (
        SELECT unit.text, {date_of("unit")} AS date FROM memory_units AS unit
        WHERE unit.id = near.id AND unit.fact_type <> 'observation' AND {{conditions}} LIMIT 1
    ) AS unit
    WHERE mine.bank_key = %(bank_key)s AND mine.id = ANY(%(ids)s::uuid[])
      AND mine.fact_type <> 'observation' AND unit.date > {date_of("mine")}
"""


class EvidenceRow(NamedTuple):
    """A fact with its date, the piece of text it comes from, and its document.

    ``metadata`` is JSON text.
    """

    id: str
    text: str
    date: datetime
    chunk_text: str | None
    document_id: str | None
    label: str | None
    metadata: str | None


class LaterStatement(NamedTuple):
    """What was said after a fact, with its date, and what the fact says."""

    fact_id: str
    earlier: str
    later: str
    date: datetime


async def read_evidence(
    connection: ReadConnection, facts: FactFilter, ids: Sequence[str]
) -> dict[str, EvidenceRow]:
    """Rows by id of facts the filter lets through, whatever the occurrence window."""
    conditions = fact_conditions(replace(facts, occurred_from=None, occurred_to=None))
    query = _EVIDENCE.format(conditions=conditions.sql)
    rows = await fetch(connection, query, {**conditions.params, "ids": id_list(ids)})
    return {row[0]: EvidenceRow(*row) for row in rows}


async def later_statements(
    connection: ReadConnection, facts: FactFilter, ids: Sequence[str]
) -> list[LaterStatement]:
    """Facts the filter lets through that came after facts they are linked to or observed together with."""
    conditions = fact_conditions(replace(facts, occurred_from=None, occurred_to=None))
    query = _LATER.format(conditions=conditions.sql)
    rows = await fetch(connection, query, {**conditions.params, "ids": id_list(ids)})
    return [LaterStatement(*row) for row in rows]
