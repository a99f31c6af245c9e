"""Cross-encoder through the ``sentence-transformers`` extra."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

BATCH = 32


class CrossEncoderReranker:
    """A ``CrossEncoder`` whose logits become relevance by a sigmoid, whatever the batch (F12)."""

    def __init__(self, model: str) -> None:
        from sentence_transformers import CrossEncoder  # noqa: PLC0415 - an optional extra

        self.name = model
        self._model: Any = CrossEncoder(model, device="cpu")

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document, aligned with the input; NaN counts as 0."""
        if not documents:
            return []
        import torch  # noqa: PLC0415 - comes with the extra

        logits = self._model.predict(
            [(query, document) for document in documents],
            batch_size=BATCH,
            activation_fn=torch.nn.Identity(),
            show_progress_bar=False,
        )
        return [_sigmoid(float(logit)) for logit in logits]


def _sigmoid(logit: float) -> float:
    if math.isnan(logit):
        return 0.0
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, logit))))
