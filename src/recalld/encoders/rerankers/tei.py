"""Reranker on a text-embeddings-inference server: ``POST <url>/rerank``."""

from __future__ import annotations

from collections.abc import Sequence

from recalld.encoders.aligned import aligned
from recalld.encoders.http import TEXTS_PER_REQUEST, HttpService, all_of, length_slices
from recalld.encoders.rerankers.scores import from_shares


class TeiReranker:
    """The server puts scores through a sigmoid itself, and cuts texts with its model's tokenizer."""

    def __init__(self, service: HttpService) -> None:
        self._service = service

    @property
    def name(self) -> str:
        return self._service.name

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance of each document, asked for in parallel; the first request to fail ends the others."""
        slices = length_slices(documents, TEXTS_PER_REQUEST)
        answers = await all_of(self._ask(query, [documents[i] for i in places]) for places in slices)
        found: dict[int, float] = {}
        for places, scores in zip(slices, answers, strict=True):
            found.update(zip(places, scores, strict=True))
        return [found[place] for place in range(len(documents))]

    async def aclose(self) -> None:
        await self._service.aclose()

    async def _ask(self, query: str, texts: list[str]) -> list[float]:
        body = {"query": query, "texts": texts, "return_text": False, "raw_scores": False, "truncate": True}
        reply = await self._service.ask("/rerank", body)
        return from_shares(aligned(reply, len(texts), "score", self.name), self.name)
