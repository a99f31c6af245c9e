"""Tags."""

from __future__ import annotations

from typing import Literal

from recalld.api.hindsight.schemas.base import PageParams, WireModel


class ListTagsParams(PageParams):
    """What the list is narrowed by."""

    q: str | None = None
    source: Literal["memories", "mental_models"] = "memories"


class TagItem(WireModel):
    """A tag and how many memories carry it."""

    tag: str
    count: int


class ListTagsResponse(WireModel):
    """A page of tags."""

    items: list[TagItem]
    total: int
    limit: int
    offset: int
