"""Does again what other writers got in the way of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from recalld.domain.errors import Contended

ATTEMPTS = 5

Result = TypeVar("Result")


async def undisturbed(write: Callable[[], Awaitable[Result]]) -> Result:
    """The result of a write, tried a few times; at last ``Contended`` is passed on."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await write()
        except Contended:
            continue
    return await write()
