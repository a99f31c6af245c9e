"""What do facts rest on, and which later statements are like them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recalld.domain.filters import FactFilter
from recalld.store.engine import ReadConnection, fetch, id_list
from recalld.store.where import date_of, fact_conditions

_EVIDENCE = f"""
    SELECT unit.id::text, unit.text, {date_of("unit")}, chunk.chunk_text, unit.document_id, document.label,
           coalesce(document.source_metadata, nullif(document.document_metadata, '{{{{}}}}')::text)
    FROM memory_units AS unit
    LEFT JOIN documents AS document ON document.bank_key = unit.bank_key AND document.id = unit.document_id
    LEFT JOIN chunks AS chunk ON chunk.bank_key = unit.bank_key AND chunk.chunk_id = unit.chunk_id
    WHERE {{conditions}} AND unit.id = ANY(%(ids)s::uuid[])
"""

# Statements that can take each other's place are short and of about one length.
_LATER = f"""
    SELECT DISTINCT mine.id::text, mine.text, unit.text, {date_of("unit")}
    FROM memory_units AS mine
    CROSS JOIN LATERAL (
        SELECT to_id AS id FROM memory_links WHERE bank_key = %(bank_key)s AND from_id = mine.id
          AND link_type = 'semantic'
        UNION ALL
        SELECT from_id FROM memory_links WHERE bank_key = %(bank_key)s AND to_id = mine.id
          AND link_type = 'semantic'
        UNION ALL
        SELECT unnest(observed.source_memory_ids) FROM memory_units AS observed
        WHERE observed.bank_key = %(bank_key)s AND observed.source_memory_ids @> ARRAY[mine.id]
    ) AS near
    JOIN memory_units AS unit ON unit.bank_key = %(bank_key)s AND unit.id = near.id
    WHERE mine.bank_key = %(bank_key)s AND mine.id = ANY(%(ids)s::uuid[])
      AND unit.fact_type <> 'observation' AND {date_of("unit")} > {date_of("mine")}
      AND length(mine.text) <= {{longest}} AND abs(length(unit.text) - length(mine.text)) <= {{differing}}
      AND {{conditions}}
"""
_BOUNDS = {"longest": 400, "differing": 80}


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
    """A statement that is like an earlier one of a fact, with its date."""

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
    """Statements the filter lets through that came after facts they are like."""
    conditions = fact_conditions(replace(facts, occurred_from=None, occurred_to=None))
    query = _LATER.format(conditions=conditions.sql, **_BOUNDS)
    rows = await fetch(connection, query, {**conditions.params, "ids": id_list(ids)})
    return [LaterStatement(*row) for row in rows]
