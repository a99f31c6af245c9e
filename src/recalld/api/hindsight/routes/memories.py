"""Memories: list, look at one, curate, clear."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_lists import memory_query, page
from recalld.api.hindsight.convert_memories import memory_detail, memory_edit, memory_item
from recalld.api.hindsight.schemas.banks import DeleteResponse
from recalld.api.hindsight.schemas.memories import (
    ListMemoriesParams,
    ListMemoryUnitsResponse,
    UpdateMemoryRequest,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import BAD_VALUE, READ, REPORTED, UNKNOWN, UNKNOWN_BANK, WRITE, WRONG_STATE

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)

PATH = "/v1/default/banks/{bank_id}/memories"


@router.get(
    PATH + "/list", operation_id="list_memories", responses=REPORTED | READ | BAD_VALUE | UNKNOWN_BANK
)
async def list_memories(
    bank_id: str,
    params: Annotated[ListMemoriesParams, Query()],
    app: App,
    authorization: Authorization = None,
) -> ListMemoryUnitsResponse:
    """A page of memories, last mentioned first unless a time field says otherwise."""
    found, total = await app.catalog.memories.list(bank_id, memory_query(params), page(params))
    items = [memory_item(detail) for detail in found]
    return ListMemoryUnitsResponse(items=items, total=total, limit=params.limit, offset=params.offset)


@router.get(PATH + "/{memory_id}", operation_id="get_memory", responses=REPORTED | READ | BAD_VALUE | UNKNOWN)
async def get_memory(bank_id: str, memory_id: str, app: App, authorization: Authorization = None) -> Any:
    """One memory, valid or invalidated."""
    return memory_detail(await app.catalog.memories.get(bank_id, memory_id))


@router.patch(
    PATH + "/{memory_id}",
    operation_id="update_memory",
    responses=REPORTED | WRITE | UNKNOWN | WRONG_STATE,
)
async def update_memory(
    bank_id: str,
    memory_id: str,
    request: UpdateMemoryRequest,
    app: App,
    authorization: Authorization = None,
) -> Any:
    """Edit a memory, set it aside or bring it back; the answer is the memory as it is now."""
    await app.catalog.curator.curate(bank_id, memory_id, memory_edit(request))
    return memory_detail(await app.catalog.memories.get(bank_id, memory_id))


@router.delete(PATH, operation_id="clear_bank_memories", responses=REPORTED | READ | WRONG_STATE)
async def clear_bank_memories(
    bank_id: str,
    app: App,
    type: str | None = None,  # noqa: A002 - the parameter's published name
    authorization: Authorization = None,
) -> DeleteResponse:
    """Delete the memories of a type, or all of them with their documents. The bank stays."""
    count = await app.catalog.memories.clear(bank_id, type)
    what = f"memories of type '{type}'" if type is not None else "memories"
    return DeleteResponse(success=True, message=f"Deleted {count} {what}", deleted_count=count)
