"""Embeddings the way OpenAI serves them, and many others with it: ``POST <base>/embeddings``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recalld.encoders.aligned import aligned


class OpenAIEmbeddings:
    """The format, for one model."""

    path = "/embeddings"

    def __init__(self, model: str) -> None:
        self.model = model

    def body(self, texts: Sequence[str]) -> dict[str, Any]:
        return {"model": self.model, "input": list(texts), "encoding_format": "float"}

    def rows(self, reply: Any, count: int) -> list[Any]:
        data = reply.get("data") if isinstance(reply, dict) else None
        return aligned(data, count, "embedding", self.model)
