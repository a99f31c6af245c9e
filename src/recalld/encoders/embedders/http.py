"""What embedders behind HTTP have in common: requests of a fair size, answers that are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from recalld.encoders.embedders.dense import NO_PREFIXES, Prefixes, passages, query, unit_rows
from recalld.encoders.http import TEXTS_PER_REQUEST, HttpService, all_of, length_slices
from recalld.encoders.protocols import (
    FloatArray,
    PassageEmbedding,
    QueryEmbedding,
    TokenCounter,
)


class EmbeddingWire(Protocol):
    """One server's format."""

    @property
    def path(self) -> str:
        """Where requests go, below the base URL."""

    def body(self, texts: Sequence[str]) -> dict[str, Any]:
        """A request."""

    def rows(self, reply: Any, count: int) -> list[Any]:
        """The vectors of an answer, aligned with the texts; raises ``EncoderFailed`` without ``count``."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a text is sent: with a prefix, and of that at most ``max_tokens``."""

    counter: TokenCounter
    max_tokens: int
    prefixes: Prefixes = NO_PREFIXES

    def prepared(self, prefix: str, text: str) -> str:
        """The text as it is sent. Some servers refuse an empty one."""
        return self.counter.truncate(prefix + text, self.max_tokens) or " "


class HttpEmbedder:
    """Embeds in parallel requests. ``connect`` before use, unless the dimension is known."""

    def __init__(
        self, service: HttpService, wire: EmbeddingWire, reading: Reading, dimension: int = 0
    ) -> None:
        self._service = service
        self._wire = wire
        self._reading = reading
        self._dimension = dimension

    @property
    def name(self) -> str:
        return self._reading.prefixes.identity(self._service.name)

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def token_dimension(self) -> int:
        return 0

    async def connect(self) -> None:
        """Learn the dimension by embedding one text, unless it was given."""
        if not self._dimension:
            (row,) = await self._rows(["dimension"])
            self._dimension = np.size(row)

    async def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        return passages(await self._embed(self._reading.prefixes.passage, texts))

    async def embed_query(self, text: str) -> QueryEmbedding:
        return query(await self._embed(self._reading.prefixes.query, [text]))

    async def aclose(self) -> None:
        await self._service.aclose()

    async def _embed(self, prefix: str, texts: Sequence[str]) -> FloatArray:
        """Similar lengths travel together; the first request to fail ends the others."""
        prepared = [self._reading.prepared(prefix, text) for text in texts]
        slices = length_slices(prepared, TEXTS_PER_REQUEST)
        answers = await all_of(self._rows([prepared[i] for i in places]) for places in slices)
        found = np.zeros((len(texts), self._dimension), np.float32)
        for places, rows in zip(slices, answers, strict=True):
            found[places] = unit_rows(rows, (len(places), self._dimension), self.name)
        return found

    async def _rows(self, texts: Sequence[str]) -> list[Any]:
        reply = await self._service.ask(self._wire.path, self._wire.body(texts))
        return self._wire.rows(reply, len(texts))
