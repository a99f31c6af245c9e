"""Embeddings from a text-embeddings-inference server: ``POST <url>/embed``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recalld.encoders.protocols import EncoderFailed


class TeiEmbeddings:
    """The format. The server cuts texts with its model's own tokenizer."""

    path = "/embed"

    def body(self, texts: Sequence[str]) -> dict[str, Any]:
        return {"inputs": list(texts), "truncate": True, "normalize": True}

    def rows(self, reply: Any, count: int) -> list[Any]:
        if not isinstance(reply, list) or len(reply) != count:
            raise EncoderFailed(f"the embedding server did not answer with a list of {count} vectors")
        return reply
