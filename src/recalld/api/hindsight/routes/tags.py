"""Tags and their counts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_lists import page
from recalld.api.hindsight.schemas.tags import ListTagsParams, ListTagsResponse, TagItem
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import READ, REPORTED, UNKNOWN_BANK

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)


@router.get(
    "/v1/default/banks/{bank_id}/tags", operation_id="list_tags", responses=REPORTED | READ | UNKNOWN_BANK
)
async def list_tags(
    bank_id: str, params: Annotated[ListTagsParams, Query()], app: App, authorization: Authorization = None
) -> ListTagsResponse:
    """A page of tags, the most frequent first. There are no mental models, so none carries any."""
    if params.source == "mental_models":
        await app.banks.get(bank_id)
        return ListTagsResponse(items=[], total=0, limit=params.limit, offset=params.offset)
    found, total = await app.catalog.tags.list(bank_id, params.q, page(params))
    items = [TagItem(tag=tag, count=count) for tag, count in found]
    return ListTagsResponse(items=items, total=total, limit=params.limit, offset=params.offset)
