"""What routes are given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import Depends, Header, Request

from recalld.api.admission import Lane
from recalld.bootstrap import Application
from recalld.domain.errors import BankNotFound, Forbidden


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


async def own_bank(request: Request) -> None:
    """Refuse a bank of someone else: behind an alias that begins like the caller's own, or as a target."""
    prefix = await bank_prefix(request)
    if not all(name.startswith(prefix) for name in request.query_params.getlist("target_bank_id")):
        raise Forbidden("This API key does not open the bank in target_bank_id")
    name = request.path_params.get("bank_id")
    if not prefix or name is None:
        return
    try:
        bank = await (await application(request)).banks.get(name)
    except BankNotFound:
        return
    if not bank.bank_id.startswith(prefix):
        raise Forbidden("This API key does not open that bank")


BankPrefix = Annotated[str, Depends(bank_prefix)]
Authorization = Annotated[str | None, Header()]
