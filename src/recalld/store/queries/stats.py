"""How much does a bank hold?"""

from __future__ import annotations

from collections import defaultdict

from recalld.domain.banks import Bank
from recalld.domain.records import BankStats
from recalld.store.engine import ReadConnection, fetch

_FACTS = """
    SELECT unit.fact_type, count(*), max(unit.consolidated_at),
           count(*) FILTER (WHERE unit.consolidated_at IS NULL AND unit.consolidation_failed_at IS NULL
                            AND unit.fact_type <> 'observation'),
           count(unit.consolidation_failed_at)
    FROM memory_units AS unit WHERE unit.bank_key = %(bank_key)s GROUP BY 1 ORDER BY 1
"""

_LINKS = """
    SELECT unit.fact_type, link.link_type, sum(link.links)::bigint
    FROM (SELECT from_id, link_type, count(*) AS links FROM memory_links
          WHERE bank_key = %(bank_key)s GROUP BY 1, 2) AS link
    JOIN memory_units AS unit ON unit.bank_key = %(bank_key)s AND unit.id = link.from_id
    GROUP BY 1, 2 ORDER BY 1, 2
"""

_REST = """
    SELECT (SELECT count(*) FROM documents WHERE bank_key = %(bank_key)s),
           (SELECT last_write_at FROM banks WHERE bank_key = %(bank_key)s)
"""

_OPERATIONS = """
    SELECT status, count(*) FROM operations WHERE bank_key = %(bank_key)s GROUP BY 1 ORDER BY 1
"""


async def read_stats(connection: ReadConnection, bank: Bank) -> BankStats:
    """Counts by kind."""
    params = {"bank_key": bank.key}
    facts = await fetch(connection, _FACTS, params)
    links: dict[str, dict[str, int]] = defaultdict(dict)
    for fact_type, kind, count in await fetch(connection, _LINKS, params):
        links[fact_type][kind] = count
    documents, last_write_at = (await fetch(connection, _REST, params))[0]
    return BankStats(
        bank_id=bank.bank_id,
        facts={fact_type: count for fact_type, count, *_ in facts},
        documents=documents,
        links=dict(links),
        operations=dict(await fetch(connection, _OPERATIONS, params)),
        last_consolidated_at=max((when for _, _, when, _, _ in facts if when), default=None),
        last_write_at=last_write_at,
        pending_consolidation=sum(pending for *_, pending, _ in facts),
        failed_consolidation=sum(failed for *_, failed in facts),
    )
