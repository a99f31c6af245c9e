"""For which tags are there observations, and what did one say before?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from recalld.domain.listing import Page
from recalld.store.engine import ReadConnection, fetch

_SCOPES = """
    SELECT scope.tags, count(*)::integer FROM memory_units AS unit
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT unnest(unit.tags) ORDER BY 1) AS tags) AS scope
    WHERE unit.bank_key = %(bank_key)s AND unit.fact_type = 'observation'
    GROUP BY scope.tags ORDER BY 2 DESC, scope.tags LIMIT %(limit)s OFFSET %(offset)s
"""

_COUNT = """
    SELECT count(DISTINCT ARRAY(SELECT unnest(unit.tags) ORDER BY 1)) FROM memory_units AS unit
    WHERE unit.bank_key = %(bank_key)s AND unit.fact_type = 'observation'
"""

_ANY = """
    SELECT EXISTS (SELECT FROM memory_units AS unit
                   WHERE unit.bank_key = %(bank_key)s AND unit.fact_type = 'observation')
"""

_HISTORY = """
    SELECT version, text, tags, occurred_start, occurred_end, mentioned_at, new_source_ids::text[], changed_at
    FROM observation_history
    WHERE bank_key = %(bank_key)s AND observation_id = %(id)s::uuid ORDER BY version DESC
"""


class Version(NamedTuple):
    """What an observation said until ``changed_at``, when ``new_source_ids`` were added to its sources."""

    version: int
    text: str
    tags: Sequence[str]
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime | None
    new_source_ids: Sequence[str]
    changed_at: datetime


async def any_observation(connection: ReadConnection, bank_key: int) -> bool:
    """Whether a bank holds an observation."""
    return bool((await fetch(connection, _ANY, {"bank_key": bank_key}))[0][0])


async def observation_scopes(
    connection: ReadConnection, bank_key: int, page: Page
) -> tuple[list[tuple[list[str], int]], int]:
    """A page of sets of tags with the number of observations made for each, and the total of sets."""
    params = {"bank_key": bank_key, **page.bounds}
    total = (await fetch(connection, _COUNT, params))[0][0]
    return [(tags, count) for tags, count in await fetch(connection, _SCOPES, params)], total


async def observation_versions(connection: ReadConnection, bank_key: int, id_: str) -> list[Version]:
    """Earlier versions, the latest first."""
    return [Version(*row) for row in await fetch(connection, _HISTORY, {"bank_key": bank_key, "id": id_})]
