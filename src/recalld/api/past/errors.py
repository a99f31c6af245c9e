"""Failures as past.dev words them: an envelope of code and status, under an id of the request."""

from __future__ import annotations

import logging
from typing import Any
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recalld.api.errors import ErrorResponse, status_of
from recalld.domain import errors
from recalld.encoders.protocols import EncoderFailed

logger = logging.getLogger(__name__)

INVALID = "invalid-request"
MAX_REASONS = 20
MAX_FIELD = 200
_CODES = {
    400: INVALID,
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    409: "conflict",
    410: "gone",
    413: "too-large",
    422: INVALID,
    501: "not-supported",
    503: "unavailable",
    504: "timeout",
}


class ApiError(errors.RecalldError):
    """A failure with a code of its own."""

    def __init__(self, status: int, code: str, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.data = data


def envelope(
    status: int, message: str, code: str | None = None, data: Any = None, headers: Any = None
) -> ErrorResponse:
    """A failure on the wire. What is only unacceptable is a 400 too."""
    status = 400 if status == 422 else status  # noqa: PLR2004
    body: dict[str, Any] = {"code": code or _CODES.get(status, "internal-error"), "status": status}
    body |= {"debugMessage": message}
    if data is not None:
        body["data"] = data
    return ErrorResponse(body, status, headers)


def too_large(limit: int) -> ErrorResponse:
    """The body is over the limit."""
    return envelope(413, f"The body is larger than {limit} bytes.")


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.add_exception_handler(errors.RecalldError, _on_domain_error)
    app.add_exception_handler(EncoderFailed, _on_encoder_failure)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(Exception, _on_surprise)


async def _on_domain_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, errors.RecalldError)  # noqa: S101 - registered for this class
    if isinstance(error, ApiError):
        return envelope(error.status, error.message, error.code, error.data)
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, errors.Overloaded) else None
    if isinstance(error, errors.AtCapacity):
        return Response(status_code=429, headers=headers)
    return envelope(status_of(error), error.message, headers=headers)


async def _on_encoder_failure(_: Request, error: Exception) -> Response:
    logger.warning("a model failed: %s", error)
    message = "A model this request depends on is not available; try again later."
    return envelope(503, message, headers={"Retry-After": "5"})


async def _on_validation_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class
    reasons = [_reason(raw) for raw in error.errors()[:MAX_REASONS]]
    message = "; ".join(f"{one['field']}: {one['message']}" for one in reasons)
    return envelope(400, message, data={"errors": reasons})


async def _on_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class
    return envelope(error.status_code, str(error.detail), headers=error.headers)


async def _on_surprise(_: Request, error: Exception) -> Response:
    logger.error("request failed", exc_info=error)
    return envelope(500, f"Internal error ({type(error).__name__})")


def _reason(raw: dict[str, Any]) -> dict[str, str]:
    place = () if raw["type"] == "json_invalid" else raw["loc"][1:]
    field = ".".join(str(part) for part in place)[:MAX_FIELD]
    message = raw["msg"].removeprefix("Value error, ")
    if raw["type"] == "model_attributes_type" and not place:
        message = "should be a JSON object, sent as Content-Type: application/json"
    return {"field": field or str(raw["loc"][0]), "message": message}


class RequestIds:
    """Puts a fresh ``X-Request-Id`` on every answer, and in the log beside a failure.

    A surprise that was logged and answered ends here.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        id_ = f"req_{uuid4().hex}"
        answered = False

        async def named(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-Id"] = id_
                if message["status"] >= 500:  # noqa: PLR2004
                    logger.warning("%s %s: %d, %s", scope["method"], scope["path"], message["status"], id_)
            await send(message)
            answered = answered or message["type"] == "http.response.start"

        try:
            await self._app(scope, receive, named)
        except Exception:
            if not answered:
                raise
