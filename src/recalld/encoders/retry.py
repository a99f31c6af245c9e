"""When a failed request is sent again, and how long to wait before."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    before_sleep_log,
    retry_if_exception_type,
    stop_after_attempt,
    stop_before_delay,
)

from recalld.encoders.protocols import EncoderFailed

logger = logging.getLogger(__name__)

_PASSING_STATUSES = frozenset({408, 409, 425, 429})


class PassingFailure(EncoderFailed):
    """A failure that may be gone in a moment. ``retry_after`` is the pause the service asks for."""

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Tries passing failures again, after pauses that double. Times are in seconds."""

    retries: int = 4
    first_pause: float = 0.5
    longest_pause: float = 4.0
    jitter: float = 0.2
    budget: float = 15.0
    """What failed attempts and pauses may cost together; a pause that would exceed it is not begun."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def retrying(self) -> AsyncRetrying:
        """Calls a coroutine function until it succeeds; good for one call."""
        return AsyncRetrying(
            retry=retry_if_exception_type(PassingFailure),
            wait=self._pause,
            stop=stop_after_attempt(1 + self.retries) | stop_before_delay(self.budget),
            sleep=self.sleep,
            before_sleep=before_sleep_log(logger, logging.WARNING),
            reraise=True,
        )

    def _pause(self, state: RetryCallState) -> float:
        doubled = min(self.first_pause * 2.0 ** (state.attempt_number - 1), self.longest_pause)
        shaken = doubled * random.uniform(1 - self.jitter, 1 + self.jitter)  # noqa: S311 - no secret
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.retry_after if isinstance(failure, PassingFailure) else 0.0
        return max(shaken, min(asked, self.longest_pause))


def may_pass(status: int) -> bool:
    """Whether the same request may fare better later."""
    return status in _PASSING_STATUSES or status >= 500  # noqa: PLR2004


def retry_after(header: str | None) -> float:
    """Seconds that a ``Retry-After`` header asks for: a number or a date; 0 for anything else."""
    if not header:
        return 0.0
    if header.replace(".", "", 1).isdecimal():
        return float(header)
    try:
        return parsedate_to_datetime(header).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
