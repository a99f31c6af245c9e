"""POST memories: store texts."""

from __future__ import annotations

import time

from fastapi import APIRouter

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_writes import retain_items
from recalld.api.hindsight.schemas.retain import RetainRequest, RetainResponse, TokenUsage
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import IN_THE_WAY, NOT_SERVED, REPORTED, UNKNOWN_BANK, WRITE

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)


@router.post(
    "/v1/default/banks/{bank_id}/memories",
    operation_id="retain_memories",
    responses=REPORTED | WRITE | UNKNOWN_BANK | IN_THE_WAY | NOT_SERVED,
)
async def retain_memories(
    bank_id: str, request: RetainRequest, app: App, authorization: Authorization = None
) -> RetainResponse:
    """Store texts; when the answer comes, all of them are committed."""
    items = retain_items(request)
    start = time.perf_counter()
    success = False
    try:
        if items:
            outcome = await app.retain.retain(bank_id, items)
            app.metrics.retained_documents.inc(outcome.documents)
        success = True
    finally:
        app.metrics.observe_operation(
            "retain", time.perf_counter() - start, {"success": str(success).lower()}
        )
    return RetainResponse(
        success=True, bank_id=bank_id, items_count=len(items), async_=False, usage=TokenUsage()
    )
