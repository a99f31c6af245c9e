"""Retrieve: run the retrievers at once, each under a deadline; a failure is noted, not fatal."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from recalld.domain.errors import DeadlineExceeded, Overloaded, RecalldError
from recalld.recall.types import QueryPlan, Ranking, Retriever, RetrieverName

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Rankings in declared order, and the names of retrievers that did not answer."""

    rankings: tuple[Ranking, ...]
    failed: tuple[RetrieverName, ...]


async def retrieve(retrievers: Sequence[Retriever], plan: QueryPlan, deadline: float) -> Retrieved:
    """Ask every retriever that applies. ``deadline`` is in seconds, for each of them.

    Raises the first failure when not one retriever answered: an empty list would be a lie.
    """
    asked = [retriever for retriever in retrievers if retriever.applies(plan)]
    answers = await asyncio.gather(*(_within(deadline, retriever, plan) for retriever in asked))
    rankings = tuple(answer for answer in answers if isinstance(answer, Ranking))
    failures = [answer for answer in answers if not isinstance(answer, Ranking)]
    if failures and not rankings:
        raise failures[0]
    failed = tuple(
        r.name for r, answer in zip(asked, answers, strict=True) if not isinstance(answer, Ranking)
    )
    return Retrieved(rankings, failed)


async def _within(deadline: float, retriever: Retriever, plan: QueryPlan) -> Ranking | RecalldError:
    try:
        async with asyncio.timeout(deadline):
            return await retriever.retrieve(plan)
    except TimeoutError:
        logger.warning("retriever %s missed its deadline of %.1f s", retriever.name, deadline)
        return DeadlineExceeded(
            "Request timed out while searching memories. Try a shorter or more specific query."
        )
    except (DeadlineExceeded, Overloaded) as error:
        logger.warning("retriever %s failed: %s", retriever.name, error.message)
        return error
