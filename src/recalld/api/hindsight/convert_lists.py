"""What the query string of a list asks for, in the domain's terms."""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from recalld.api.hindsight.convert import tag_node
from recalld.api.hindsight.schemas.base import PageParams
from recalld.api.hindsight.schemas.documents import ListChunksParams, ListDocumentsParams
from recalld.api.hindsight.schemas.entities import EntityParams
from recalld.api.hindsight.schemas.memories import ListMemoriesParams
from recalld.api.hindsight.schemas.recall import TagGroup, check_tag_tree
from recalld.domain.errors import InvalidRequest
from recalld.domain.listing import DocumentQuery, MemoryQuery, Page, TimeRange
from recalld.domain.tags import TagAnd, TagMatch, TagNode, flat_filter
from recalld.domain.time import as_utc

STATES = ("valid", "invalidated")
_CONSOLIDATION = ("failed", "pending", "done")
_GROUPS: TypeAdapter[list[TagGroup]] = TypeAdapter(list[TagGroup])


def page(params: PageParams | ListChunksParams) -> Page:
    """The page wanted."""
    return Page(params.limit, params.offset)


def memory_query(params: ListMemoriesParams) -> MemoryQuery:
    """Which memories to list."""
    state = one_of("state", params.state or STATES[0], STATES)
    if params.consolidation_state is not None:
        one_of("consolidation_state", params.consolidation_state, _CONSOLIDATION)
    return MemoryQuery(
        fact_type=params.type,
        search=params.q,
        document_id=params.document_id,
        entity_id=params.entity_id,
        tags=flat_filter(params.tags or (), TagMatch(params.tags_match)),
        invalidated=state != STATES[0],
        consolidation=params.consolidation_state,
        time=_time_range(params, "mentioned_at"),
    )


def document_query(params: ListDocumentsParams) -> DocumentQuery:
    """Which documents to list."""
    tags = flat_filter(params.tags or (), TagMatch(params.tags_match))
    return DocumentQuery(params.q, tags, _time_range(params, "updated_at"))


def entity_tags(params: EntityParams) -> TagNode:
    """Which memories the entities are those of."""
    flat = flat_filter(params.tags or (), TagMatch(params.tags_match))
    if not params.tag_groups:
        return flat
    try:
        groups = json.loads(params.tag_groups)
        check_tag_tree(groups)
        parsed = _GROUPS.validate_python(groups)
    except ValidationError as error:
        raise InvalidRequest(f"tag_groups: {error.errors()[0]['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"tag_groups must be a JSON list of groups: {error}"[:300]) from error
    return TagAnd((flat, *(tag_node(group) for group in parsed)))


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """The value, or ``InvalidRequest``."""
    if value not in allowed:
        raise InvalidRequest(f"{name} must be one of: {', '.join(allowed)}")
    return value


def moment(name: str, value: str) -> datetime:
    """An ISO date or date-time in UTC, or ``InvalidRequest``."""
    try:
        return as_utc(datetime.fromisoformat(value))
    except ValueError as error:
        raise InvalidRequest(f"{name} must be an ISO 8601 date or date-time") from error


def _time_range(params: ListMemoriesParams | ListDocumentsParams, default: str) -> TimeRange | None:
    if not (params.time_field or params.start_date or params.end_date):
        return None
    return TimeRange(
        params.time_field or default,
        moment("start_date", params.start_date) if params.start_date else None,
        moment("end_date", params.end_date) if params.end_date else None,
    )
