"""Runs a command's work inside a started application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

from recalld.bootstrap import Application, application
from recalld.cli.terminal import err, plain_errors
from recalld.settings import Settings

T = TypeVar("T")


def in_application(work: Callable[[Application], Awaitable[T]]) -> T:
    """Start everything, do the work, stop what was started; beside a running server if there is one."""
    with plain_errors():
        return asyncio.run(_run(Settings(), work))


async def _run(settings: Settings, work: Callable[[Application], Awaitable[T]]) -> T:
    async with AsyncExitStack() as stack:
        with err().status("Starting PostgreSQL and the model ..."):
            app = await stack.enter_async_context(application(settings))
        return await work(app)
