"""Who may call: API keys, each for all banks or for those whose id begins with its prefix."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recalld.api.errors import ErrorResponse
from recalld.domain.documents import escaped

OPEN = "/v1/version"
_CLOSED = "/v1/"
_BANK = "/v1/default/banks/"
_CHUNK = "/v1/default/chunks/"
_FILE = "/v1/default/files/download/"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key and the beginning of the bank ids it opens; an empty prefix opens all."""

    secret: str = field(repr=False)
    bank_prefix: str = ""


def read_keys(text: str) -> tuple[ApiKey, ...]:
    """``key`` or ``key@prefix`` between commas."""
    entries = (entry.strip().partition("@") for entry in text.split(","))
    return tuple(ApiKey(secret, prefix) for secret, _, prefix in entries if secret)


class Authenticated:
    """Closes every ``/v1`` route to callers without a key, before a byte of the body is read.

    Without any key set up everything is open.
    """

    def __init__(self, app: ASGIApp, keys: Sequence[ApiKey]) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._keys or not is_closed(scope["path"]):
            await self._app(scope, receive, send)
            return
        key = self._key(Headers(scope=scope).get("authorization", ""))
        if key is None:
            refusal = {"detail": "Authentication failed: Invalid API key"}
            answer = ErrorResponse(refusal, 401, {"WWW-Authenticate": "Bearer"})
            await answer(scope, receive, send)
        elif not may_open(key, scope["path"]):
            await ErrorResponse({"detail": "This API key does not open that bank"}, 403)(scope, receive, send)
        else:
            scope.setdefault("state", {})["bank_prefix"] = key.bank_prefix
            await self._app(scope, receive, send)

    def _key(self, header: str) -> ApiKey | None:
        """The key a header carries, compared with each in a time that does not tell how much agreed."""
        scheme, _, rest = header.partition(" ")
        given = (rest.strip() if scheme.lower() == "bearer" else header.strip()).encode()
        matching = [key for key in self._keys if hmac.compare_digest(key.secret.encode(), given)]
        return matching[0] if matching else None


def is_closed(path: str) -> bool:
    """Whether a path needs a key."""
    return path.startswith(_CLOSED) and path != OPEN


def may_open(key: ApiKey, path: str) -> bool:
    """Whether the bank a path names, or the bank of its chunk or file, is one of the key's."""
    if not key.bank_prefix:
        return True
    if path.startswith(_BANK):
        return path.removeprefix(_BANK).partition("/")[0].startswith(key.bank_prefix)
    for place in (_CHUNK, _FILE):
        if path.startswith(place):
            return path.removeprefix(place).startswith(escaped(key.bank_prefix))
    return path == _BANK.rstrip("/")
