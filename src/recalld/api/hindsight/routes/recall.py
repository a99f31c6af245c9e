"""POST recall: validate, hand over, answer."""

from __future__ import annotations

import time
from dataclasses import replace

from fastapi import APIRouter, Depends, Request, Response

from recalld.api.deps import App, Authorization, recall_place
from recalld.api.hindsight.convert import fact_types, recall_query, recall_response
from recalld.api.hindsight.schemas.recall import RecallRequest, RecallResponse
from recalld.api.ignored import ReportingRoute
from recalld.api.measured import note_answer, recalled
from recalld.api.responses import RECALLED, UNKNOWN_BANK, WRITE
from recalld.bootstrap import Application
from recalld.domain.errors import Unprocessable
from recalld.recall.types import RecallOutcome, RecallQuery
from recalld.telemetry import request_span, token_bucket

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)


@router.post(
    "/v1/default/banks/{bank_id}/memories/recall",
    operation_id="recall_memories",
    response_model=RecallResponse,
    dependencies=[Depends(recall_place)],
    responses=RECALLED | WRITE | UNKNOWN_BANK,
)
async def recall_memories(
    bank_id: str, request: RecallRequest, http: Request, app: App, authorization: Authorization = None
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
    query = replace(query, types=types)
    with request_span("hindsight.recall", http.headers, _attributes(query)):
        return _answer(app, await recalled(app, query))


def _attributes(query: RecallQuery) -> dict[str, str | list[str]]:
    return {
        "bank_id": query.bank_id,
        "query": query.text[:100],
        "fact_types": [str(fact_type) for fact_type in query.types],
        "budget": str(query.budget),
        "max_tokens": token_bucket(query.max_tokens),
    }


def _answer(app: Application, outcome: RecallOutcome) -> Response:
    start = time.perf_counter()
    response = _json(recall_response(outcome))
    note_answer(app, outcome, time.perf_counter() - start)
    if outcome.degraded:
        response.headers["X-Recall-Degraded"] = ", ".join(outcome.degraded)
    if outcome.plan.truncated:
        response.headers["X-Recall-Query-Truncated"] = "true"
    if outcome.plan.fell_back:
        response.headers["X-Recall-Fallback"] = "observation"
    if outcome.plan.window is not None:
        window = outcome.plan.window
        response.headers["X-Recall-Window"] = f"{window.start.isoformat()}/{window.end.isoformat()}"
    return response


def _json(body: RecallResponse) -> Response:
    return Response(body.model_dump_json(), media_type="application/json")
