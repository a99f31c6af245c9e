"""POST memories: store texts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from fastapi import APIRouter

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_writes import operation_uuid, retain_items, token_usage
from recalld.api.hindsight.schemas.retain import RetainRequest, RetainResponse, TokenUsage
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import IN_THE_WAY, REPORTED, UNKNOWN_BANK, WRITE
from recalld.bootstrap import Application
from recalld.domain.errors import InvalidRequest
from recalld.retain.job import retain_operation
from recalld.retain.types import RetainItem

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)


@router.post(
    "/v1/default/banks/{bank_id}/memories",
    operation_id="retain_memories",
    responses=REPORTED | WRITE | UNKNOWN_BANK | IN_THE_WAY,
)
async def retain_memories(
    bank_id: str, request: RetainRequest, app: App, authorization: Authorization = None
) -> RetainResponse:
    """Store texts. Without ``async`` all of them are committed when the answer comes."""
    items = retain_items(request)
    usage = TokenUsage()
    with _measured(app, "submit_retain" if request.async_ else "retain"):
        if request.async_:
            return await _submit(app, bank_id, items, operation_uuid(request.operation_id))
        if items:
            outcome = await app.retain.retain(bank_id, items)
            app.metrics.retained_documents.inc(outcome.documents)
            usage = token_usage(outcome.usage)
    return RetainResponse(success=True, bank_id=bank_id, items_count=len(items), async_=False, usage=usage)


async def _submit(
    app: Application, bank_id: str, items: Sequence[RetainItem], operation_id: UUID | None
) -> RetainResponse:
    """Queue the items, those of each strategy as an operation of their own."""
    strategies = list(dict.fromkeys(item.strategy for item in items)) or [None]
    if operation_id is not None and len(strategies) > 1:
        raise InvalidRequest("operation_id cannot be used with items of different strategies")
    new = [
        retain_operation(operation_id, [item for item in items if item.strategy == strategy], app.tokens)
        for strategy in strategies
    ]
    bank = await app.retain.bank(bank_id)
    for operation in new:
        await app.operations.submit(bank.key, operation)
    ids = [str(operation.id) for operation in new]
    return RetainResponse(
        success=True,
        bank_id=bank_id,
        items_count=len(items),
        async_=True,
        operation_id=ids[0],
        operation_ids=ids,
    )


@contextmanager
def _measured(app: Application, operation: str) -> Iterator[None]:
    start = time.perf_counter()
    success = False
    try:
        yield
        success = True
    finally:
        seconds = time.perf_counter() - start
        app.metrics.observe_operation(operation, seconds, {"success": str(success).lower()})
