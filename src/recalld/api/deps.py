"""What routes are given."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Header, Request

from recalld.bootstrap import Application


async def application(request: Request) -> Application:
    """The running application. Async, so that no thread is asked for it."""
    return cast("Application", request.app.state.application)


App = Annotated[Application, Depends(application)]
Authorization = Annotated[str | None, Header()]
