"""Embedder on onnxruntime and tokenizers, for a directory written by scripts/export_encoder.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from recalld.encoders.onnx_session import length_batches, open_session
from recalld.encoders.protocols import ByteArray, FloatArray, PassageEmbedding, QueryEmbedding
from recalld.encoders.text import encodable

MAX_WINDOWS = 64
BATCH_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class _Window:
    """Consecutive wordpieces of one text, short enough for the model."""

    text: int
    pieces: list[int]


@dataclass(frozen=True, slots=True)
class _Encoded:
    vector: FloatArray
    tokens: FloatArray


class OnnxEmbedder:
    """Sentence and token vectors from one ONNX session; safe to share between threads."""

    def __init__(self, directory: Path, *, threads: int) -> None:
        description = json.loads((directory / "encoder.json").read_text(encoding="utf-8"))
        self._name = str(description["name"])
        self._dimension = int(description["dimension"])
        self._token_dimension = int(description["token_dimension"])
        self._window = int(description["max_tokens"]) - 2
        self._tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self._start = _special(self._tokenizer, "[CLS]")
        self._end = _special(self._tokenizer, "[SEP]")
        self._session = open_session(directory / "model.onnx", threads)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def token_dimension(self) -> int:
        return self._token_dimension

    def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        windows = self._windows(texts)
        by_text: list[list[_Encoded]] = [[] for _ in texts]
        for window, encoded in zip(windows, self._encode(windows), strict=True):
            by_text[window.text].append(encoded)
        return [_join(parts) for parts in by_text]

    def embed_query(self, text: str) -> QueryEmbedding:
        encoding = self._tokenizer.encode(encodable(text), add_special_tokens=False)
        window = _Window(0, encoding.ids[: self._window])
        (encoded,) = self._run([window])
        return QueryEmbedding(encoded.vector, encoded.tokens, tuple(encoding.offsets[: self._window]))

    def _windows(self, texts: Sequence[str]) -> list[_Window]:
        """Every text cut into windows, in order; at least one each, at most MAX_WINDOWS."""
        encodings = self._tokenizer.encode_batch([encodable(t) for t in texts], add_special_tokens=False)
        windows = []
        for text, encoding in enumerate(encodings):
            pieces = encoding.ids[: self._window * MAX_WINDOWS]
            starts = range(0, max(len(pieces), 1), self._window)
            windows += [_Window(text, pieces[start : start + self._window]) for start in starts]
        return windows

    def _encode(self, windows: Sequence[_Window]) -> list[_Encoded]:
        encoded: dict[int, _Encoded] = {}
        for batch in length_batches([len(window.pieces) + 2 for window in windows], BATCH_TOKENS):
            encoded.update(zip(batch, self._run([windows[index] for index in batch]), strict=True))
        return [encoded[index] for index in range(len(windows))]

    def _run(self, windows: Sequence[_Window]) -> list[_Encoded]:
        length = max(len(window.pieces) for window in windows) + 2
        ids = np.zeros((len(windows), length), np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            size = len(window.pieces) + 2
            ids[row, :size] = [self._start, *window.pieces, self._end]
            mask[row, :size] = 1
        vectors, tokens = self._session.run(
            ["sentence_embedding", "token_embeddings"], {"input_ids": ids, "attention_mask": mask}
        )
        return [
            _Encoded(vectors[row], tokens[row, 1 : len(window.pieces) + 1])
            for row, window in enumerate(windows)
        ]


def _special(tokenizer: Tokenizer, token: str) -> int:
    piece = tokenizer.token_to_id(token)
    if piece is None:
        raise ValueError(f"the tokenizer has no {token} token")
    return piece


def _join(parts: Sequence[_Encoded]) -> PassageEmbedding:
    """The windows of one text as one: mean by token count, token rows in a line."""
    tokens: ByteArray = np.rint(127 * np.concatenate([part.tokens for part in parts])).astype(np.int8)
    if len(parts) == 1:
        return PassageEmbedding(parts[0].vector.copy(), tokens)
    total: FloatArray = np.sum([len(part.tokens) * part.vector for part in parts], axis=0, dtype=np.float32)
    return PassageEmbedding(total / np.float32(np.linalg.norm(total)), tokens)
