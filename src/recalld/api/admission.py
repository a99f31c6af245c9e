"""Admission: how many requests of a kind are worked on at once, and how long the others wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from recalld.domain.errors import AtCapacity


@dataclass(frozen=True, slots=True)
class Lane:
    """Places for ``capacity`` requests of one operation; who comes first goes first.

    ``max_wait`` is in seconds. A request that is cancelled while it waits gives up its turn.
    """

    operation: str
    capacity: int
    max_wait: float
    _places: asyncio.Semaphore = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", asyncio.Semaphore(self.capacity))

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[None]:
        """Hold a place for the length of the block, or raise ``AtCapacity``."""
        start = time.monotonic()
        try:
            async with asyncio.timeout(self.max_wait):
                await self._places.acquire()
        except TimeoutError as error:
            waited = time.monotonic() - start
            message = (
                f"Server is at capacity for '{self.operation}' ({self.capacity} concurrent); "
                "try again shortly."
            )
            raise AtCapacity(message, retry_after=max(1, round(waited))) from error
        try:
            yield
        finally:
            self._places.release()
