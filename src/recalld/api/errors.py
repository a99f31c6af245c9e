"""Failures on the wire: ``{"detail": ...}`` with the status the error tree names."""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import JSONResponse

from recalld.domain import errors
from recalld.encoders.protocols import EncoderFailed

logger = logging.getLogger(__name__)


class ErrorResponse(JSONResponse):
    """JSON in ASCII: what is echoed may hold lone surrogates, which have no UTF-8."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json.dumps(content, ensure_ascii=True, allow_nan=False).encode("ascii")


STATUS: dict[type[errors.RecalldError], int] = {
    errors.InvalidRequest: 400,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Gone: 410,
    errors.TooLarge: 413,
    errors.Unprocessable: 422,
    errors.NotYetSupported: 501,
    errors.Overloaded: 503,
    errors.DeadlineExceeded: 504,
}
MAX_ECHO = 1000
RECALL_SUFFIX = "/memories/recall"
MAX_DETAILS = 20


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.add_exception_handler(errors.RecalldError, _on_domain_error)
    app.add_exception_handler(EncoderFailed, _on_encoder_failure)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(Exception, _on_surprise)


def status_of(error: errors.RecalldError) -> int:
    """The status of an error: that of the nearest class in the tree."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


async def _on_domain_error(_: Request, error: Exception) -> ErrorResponse:
    assert isinstance(error, errors.RecalldError)  # noqa: S101 - registered for this class
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, errors.Overloaded) else None
    return ErrorResponse({"detail": error.message}, status_of(error), headers)


async def _on_encoder_failure(_: Request, error: Exception) -> ErrorResponse:
    logger.warning("a model failed: %s", error)
    detail = "A model this request depends on is not available; try again later."
    return ErrorResponse({"detail": detail}, 503, {"Retry-After": "5"})


async def _on_validation_error(_: Request, error: Exception) -> ErrorResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class
    details = [_detail(raw) for raw in error.errors()[:MAX_DETAILS]]
    return ErrorResponse({"detail": details}, 422)


async def _on_surprise(request: Request, error: Exception) -> ErrorResponse:
    logger.error("request failed", exc_info=error)
    kind = type(error).__name__
    if request.url.path.endswith(RECALL_SUFFIX):
        detail = f"Failed to search memories ({kind}): {repr(error)[:MAX_ECHO]}"
    else:
        detail = f"Internal error ({kind})"
    return ErrorResponse({"detail": detail}, 500)


def _detail(raw: dict[str, Any]) -> dict[str, Any]:
    """One reason, without links, exceptions, or more than a kilobyte of what was sent (D8)."""
    detail = {
        "type": raw["type"],
        "loc": list(raw["loc"]),
        "msg": raw["msg"],
        "input": _echo(raw.get("input")),
    }
    if raw.get("ctx"):
        detail["ctx"] = {k: {} if isinstance(v, Exception) else _echo(v) for k, v in raw["ctx"].items()}
    return detail


def _echo(value: Any) -> Any:
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        return "(not shown)"
    return json.loads(text) if len(text) <= MAX_ECHO else f"{text[:MAX_ECHO]}..."
