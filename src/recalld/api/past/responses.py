"""Answers besides 200 as the OpenAPI document shows them."""

from __future__ import annotations

from typing import Any

from recalld.api.past.schemas import Error

Responses = dict[int | str, dict[str, Any]]

REQUEST_ID: dict[str, Any] = {
    "X-Request-Id": {
        "description": "Id of this call, made by the server; begins with req_.",
        "schema": {"type": "string"},
    }
}


def _failure(description: str) -> dict[str, Any]:
    return {"model": Error, "description": description, "headers": REQUEST_ID}


KEYED: Responses = {
    200: {"headers": REQUEST_ID},
    400: _failure("The request is malformed, or a field is not as it has to be; see the code."),
    401: _failure("missing-api-key, malformed-api-key or unauthorized."),
    429: {
        **_failure("More requests at once than are worked on; without a body."),
        "headers": {
            **REQUEST_ID,
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
        },
    },
    "default": _failure("Any other failure, in the same envelope."),
}
"""Of every route."""
UNKNOWN: Responses = {404: _failure("There is no such thing in this project.")}
WRITTEN: Responses = {
    409: _failure("idempotency-conflict: the key was used for something else."),
    413: _failure("The body is over the limit."),
}
