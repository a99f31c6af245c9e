"""Around every request: its body, a client that leaves, measuring, and what was ignored."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recalld.api.errors import RECALL_SUFFIX
from recalld.api.ignored import header_value
from recalld.telemetry import Metrics

logger = logging.getLogger(__name__)


def too_large(limit: int) -> Response:
    """The body is over the limit."""
    return JSONResponse({"detail": f"Request body is larger than {limit} bytes."}, 413)


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Largest bodies in bytes: of a recall, whose path ends in ``suffix``, and of the others."""

    recall: int
    other: int
    suffix: str = RECALL_SUFFIX
    refusal: Callable[[int], Response] = too_large


class BodyLimit:
    """Refuses bodies over the limit with 413, whether their length is announced or not."""

    def __init__(self, app: ASGIApp, limits: BodyLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limits.recall if scope["path"].endswith(self._limits.suffix) else self._limits.other
        announced = dict(scope["headers"]).get(b"content-length", b"")
        if announced.isdigit() and int(announced) > limit:
            await self._limits.refusal(limit)(scope, receive, send)
            return
        body = await _read(receive, limit)
        if body is None:
            await self._limits.refusal(limit)(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)


async def _read(receive: Receive, limit: int) -> list[Message] | None:
    """The body's messages, or ``None`` once they exceed the limit."""
    messages: list[Message] = []
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if size > limit:
            return None
        if message["type"] != "http.request" or not message.get("more_body"):
            return messages


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def next_message() -> Message:
        return next(waiting, None) or await receive()

    return next_message


class Abandonment:
    """Stops a recall whose client has left: its task is cancelled, and the answer nobody reads is a 499."""

    def __init__(self, app: ASGIApp, suffix: str = RECALL_SUFFIX) -> None:
        self._app = app
        self._suffix = suffix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith(self._suffix):
            await self._app(scope, receive, send)
            return
        body = await _read(receive, limit=sys.maxsize) or []
        left = asyncio.ensure_future(_until_disconnect(receive))
        work = asyncio.ensure_future(self._app(scope, _replay(body, _waiting_for(left)), send))
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await work
            else:
                await _cancelled(work)
                logger.info("recall abandoned by its client: 499")
                await JSONResponse({"detail": "client disconnected"}, 499)(scope, receive, send)
        finally:
            left.cancel()
            work.cancel()


async def _until_disconnect(receive: Receive) -> Message:
    while (message := await receive())["type"] != "http.disconnect":
        pass
    return message


def _waiting_for(left: asyncio.Future[Message]) -> Receive:
    async def receive() -> Message:
        return await asyncio.shield(left)

    return receive


async def _cancelled(work: asyncio.Future[None]) -> None:
    work.cancel()
    with suppress(asyncio.CancelledError):
        await work


class Measured:
    """Counts and times requests, and adds ``X-Ignored-Params``."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})
        status = 500
        start = time.perf_counter()

        async def annotated(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if ignored := scope["state"].get("ignored"):
                    MutableHeaders(scope=message)["X-Ignored-Params"] = header_value(ignored)
            await send(message)

        in_progress = self._metrics.http_in_progress.labels(method=scope["method"])
        in_progress.inc()
        try:
            await self._app(scope, receive, annotated)
        finally:
            in_progress.dec()
            self._observe(scope, status, time.perf_counter() - start)

    def _observe(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route")
        labels = {
            "method": scope["method"],
            "endpoint": getattr(route, "path", "unmatched"),
            "status_code": str(status),
            "status_class": f"{status // 100}xx",
        }
        self._metrics.http_requests.labels(**labels).inc()
        self._metrics.http_seconds.labels(**labels).observe(seconds)
