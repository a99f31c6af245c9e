"""Models behind the event loop: aligned results, and no more work than wanted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from recalld.encoders.executor import AsyncReranker


class Gated:
    """A reranker that scores by length and waits at a gate before each batch."""

    name = "gated"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.batches: list[int] = []

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        self.entered.set()
        assert self.gate.wait(30)
        self.batches.append(len(documents))
        return [len(text) / 100_000 for text in documents]


DOCUMENTS = ["x" * length for length in (10, 5000, 300, 4000, 1, 3000)]


async def test_scores_are_aligned_whatever_order_the_model_saw() -> None:
    model = Gated()
    model.gate.set()
    async with aclosing(AsyncReranker(model)) as reranker:
        scores = await reranker.score("q", DOCUMENTS)
    assert scores == [len(text) / 100_000 for text in DOCUMENTS]
    assert sum(model.batches) == len(DOCUMENTS)


async def test_issue_5722_a_cancelled_rerank_stops_at_the_next_batch_and_frees_the_worker() -> None:
    model = Gated()
    async with aclosing(AsyncReranker(model)) as reranker:
        task = asyncio.ensure_future(reranker.score("q", DOCUMENTS))
        await asyncio.to_thread(model.entered.wait, 30)
        task.cancel()
        model.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await reranker.score("q", ["x"]) == [1 / 100_000]
    assert model.batches == [1, 1]
