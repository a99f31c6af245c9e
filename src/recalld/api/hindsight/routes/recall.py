"""POST recall: validate, hand over, answer."""

from __future__ import annotations

import time
from dataclasses import replace

from fastapi import APIRouter, Response

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert import fact_types, recall_query, recall_response
from recalld.api.hindsight.schemas.recall import RecallRequest, RecallResponse
from recalld.api.ignored import ReportingRoute
from recalld.bootstrap import Application
from recalld.domain.errors import Unprocessable
from recalld.recall.types import RecallOutcome
from recalld.telemetry import token_bucket

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)


@router.post(
    "/v1/default/banks/{bank_id}/memories/recall",
    operation_id="recall_memories",
    response_model=RecallResponse,
)
async def recall_memories(
    bank_id: str, request: RecallRequest, app: App, authorization: Authorization = None
) -> Response:
    """Recall memories that matter for a query."""
    query = recall_query(bank_id, request)
    try:
        types = fact_types(request.types)
    except Unprocessable:
        await app.banks.get(bank_id)
        raise
    if not types:
        await app.banks.get(bank_id)
        return _json(RecallResponse(results=[]))
    start = time.perf_counter()
    success = False
    try:
        outcome = await app.recall.recall(replace(query, types=types))
        success = True
    finally:
        labels = {
            "budget": str(query.budget),
            "max_tokens": token_bucket(query.max_tokens),
            "success": str(success).lower(),
        }
        app.metrics.observe_operation("recall", time.perf_counter() - start, labels)
    return _answer(app, outcome)


def _answer(app: Application, outcome: RecallOutcome) -> Response:
    start = time.perf_counter()
    response = _json(recall_response(outcome))
    app.metrics.observe_stages(outcome.timings)
    app.metrics.phase_seconds.labels(phase="serialize", diagnostic="false").observe(
        time.perf_counter() - start
    )
    if outcome.degraded:
        response.headers["X-Recall-Degraded"] = ", ".join(outcome.degraded)
        for part in outcome.degraded:
            app.metrics.degraded.labels(part=part).inc()
    if outcome.plan.truncated:
        response.headers["X-Recall-Query-Truncated"] = "true"
    if outcome.plan.window is not None:
        window = outcome.plan.window
        response.headers["X-Recall-Window"] = f"{window.start.isoformat()}/{window.end.isoformat()}"
    return response


def _json(body: RecallResponse) -> Response:
    return Response(body.model_dump_json(), media_type="application/json")
