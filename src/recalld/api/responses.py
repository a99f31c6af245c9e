"""Answers besides 200 as the OpenAPI document shows them, and the headers that come with answers."""

from __future__ import annotations

from typing import Any

Responses = dict[int | str, dict[str, Any]]

_TEXT: dict[str, Any] = {"schema": {"type": "string"}}
_DETAIL: dict[str, Any] = {
    "type": "object",
    "properties": {"detail": {"type": "string"}},
    "required": ["detail"],
}
_INVALID = {"$ref": "#/components/schemas/HTTPValidationError"}


def _failure(description: str, schema: dict[str, Any] = _DETAIL) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ok(**headers: str) -> Responses:
    named = {name.replace("_", "-"): {"description": text, **_TEXT} for name, text in headers.items()}
    return {200: {"headers": named}}


REPORTED = _ok(X_Ignored_Params="Names in the query string or the body that nothing reads.")
RECALLED = _ok(
    X_Ignored_Params="Names in the query string or the body that nothing reads.",
    X_Recall_Degraded="Parts that failed or were late; the answer was made without them.",
    X_Recall_Query_Truncated="`true` when the query was cut at the limit.",
    X_Recall_Fallback="`observation` when facts are served because the bank has no observations.",
    X_Recall_Window="Span of time the query was read to speak of: two ISO date-times with a slash between.",
)

CREATED: Responses = {201: REPORTED[200]}
ACCEPTED: Responses = {202: REPORTED[200]}

BAD_VALUE: Responses = {400: _failure("A value that cannot be used")}
BAD_KEY: Responses = {
    401: _failure("The API key is missing or wrong"),
    403: _failure("The API key does not open that bank"),
}
UNKNOWN: Responses = {404: _failure("No such thing, or no such bank")}
UNKNOWN_BANK: Responses = {404: _failure("No such bank")}
IN_THE_WAY: Responses = {409: _failure("Other writes to the same document got in the way; try again")}
TOO_LARGE: Responses = {413: _failure("The body is over the limit")}
UNACCEPTABLE: Responses = {422: _failure("Validation Error", {"anyOf": [_INVALID, _DETAIL]})}
WRONG_STATE: Responses = {409: _failure("The state of the thing named forbids it")}
BUSY: Responses = {
    503: {
        **_failure("No capacity at the moment"),
        "headers": {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}},
    }
}
LATE: Responses = {504: _failure("The work took too long")}
UNHEALTHY: Responses = {
    503: _failure(
        "The database does not answer",
        {
            "type": "object",
            "properties": {"status": {"type": "string"}, "database": {"type": "string"}},
            "required": ["status", "database"],
        },
    )
}

READ: Responses = BAD_KEY | BUSY | LATE
"""Of every route that asks the database."""
WRITE: Responses = READ | BAD_VALUE | TOO_LARGE | UNACCEPTABLE
"""Of every route with a body."""
