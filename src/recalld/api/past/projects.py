"""Who calls: keys open projects, and a project keeps its memory in a bank, or in one for each identity."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from recalld.api.past.errors import INVALID, ApiError
from recalld.domain.banks import check_bank_id
from recalld.domain.errors import InvalidRequest

PREFIX = "past_sk_"
BETWEEN = ":"
"""Stands between a project and an identity in the id of a bank."""
_AGENT_TOKEN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*")


@dataclass(frozen=True, slots=True)
class Project:
    """The memory a key opens. With ``bank_each`` every identity has a bank of its own."""

    bank_id: str
    bank_each: bool = False

    def __post_init__(self) -> None:
        check_bank_id(self.bank_id)
        if self.bank_each and BETWEEN in self.bank_id:
            raise InvalidRequest(
                f"The bank of a key must not hold a '{BETWEEN}' where identities have banks."
            )

    def bank_of(self, identity: str | None, audience: str | None = None) -> str:
        """The bank for an identity's memory, or why there is none."""
        if not self.bank_each:
            return self.bank_id
        if identity is None or audience is not None:
            message = "Each identity has a bank of its own here: send an identity, and no audience."
            raise ApiError(400, INVALID, message)
        try:
            return check_bank_id(f"{self.identity_prefix}{identity}")
        except InvalidRequest as error:
            raise ApiError(400, INVALID, "This identity is too long for a bank of its own.") from error

    @property
    def identity_prefix(self) -> str:
        """What the ids of its identities' banks begin with."""
        return f"{self.bank_id}{BETWEEN}"

    def owns(self, bank_id: str) -> bool:
        """Whether a bank is one of the project's."""
        return bank_id.startswith(self.identity_prefix) if self.bank_each else bank_id == self.bank_id


@dataclass(frozen=True, slots=True)
class Keyring:
    """Keys and their projects. ``anybody`` is the project of every key where none is set up."""

    projects: Sequence[tuple[str, Project]] = field(default=(), repr=False)
    anybody: Project | None = None

    def project(self, authorization: str | None) -> Project:
        """The project of the key in a header, or a 401."""
        if not authorization:
            raise ApiError(401, "missing-api-key", "Send the key as 'Authorization: Bearer past_sk_...'.")
        scheme, _, key = authorization.partition(" ")
        key = key.strip()
        if scheme.lower() != "bearer" or not key or " " in key:
            raise ApiError(401, "malformed-api-key", "The Authorization header must be 'Bearer past_sk_...'.")
        # Every key is compared, so that the time does not tell how much agreed.
        held = [one for known, one in self.projects if hmac.compare_digest(known.encode(), key.encode())]
        if held:
            return held[0]
        if _AGENT_TOKEN.fullmatch(key):
            raise ApiError(401, "unauthorized", "Agent tokens are not served here; use a project key.")
        if self.anybody is not None:
            return self.anybody
        if not key.startswith(PREFIX) and all(known.startswith(PREFIX) for known, _ in self.projects):
            raise ApiError(401, "malformed-api-key", f"A project key begins with '{PREFIX}'.")
        raise ApiError(401, "unauthorized", "This key is not known.")


class KeyedRoute(APIRoute):
    """Looks at the key before it looks at the body."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        """The handler behind the key."""
        handle = super().get_route_handler()

        async def with_key(request: Request) -> Response:
            keys = cast("Keyring", request.app.state.keyring)
            if "x-past-project" in request.headers:
                raise ApiError(
                    401, "unauthorized", "X-Past-Project goes with agent tokens; use a project key."
                )
            request.state.project = keys.project(request.headers.get("authorization"))
            return await handle(request)

        return with_key


async def _project(request: Request) -> Any:
    return request.state.project


CallersProject = Annotated[Project, Depends(_project)]
