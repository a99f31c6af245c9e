"""Cross-encoder through the ``sentence-transformers`` extra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recalld.encoders.rerankers.scores import from_logits
from recalld.encoders.text import opening

BATCH = 32
MAX_TOKENS = 512


class CrossEncoderReranker:
    """A ``CrossEncoder`` whose logits become relevance by a sigmoid, whatever the batch (F12)."""

    def __init__(self, model: str, *, threads: int) -> None:
        import torch  # noqa: PLC0415 - comes with the extra
        from sentence_transformers import CrossEncoder  # noqa: PLC0415 - an optional extra

        torch.set_num_threads(threads)
        self.name = model
        self._logits = torch.nn.Identity()
        self._model: Any = CrossEncoder(model, device="cpu")
        limit = "max_seq_length" if hasattr(CrossEncoder, "max_seq_length") else "max_length"
        positions = getattr(self._model.config, "max_position_embeddings", MAX_TOKENS)
        own = getattr(self._model, limit) or MAX_TOKENS
        setattr(self._model, limit, min(MAX_TOKENS, positions, own))

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document, aligned with the input; NaN counts as 0."""
        if not documents:
            return []
        logits = self._model.predict(
            [(opening(query, MAX_TOKENS), opening(document, MAX_TOKENS)) for document in documents],
            batch_size=BATCH,
            activation_fn=self._logits,
            show_progress_bar=False,
        )
        return from_logits(logits, self.name)
