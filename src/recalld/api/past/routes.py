"""POST /api/v1/recall: validate, hand over, answer."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

from fastapi import APIRouter, Depends, Request, Response

from recalld.api.deps import App, recall_place
from recalld.api.measured import note_answer, recalled
from recalld.api.past.convert import empty_response, recall_query, recall_response
from recalld.api.past.projects import CallersProject, KeyedRoute
from recalld.api.past.responses import KEYED
from recalld.api.past.schemas import RecallRequest, RecallResponse
from recalld.bootstrap import Application
from recalld.domain.banks import Bank
from recalld.domain.errors import BankNotFound
from recalld.domain.visibility import visible_to
from recalld.recall.types import RecallQuery
from recalld.retain.job import PARENT
from recalld.telemetry import request_span

router = APIRouter(route_class=KeyedRoute, prefix="/api/v1", tags=["recall"])


@router.post(
    "/recall",
    operation_id="recall",
    response_model=RecallResponse,
    dependencies=[Depends(recall_place)],
    responses=KEYED,
)
async def recall(request: RecallRequest, http: Request, app: App, project: CallersProject) -> Response:
    """Ranked documents with the evidence for them, as the identity sees them at one moment."""
    bank_id = project.bank_of(request.identity)
    query = recall_query(bank_id, request, datetime.now(UTC), app.settings.past_max_tokens)
    with request_span("past.recall", http.headers, {"bank_id": bank_id, "query": query.text[:100]}):
        bank = await app.catalog.sources.bank(bank_id)
        if bank is None:
            return _json(empty_response(query))
        try:
            return await _answer(app, bank, request, query)
        except BankNotFound:
            return _json(empty_response(query))


async def _answer(app: Application, bank: Bank, request: RecallRequest, query: RecallQuery) -> Response:
    # Looked at first: what ends in the meantime may still be missing in the answer.
    backlog = await app.operations.backlog(bank.key, PARENT)
    audiences = await app.catalog.sources.audiences_of(bank, request.identity)
    outcome = await recalled(app, replace(query, tags=visible_to(request.identity, audiences)))
    start = time.perf_counter()
    response = _json(recall_response(outcome, request.sort, backlog))
    note_answer(app, outcome, time.perf_counter() - start)
    if outcome.degraded:
        response.headers["X-Recall-Degraded"] = ", ".join(outcome.degraded)
    return response


def _json(body: RecallResponse) -> Response:
    return Response(body.model_dump_json(by_alias=True, exclude_none=True), media_type="application/json")
