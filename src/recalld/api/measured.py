"""Recalls as the metrics see them, whichever front door they came through."""

from __future__ import annotations

import time

from recalld.bootstrap import Application
from recalld.recall.types import RecallOutcome, RecallQuery
from recalld.telemetry import StageTiming, token_bucket


async def recalled(app: Application, query: RecallQuery) -> RecallOutcome:
    """The recall, counted and timed unless its client leaves."""
    labels = {"budget": str(query.budget), "max_tokens": token_bucket(query.max_tokens)}
    start = time.perf_counter()
    try:
        outcome = await app.recall.recall(query)
    except Exception:
        app.metrics.observe_operation("recall", time.perf_counter() - start, {**labels, "success": "false"})
        raise
    app.metrics.observe_operation("recall", time.perf_counter() - start, {**labels, "success": "true"})
    return outcome


def note_answer(app: Application, outcome: RecallOutcome, seconds: float) -> None:
    """Count what an answer says of itself; ``seconds`` is how long it took to write down."""
    app.metrics.observe_stages((*outcome.timings, StageTiming("serialize", seconds)))
    for part in outcome.degraded:
        app.metrics.degraded.labels(part=part).inc()
    if outcome.plan.fell_back:
        app.metrics.fallbacks.inc()
