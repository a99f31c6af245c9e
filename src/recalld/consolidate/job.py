"""Consolidation as background work: when a caller asks for it, and after each retain."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict, dataclass, field

from recalld.consolidate.drafts import Consolidated
from recalld.consolidate.service import ConsolidationService
from recalld.domain.banks import Bank
from recalld.domain.errors import RecalldError
from recalld.domain.operations import Claim, Payload
from recalld.encoders.protocols import EncoderFailed
from recalld.store.queries.banks import known_bank

logger = logging.getLogger(__name__)

OPERATION = "consolidation"


@dataclass(frozen=True, slots=True)
class ConsolidationJob:
    """Does what a caller asked for."""

    service: ConsolidationService

    async def __call__(self, claim: Claim) -> Payload:
        """Consolidate the bank; returns how many facts and changes of observations there were."""
        async with self.service.database.read() as connection:
            bank = await known_bank(connection, claim.bank_id)
        if not self.service.defaults.override(bank.overrides).enable_observations:
            return asdict(Consolidated())
        return asdict(await self.service.consolidate(bank))


@dataclass(frozen=True, slots=True)
class AutoConsolidation:
    """Consolidates banks soon after they were written to, one run per bank at a time.

    What a run that is cut short leaves is still pending, and done by the next.
    """

    service: ConsolidationService
    _running: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _again: set[int] = field(default_factory=set)

    def __call__(self, bank: Bank) -> None:
        """See to it that the bank is consolidated, unless it does not want that."""
        config = self.service.defaults.override(bank.overrides)
        if not (config.enable_observations and config.enable_auto_consolidation):
            return
        if bank.key in self._running:
            self._again.add(bank.key)
            return
        self._running[bank.key] = asyncio.create_task(self._run(bank))

    async def _run(self, bank: Bank) -> None:
        try:
            again = True
            while again:
                self._again.discard(bank.key)
                await self.service.consolidate(bank)
                again = bank.key in self._again
        except (RecalldError, EncoderFailed) as error:
            logger.warning("bank %s is left to be consolidated later: %s", bank.bank_id, error)
        except Exception:
            logger.exception("bank %s is left to be consolidated later", bank.bank_id)
        finally:
            del self._running[bank.key]

    async def aclose(self) -> None:
        """Stop what is under way."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
