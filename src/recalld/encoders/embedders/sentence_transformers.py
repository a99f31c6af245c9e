"""Embedder through the ``sentence-transformers`` extra: any of its models, from a hub or a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recalld.encoders.embedders.dense import NO_PREFIXES, Prefixes, passages, query, unit_rows
from recalld.encoders.protocols import FloatArray, PassageEmbedding, QueryEmbedding
from recalld.encoders.text import encodable

BATCH = 32


class SentenceTransformerEmbedder:
    """A ``SentenceTransformer``. Without prefixes of ours, those the model itself declares are used."""

    def __init__(
        self, model: str, *, threads: int, max_tokens: int, prefixes: Prefixes = NO_PREFIXES
    ) -> None:
        import torch  # noqa: PLC0415 - comes with the extra
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - an optional extra

        torch.set_num_threads(threads)
        self._model: Any = SentenceTransformer(model, device="cpu")
        self._model.max_seq_length = min(max_tokens, self._model.max_seq_length or max_tokens)
        self._name = prefixes.identity(Path(model).name if Path(model).is_dir() else model)
        self._prefixes = prefixes
        self._dimension = len(self._model.encode(["x"], show_progress_bar=False)[0])

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def token_dimension(self) -> int:
        return 0

    def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        if not texts:
            return []
        return passages(self._embed(self._model.encode_document, texts, self._prefixes.passage))

    def embed_query(self, text: str) -> QueryEmbedding:
        return query(self._embed(self._model.encode_query, [text], self._prefixes.query))

    def _embed(self, encode: Any, texts: Sequence[str], prefix: str) -> FloatArray:
        rows = encode(
            [encodable(text) for text in texts],
            prompt=prefix or None,
            batch_size=BATCH,
            show_progress_bar=False,
        )
        return unit_rows(rows, (len(texts), self._dimension), self._name)
