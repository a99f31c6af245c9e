"""Failover: rerankers are asked one after the other until one answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import NamedTuple

from recalld.encoders.aligned import one_each
from recalld.encoders.protocols import EncoderFailed
from recalld.recall.types import AsyncReranker

logger = logging.getLogger(__name__)


class Served(NamedTuple):
    """Scores, and the name of the reranker that gave them."""

    by: str
    scores: Sequence[float]


async def first_to_answer(
    models: Sequence[AsyncReranker], query: str, documents: Sequence[str], seconds: float
) -> Served:
    """The scores of the first model that gives one for each document.

    A model may take an even share of the time that is left for it and those behind it. Raises what
    the last of them raised.
    """
    end = time.monotonic() + seconds
    failure: Exception = EncoderFailed("there is no reranker")
    for place, model in enumerate(models):
        share = (end - time.monotonic()) / (len(models) - place)
        try:
            async with asyncio.timeout(share):
                scores = await model.score(query, documents)
            return Served(model.name, one_each(scores, len(documents), model.name))
        except Exception as error:  # noqa: BLE001 - whatever it is, the next one is asked
            failure = error
        logger.warning("reranker %s failed: %r", model.name, failure)
    raise failure
