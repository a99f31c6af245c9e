"""Reranker with Cohere's format, which Jina, Voyage, vLLM and others share: ``POST <base>/rerank``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recalld.encoders.aligned import aligned
from recalld.encoders.http import HttpService
from recalld.encoders.rerankers.scores import from_shares


class CohereReranker:
    """All documents of a query travel in one request: these services compare them with each other.

    Their scores are in [0, 1]. ``how_many`` is the service's word for how many results it is to give.
    """

    def __init__(self, service: HttpService, model: str, *, how_many: str = "top_n") -> None:
        self._service = service
        self._model = model
        self._how_many = how_many

    @property
    def name(self) -> str:
        return self._service.name

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance of each document."""
        if not documents:
            return []
        body = {
            "model": self._model,
            "query": query,
            "documents": [document or " " for document in documents],
            "return_documents": False,
            self._how_many: len(documents),
        }
        reply = await self._service.ask("/rerank", body)
        return from_shares(aligned(_results(reply), len(documents), "relevance_score", self.name), self.name)

    async def aclose(self) -> None:
        await self._service.aclose()


def _results(reply: Any) -> Any:
    """Voyage calls them data."""
    return reply.get("results", reply.get("data")) if isinstance(reply, dict) else None
