"""Embedder on a folder with any ONNX sentence model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recalld.encoders.embedders.dense import NO_PREFIXES, Prefixes, passages, query, unit_rows
from recalld.encoders.onnx_folder import Array, OnnxFolder, read_json
from recalld.encoders.protocols import FloatArray, PassageEmbedding, QueryEmbedding
from recalld.encoders.text import encodable

POOLED = "sentence_embedding"
"""The output that exporters of sentence models give to the pooled vector."""


class OnnxFolderEmbedder:
    """The model's own pooled output if it has one, else the mean of its token vectors.

    A folder that says so in ``1_Pooling/config.json`` gets the vector of the first token instead.
    """

    def __init__(
        self, directory: Path, *, threads: int, max_tokens: int, prefixes: Prefixes = NO_PREFIXES
    ) -> None:
        self._folder = OnnxFolder(directory, threads=threads, max_tokens=max_tokens)
        self._prefixes = prefixes
        outputs = {one.name: len(one.shape or ()) for one in self._folder.session.get_outputs()}
        by_token = [name for name, rank in outputs.items() if rank == 3]  # noqa: PLR2004
        self._output = POOLED if POOLED in outputs else next(iter([*by_token, *outputs]))
        pooling = read_json(directory / "1_Pooling" / "config.json")
        kind = pooling.get("pooling_mode")
        self._first_token = kind == "cls" or pooling.get("pooling_mode_cls_token") is True
        self._dimension = int(self._rows(["x"]).shape[1])

    @property
    def name(self) -> str:
        return self._prefixes.identity(self._folder.name)

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def token_dimension(self) -> int:
        return 0

    def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        return passages(self._embed([self._prefixes.passage + text for text in texts]))

    def embed_query(self, text: str) -> QueryEmbedding:
        return query(self._embed([self._prefixes.query + text]))

    def _embed(self, texts: Sequence[str]) -> FloatArray:
        return unit_rows(self._rows(texts), (len(texts), self._dimension), self.name)

    def _rows(self, texts: Sequence[str]) -> Array:
        found: dict[int, Array] = {}
        for places, rows, mask in self._folder.run([encodable(text) for text in texts], self._output):
            found.update(zip(places, self._pooled(rows, mask), strict=True))
        return np.array([found[place] for place in range(len(texts))])

    def _pooled(self, rows: Array, mask: Array) -> Array:
        if rows.ndim == 2:  # noqa: PLR2004 - pooled already
            return rows
        if self._first_token:
            return np.asarray(rows[:, 0])
        counted = mask[:, :, None].astype(rows.dtype)
        return np.asarray((rows * counted).sum(axis=1) / counted.sum(axis=1))
