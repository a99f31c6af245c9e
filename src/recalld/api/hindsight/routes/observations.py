"""Observations: consolidate, list their scopes, look into their past, delete them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert import iso
from recalld.api.hindsight.schemas.banks import DeleteResponse
from recalld.api.hindsight.schemas.observations import (
    ClearMemoryObservationsResponse,
    ConsolidationRequest,
    ConsolidationResponse,
    ObservationScope,
    ObservationScopesResponse,
    RecoverConsolidationResponse,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import BAD_VALUE, READ, REPORTED, UNKNOWN_BANK, WRITE
from recalld.consolidate.job import OPERATION
from recalld.domain.listing import Page

BANK = "/v1/default/banks/{bank_id}"
KNOWN = REPORTED | READ | UNKNOWN_BANK
ONE = KNOWN | BAD_VALUE

router = APIRouter(route_class=ReportingRoute)


@router.post(
    BANK + "/consolidate",
    operation_id="trigger_consolidation",
    tags=["Banks"],
    responses=REPORTED | WRITE | UNKNOWN_BANK,
)
async def trigger_consolidation(
    bank_id: str,
    app: App,
    request: ConsolidationRequest | None = None,
    authorization: Authorization = None,
) -> ConsolidationResponse:
    """Consolidate what is pending, in the background."""
    bank = await app.banks.get(bank_id)
    id_, waited = await app.operations.submit_once(bank.key, OPERATION)
    return ConsolidationResponse(operation_id=str(id_), deduplicated=waited)


@router.post(
    BANK + "/consolidation/recover", operation_id="recover_consolidation", tags=["Banks"], responses=KNOWN
)
async def recover_consolidation(
    bank_id: str, app: App, authorization: Authorization = None
) -> RecoverConsolidationResponse:
    """Let facts whose consolidation failed be tried again."""
    return RecoverConsolidationResponse(retried_count=await app.catalog.observations.recover(bank_id))


@router.get(
    BANK + "/observations/scopes", operation_id="list_observation_scopes", tags=["Memory"], responses=KNOWN
)
async def list_observation_scopes(
    bank_id: str,
    app: App,
    limit: Annotated[int, Query(ge=0, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
    authorization: Authorization = None,
) -> ObservationScopesResponse:
    """Sets of tags observations were made for, the most frequent first."""
    found, total = await app.catalog.observations.scopes(bank_id, Page(limit, offset))
    scopes = [ObservationScope(tags=tags, count=count) for tags, count in found]
    return ObservationScopesResponse(scopes=scopes, total=total, limit=limit, offset=offset)


@router.delete(BANK + "/observations", operation_id="clear_observations", tags=["Banks"], responses=KNOWN)
async def clear_observations(bank_id: str, app: App, authorization: Authorization = None) -> DeleteResponse:
    """Delete all observations of a bank; its facts stay."""
    count = await app.catalog.observations.clear(bank_id)
    return DeleteResponse(success=True, message=f"{count} observations deleted", deleted_count=count)


@router.delete(
    BANK + "/memories/{memory_id}/observations",
    operation_id="clear_memory_observations",
    tags=["Memory"],
    responses=ONE,
)
async def clear_memory_observations(
    bank_id: str, memory_id: str, app: App, authorization: Authorization = None
) -> ClearMemoryObservationsResponse:
    """Delete the observations that rest on one memory."""
    count = await app.catalog.observations.clear_on(bank_id, memory_id)
    return ClearMemoryObservationsResponse(deleted_count=count)


@router.get(
    BANK + "/memories/{memory_id}/history",
    operation_id="get_observation_history",
    tags=["Memory"],
    responses=ONE,
)
async def get_observation_history(
    bank_id: str, memory_id: str, app: App, authorization: Authorization = None
) -> Any:
    """What an observation said before, the latest first; an empty list for a fact."""
    versions = await app.catalog.observations.history(bank_id, memory_id)
    return [
        {
            "version": one.version,
            "previous_text": one.text,
            "previous_tags": list(one.tags),
            "previous_occurred_start": iso(one.occurred_start),
            "previous_occurred_end": iso(one.occurred_end),
            "previous_mentioned_at": iso(one.mentioned_at),
            "new_source_memory_ids": list(one.new_source_ids),
            "changed_at": iso(one.changed_at),
        }
        for one in versions
    ]
