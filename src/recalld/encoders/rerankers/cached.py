"""Remembers what a reranker said about a query and a text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from cachetools import LRUCache

from recalld.encoders.aligned import one_each
from recalld.encoders.protocols import ServingReranker

Key = tuple[str, bytes, bytes]


class CachedReranker:
    """A reranker that is asked only about what it has not scored lately; ``size`` scores are kept."""

    def __init__(self, model: ServingReranker, size: int) -> None:
        self._model = model
        self._known: LRUCache[Key, float] = LRUCache(size)

    @property
    def name(self) -> str:
        return self._model.name

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance of each document, aligned with the input."""
        asked = _hash(query)
        keys = [(self.name, asked, _hash(document)) for document in documents]
        scores = [self._known.get(key) for key in keys]
        missing = [place for place, score in enumerate(scores) if score is None]
        if missing:
            fresh = await self._model.score(query, [documents[place] for place in missing])
            for place, score in zip(missing, one_each(fresh, len(missing), self.name), strict=True):
                scores[place] = self._known[keys[place]] = score
        return [score for score in scores if score is not None]

    async def aclose(self) -> None:
        await self._model.aclose()


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
