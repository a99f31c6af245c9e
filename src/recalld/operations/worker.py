"""The worker: takes parts of operations one by one, and lets others have them if it dies."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from recalld.domain.errors import Overloaded, RecalldError
from recalld.domain.operations import Claim, Payload
from recalld.store.engine import Database
from recalld.store.writes.operations import claim_part, complete_part, extend_claim, fail_part

logger = logging.getLogger(__name__)

Job = Callable[[Claim], Awaitable[Payload]]
"""Does a part and returns what is known of it afterwards. It may be called again after a crash."""

Tidying = Callable[[Claim], Awaitable[None]]
"""Puts away what a part no longer needs once it is completed. It may fail, and is left out by a crash."""

MAX_FAILURES = 5
MAX_CLAIMS = 100
"""After so many workers died over it, a part is given up."""
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 300.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: how long a claim holds without a sign of life, and how often an idle worker looks."""

    lease: float = 30.0
    poll: float = 1.0


@dataclass(frozen=True, slots=True)
class Worker:
    """Empties the queue. ``jobs`` are by the type of a part; ``submitted`` ends an idle wait early.

    ``tidying`` is by type too, for the few parts that leave something behind.
    """

    database: Database
    jobs: Mapping[str, Job]
    submitted: asyncio.Event
    pace: Pace = Pace()
    tidying: Mapping[str, Tidying] = field(default_factory=dict)
    name: str = field(default_factory=lambda: str(uuid4()))

    async def run(self) -> None:
        """Work until cancelled. A database that is away is waited for."""
        while True:
            self.submitted.clear()
            try:
                worked = await self.work_once()
            except Overloaded as error:
                logger.warning("worker waits for the database: %s", error.message)
                worked = False
            if not worked:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.pace.poll):
                        await self.submitted.wait()

    async def work_once(self) -> bool:
        """Do the part that has been due longest; false when nothing is due."""
        async with self.database.write() as connection:
            claim = await claim_part(connection, self.name, self.jobs, self.pace.lease)
        if claim is None:
            return False
        if claim.claims > MAX_CLAIMS:
            await self._fail(claim, f"given up: {MAX_CLAIMS} workers died over it", retry_in=None)
            return True
        work = asyncio.ensure_future(self.jobs[claim.type](claim))
        keeping = asyncio.ensure_future(self._keep(claim))
        try:
            await asyncio.wait({work, keeping}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await self._end(claim, work)
        finally:
            keeping.cancel()
            work.cancel()
            await asyncio.gather(work, keeping, return_exceptions=True)
        return True

    async def _keep(self, claim: Claim) -> None:
        """Give signs of life; returns when the part was cancelled or given to someone else."""
        while True:
            await asyncio.sleep(self.pace.lease / 3)
            with suppress(Overloaded):
                async with self.database.write() as connection:
                    if not await extend_claim(connection, claim, self.name, self.pace.lease):
                        logger.info("operation %s was taken from this worker", claim.id)
                        return

    async def _end(self, claim: Claim, work: asyncio.Future[Payload]) -> None:
        try:
            result = work.result()
        except Exception as error:  # noqa: BLE001 - whatever went wrong is noted with the operation
            await self._note_failure(claim, error)
            return
        async with self.database.write() as connection:
            completed = await complete_part(connection, claim, self.name, result)
        if completed and claim.type in self.tidying:
            with suppress(RecalldError):
                await self.tidying[claim.type](claim)

    async def _note_failure(self, claim: Claim, error: Exception) -> None:
        message = error.message if isinstance(error, RecalldError) else repr(error)
        logger.warning("operation %s failed: %s", claim.id, message)
        failed = claim.failures + 1
        final = failed >= MAX_FAILURES or (isinstance(error, RecalldError) and not error.may_pass)
        await self._fail(claim, message, retry_in=None if final else pause_after(failed))

    async def _fail(self, claim: Claim, message: str, retry_in: float | None) -> None:
        async with self.database.write() as connection:
            await fail_part(connection, claim, self.name, message[:2000], retry_in)


def pause_after(failures: int) -> float:
    """Seconds until the next try: 2, 4, 8 and so on up to 300, each up to a fifth longer or shorter."""
    pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (failures - 1))
    return pause * random.uniform(0.8, 1.2)  # noqa: S311 - spreads retries, guards nothing
