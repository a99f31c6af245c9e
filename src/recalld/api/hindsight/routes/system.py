"""Health, version and metrics."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from recalld import __version__
from recalld.api.deps import App
from recalld.api.hindsight.schemas.system import FeaturesInfo, LivenessResponse, VersionResponse
from recalld.api.responses import UNHEALTHY
from recalld.bootstrap import Application
from recalld.domain.errors import RecalldError

API_VERSION = "1.1.0"
"""The contract this server speaks (D24); clients gate features on it."""

router = APIRouter(tags=["Monitoring"])


@router.get("/health", operation_id="health_endpoint_health_get", responses=UNHEALTHY)
async def health(app: App) -> Any:
    """Whether the server can answer: the database responds."""
    return await _readiness(app)


@router.get("/health/ready", operation_id="get_readiness", responses=UNHEALTHY)
async def ready(app: App) -> Any:
    """The same as /health."""
    return await _readiness(app)


@router.get("/health/live", operation_id="get_liveness")
async def live(app: App) -> LivenessResponse:
    """The process runs; the database is not asked."""
    return LivenessResponse(
        status="alive", version=__version__, uptime_seconds=round(time.monotonic() - app.started_at, 3)
    )


@router.get("/version", operation_id="get_version")
@router.get("/v1/version", include_in_schema=False)
async def version() -> VersionResponse:
    """Contract version and what this server offers."""
    return VersionResponse(
        api_version=API_VERSION,
        features=FeaturesInfo(
            observations=True,
            mcp=False,
            worker=True,
            bank_config_api=True,
            bank_llm_health=False,
            file_upload_api=False,
            document_export_api=True,
            document_import_api=True,
            audit_log=False,
            llm_trace=False,
            store_document_text=True,
        ),
    )


@router.get("/metrics", operation_id="metrics_endpoint_metrics_get")
async def metrics(app: App) -> Any:
    """Prometheus text."""
    app.metrics.observe_process(app.database.pool_stats)
    return Response(generate_latest(app.metrics.registry), media_type=CONTENT_TYPE_LATEST)


async def _readiness(app: Application) -> JSONResponse:
    try:
        seconds = await app.ping()
    except RecalldError as error:
        return JSONResponse({"status": "unhealthy", "database": error.message}, 503)
    return JSONResponse(
        {"status": "healthy", "database": "connected", "db_acquire_ms": round(seconds * 1000, 2)}
    )
