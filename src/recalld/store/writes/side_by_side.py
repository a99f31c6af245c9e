"""Writes several things at once, each in its own transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

WRITERS = 2

One = TypeVar("One")
Result = TypeVar("Result")


async def side_by_side(write: Callable[[One], Awaitable[Result]], things: Iterable[One]) -> list[Result]:
    """What each write comes to, ``WRITERS`` at once; a failure is raised once none is under way any more."""
    gate = asyncio.Semaphore(WRITERS)

    async def in_turn(one: One) -> Result:
        async with gate:
            return await write(one)

    results = await asyncio.gather(*(in_turn(one) for one in things), return_exceptions=True)
    done: list[Result] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        done.append(result)
    return done
