"""Entities: list, look at one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_catalog import entity_detail, entity_item
from recalld.api.hindsight.convert_lists import entity_tags, page
from recalld.api.hindsight.schemas.entities import (
    EntityDetailResponse,
    EntityListResponse,
    EntityParams,
    ListEntitiesParams,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import BAD_VALUE, READ, REPORTED, UNKNOWN, UNKNOWN_BANK

router = APIRouter(tags=["Entities"], route_class=ReportingRoute)

PATH = "/v1/default/banks/{bank_id}/entities"


@router.get(PATH, operation_id="list_entities", responses=REPORTED | READ | BAD_VALUE | UNKNOWN_BANK)
async def list_entities(
    bank_id: str,
    params: Annotated[ListEntitiesParams, Query()],
    app: App,
    authorization: Authorization = None,
) -> EntityListResponse:
    """A page of entities, most mentioned first."""
    found, total = await app.catalog.entities.list(bank_id, entity_tags(params), page(params))
    items = [entity_item(entity) for entity in found]
    return EntityListResponse(items=items, total=total, limit=params.limit, offset=params.offset)


@router.get(PATH + "/{entity_id}", operation_id="get_entity", responses=REPORTED | READ | BAD_VALUE | UNKNOWN)
async def get_entity(
    bank_id: str,
    entity_id: str,
    params: Annotated[EntityParams, Query()],
    app: App,
    authorization: Authorization = None,
) -> EntityDetailResponse:
    """One entity with the newest observations about it."""
    return entity_detail(*await app.catalog.entities.get(bank_id, entity_id, entity_tags(params)))
