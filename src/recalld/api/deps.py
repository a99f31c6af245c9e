"""What routes are given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import Depends, Header, Request

from recalld.api.admission import Lane
from recalld.bootstrap import Application


async def application(request: Request) -> Application:
    """The running application. Async, so that no thread is asked for it."""
    return cast("Application", request.app.state.application)


async def recall_place(request: Request) -> AsyncIterator[None]:
    """A place among the recalls at work, held until the answer is made."""
    lane = cast("Lane | None", request.app.state.recall_lane)
    if lane is None:
        yield
        return
    async with lane.admit():
        yield


App = Annotated[Application, Depends(application)]


async def bank_prefix(request: Request) -> str:
    """What the ids of the caller's banks begin with; empty where all are open."""
    return cast("str", getattr(request.state, "bank_prefix", ""))


BankPrefix = Annotated[str, Depends(bank_prefix)]
Authorization = Annotated[str | None, Header()]
