"""Entities."""

from __future__ import annotations

from typing import Any

from recalld.api.hindsight.schemas.base import PageParams, WireModel
from recalld.api.hindsight.schemas.recall import EntityObservationResponse, Tag, TagMatchName


class EntityParams(WireModel):
    """Which memories count."""

    tags: list[Tag] | None = None
    tags_match: TagMatchName = "any"
    tag_groups: str | None = None


class ListEntitiesParams(EntityParams, PageParams):
    """What the list is narrowed by."""


class EntityListItem(WireModel):
    """A row of the entity list."""

    id: str
    canonical_name: str
    mention_count: int
    first_seen: str | None = None
    last_seen: str | None = None
    metadata: dict[str, Any] | None = None


class EntityListResponse(WireModel):
    """A page of entities."""

    items: list[EntityListItem]
    total: int
    limit: int
    offset: int


class EntityDetailResponse(EntityListItem):
    """An entity with the newest observations about it."""

    observations: list[EntityObservationResponse]
