"""Counts of what a bank holds."""

from __future__ import annotations

from fastapi import APIRouter

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_catalog import stats_response
from recalld.api.hindsight.schemas.stats import BankStatsResponse
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import READ, REPORTED, UNKNOWN_BANK

router = APIRouter(tags=["Banks"], route_class=ReportingRoute)


@router.get(
    "/v1/default/banks/{bank_id}/stats",
    operation_id="get_agent_stats",
    responses=REPORTED | READ | UNKNOWN_BANK,
)
async def get_agent_stats(
    bank_id: str, app: App, refresh: bool = False, authorization: Authorization = None
) -> BankStatsResponse:
    """Counts by kind, as of now: nothing is cached, with or without ``refresh``."""
    return stats_response(await app.catalog.stats.get(bank_id))
