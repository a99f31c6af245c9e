"""Chooses the concrete encoders by name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from recalld.encoders.decision.client import DecisionEndpoint, HttpDecisionModel
from recalld.encoders.embedders.onnx import OnnxEmbedder
from recalld.encoders.protocols import Embedder, Reranker, TokenCounter
from recalld.encoders.token_counter import O200kTokenCounter


def bundled_embedder(threads: int) -> Embedder:
    """The model that ships with the package."""
    return OnnxEmbedder(Path(str(files("recalld.encoders.bundled"))), threads=threads)


def token_counter() -> TokenCounter:
    """The counter behind every token budget."""
    return O200kTokenCounter()


def cross_encoder(model: str) -> Reranker:
    """A sentence-transformers cross-encoder; needs the extra."""
    from recalld.encoders.rerankers.sentence_transformers import CrossEncoderReranker  # noqa: PLC0415

    return CrossEncoderReranker(model)


def decision_model(endpoint: DecisionEndpoint, counter: TokenCounter) -> HttpDecisionModel:
    """A client of a decision model; close it when done."""
    return HttpDecisionModel(endpoint, counter)
