"""Runs models in one bounded thread each, so that the event loop never waits for one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from recalld.encoders.aligned import one_each
from recalld.encoders.protocols import Embedder, PassageEmbedding, QueryEmbedding, Reranker

_SLICE_CHARACTERS = 6000
"""About how much text one slice of a large batch holds: queries get their turn between slices."""


class AsyncEmbedder:
    """An ``Embedder`` for the event loop: one inference at a time."""

    def __init__(self, model: Embedder) -> None:
        self.model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    @property
    def name(self) -> str:
        """Identity of the model."""
        return self.model.name

    @property
    def dimension(self) -> int:
        """Length of a sentence vector."""
        return self.model.dimension

    @property
    def token_dimension(self) -> int:
        """Length of a token vector."""
        return self.model.token_dimension

    async def embed_query(self, text: str) -> QueryEmbedding:
        """Embed one query."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.model.embed_query, text)

    async def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        """Embed texts, similar lengths together, results aligned with the input."""
        loop = asyncio.get_running_loop()
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        found: dict[int, PassageEmbedding] = {}
        for piece in _slices(order, texts):
            batch = [texts[i] for i in piece]
            embedded = await loop.run_in_executor(self._thread, self.model.embed_passages, batch)
            found.update(zip(piece, embedded, strict=True))
        return [found[i] for i in range(len(texts))]

    async def aclose(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class AsyncReranker:
    """A ``Reranker`` for the event loop: one inference at a time."""

    def __init__(self, model: Reranker) -> None:
        self.model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranker")

    @property
    def name(self) -> str:
        """Identity of the model."""
        return self.model.name

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document, similar lengths together, aligned with the input.

        A caller that is cancelled costs the model no more than the slice at hand.
        """
        loop = asyncio.get_running_loop()
        order = sorted(range(len(documents)), key=lambda i: -len(documents[i]))
        found: dict[int, float] = {}
        for piece in _slices(order, documents):
            batch = [documents[i] for i in piece]
            scores = await loop.run_in_executor(self._thread, self.model.score, query, batch)
            found.update(zip(piece, one_each(scores, len(batch), self.name), strict=True))
        return [found[i] for i in range(len(documents))]

    async def aclose(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _slices(order: Sequence[int], texts: Sequence[str]) -> list[list[int]]:
    slices: list[list[int]] = []
    filled = 0
    for i in order:
        if not slices or filled + len(texts[i]) > _SLICE_CHARACTERS:
            slices.append([])
            filled = 0
        slices[-1].append(i)
        filled += len(texts[i])
    return slices
