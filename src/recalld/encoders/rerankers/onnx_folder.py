"""Cross-encoder on a folder with any ONNX model of that kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recalld.encoders.onnx_folder import OnnxFolder
from recalld.encoders.protocols import EncoderFailed
from recalld.encoders.rerankers.scores import from_logits
from recalld.encoders.text import opening

MAX_TOKENS = 512


class OnnxCrossEncoder:
    """The first output holds the logits: one a pair, or those of no and yes."""

    def __init__(self, directory: Path, *, threads: int) -> None:
        self._folder = OnnxFolder(directory, threads=threads, max_tokens=MAX_TOKENS)
        self._output = self._folder.session.get_outputs()[0].name
        self.name = self._folder.name
        try:
            self.score("x", ["y"])
        except EncoderFailed as error:
            raise ValueError(str(error)) from error

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document, aligned with the input; NaN counts as 0."""
        asked = opening(query, MAX_TOKENS)
        pairs = [(asked, opening(document, MAX_TOKENS)) for document in documents]
        scores = np.zeros(len(pairs))
        for places, logits, _ in self._folder.run(pairs, self._output):
            scores[places] = from_logits(logits, self.name)
        return [float(score) for score in scores]
