"""Memories: lists, and changes to one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from recalld.api.hindsight.schemas.base import FIRST_FAULT, PageParams, WireModel
from recalld.api.hindsight.schemas.recall import Tag, TagMatchName


class ListMemoriesParams(PageParams):
    """What the list is narrowed by."""

    type: str | None = None
    q: str | None = None
    consolidation_state: str | None = None
    state: str | None = None
    document_id: str | None = None
    entity_id: str | None = None
    tags: list[Tag] | None = None
    tags_match: TagMatchName = "any"
    time_field: (
        Literal["created_at", "updated_at", "mentioned_at", "occurred_start", "occurred_end"] | None
    ) = None
    start_date: str | None = None
    end_date: str | None = None


class MemoryUnitListItem(WireModel):
    """A row of the memory list."""

    id: str
    text: str = ""
    context: str = ""
    date: str = ""
    fact_type: str | None = None
    document_id: str | None = None
    mentioned_at: str | None = None
    occurred_start: str | None = None
    occurred_end: str | None = None
    entities: str = ""
    chunk_id: str | None = None
    proof_count: int = 1
    tags: list[str] = Field([])
    metadata: dict[str, Any] = Field({})
    consolidated_at: str | None = None
    consolidation_failed_at: str | None = None
    state: str = "valid"
    invalidation_reason: str | None = None
    invalidated_at: str | None = None
    edited_at: str | None = None
    updated_at: str | None = None
    source_memory_ids: list[str] = Field([])


class ListMemoryUnitsResponse(WireModel):
    """A page of memories."""

    items: list[MemoryUnitListItem]
    total: int
    limit: int
    offset: int


class UpdateMemoryRequest(WireModel):
    """What to change; a date that is null or empty is cleared, null elsewhere leaves a value as it is."""

    text: str | None = None
    context: str | None = None
    occurred_start: str | None = None
    occurred_end: str | None = None
    mentioned_at: str | None = None
    fact_type: str | None = None
    entities: Annotated[list[str] | None, FIRST_FAULT] = None
    resolve_entities: bool = True
    state: str | None = None
    reason: str | None = None
