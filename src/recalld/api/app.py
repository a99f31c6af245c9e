"""The web application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from recalld import __version__
from recalld.api import errors
from recalld.api.admission import Lane
from recalld.api.auth import Authenticated, read_keys
from recalld.api.deps import own_bank
from recalld.api.hindsight.routes import (
    aliases,
    attachments,
    banks,
    config,
    documents,
    entities,
    memories,
    observations,
    operations,
    recall,
    retain,
    stats,
    stubs,
    system,
    tags,
    transfer,
)
from recalld.api.middleware import Abandonment, BodyLimit, BodyLimits, Measured
from recalld.api.past.app import SecondDoor, past_api
from recalld.api.past.projects import Keyring, Project
from recalld.bootstrap import Application, application, at_work
from recalld.settings import Settings
from recalld.telemetry import Metrics

USUAL_PROJECT = "default"
"""The bank behind the second front door where no keys are set up for it."""


def create_app(settings: Settings | None = None, running: Application | None = None) -> FastAPI:
    """The ASGI application. It starts its own services, unless ``running`` ones are given."""
    chosen = running.settings if running else settings or Settings()
    metrics = running.metrics if running else Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if running is not None:
            app.state.application = past.state.application = running
            yield
            return
        async with application(chosen, metrics) as started, at_work(started):
            app.state.application = past.state.application = started
            yield

    past = past_api(_keyring(chosen), chosen.recall_max_body_bytes, chosen.gzip_min_size)

    app = FastAPI(
        title="recalld",
        version=__version__,
        description="Recall for agent memory, compatible with the Hindsight API.",
        lifespan=lifespan,
        strict_content_type=False,
        dependencies=[Depends(own_bank)],
    )
    app.state.recall_lane = past.state.recall_lane = _recall_lane(chosen)
    for router in (
        aliases.router,
        attachments.router,
        config.router,
        documents.router,
        entities.router,
        memories.router,
        observations.router,
        stats.router,
        stubs.router,
        tags.router,
        transfer.router,
        operations.router,
        recall.router,
        retain.router,
        banks.router,
        system.router,
    ):
        app.include_router(router)
    errors.install(app)
    if chosen.gzip_min_size >= 0:
        app.add_middleware(GZipMiddleware, minimum_size=chosen.gzip_min_size, compresslevel=1)
    app.add_middleware(Abandonment)
    app.add_middleware(
        BodyLimit, limits=BodyLimits(chosen.recall_max_body_bytes, chosen.retain_max_body_bytes)
    )
    app.add_middleware(Authenticated, keys=read_keys(chosen.api_keys.get_secret_value()))
    app.add_middleware(SecondDoor, door=past)
    app.add_middleware(Measured, metrics=metrics)
    return app


def _keyring(settings: Settings) -> Keyring:
    """Who may use the second front door. Where the first one has keys, the second never stands open."""
    each = settings.past_identity_mode == "bank"
    named = [(key, Project(bank_id, each)) for key, bank_id in settings.past_projects]
    usual = Project(USUAL_PROJECT, each)
    keys = read_keys(settings.api_keys.get_secret_value())
    if named or keys:
        opening = [(key.secret, usual) for key in keys if USUAL_PROJECT.startswith(key.bank_prefix)]
        return Keyring(named or opening)
    return Keyring(anybody=usual)


def _recall_lane(settings: Settings) -> Lane | None:
    capacity = settings.recall_capacity
    wait = settings.admission_recall_max_wait_ms / 1000
    return Lane("recall", capacity, max(wait, 0.001)) if capacity is not None else None
