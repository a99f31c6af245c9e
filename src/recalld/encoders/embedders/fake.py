"""Embedder without a model, for tests: texts that share words have similar vectors."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from recalld.encoders.protocols import FloatArray, PassageEmbedding, QueryEmbedding

DIMENSION = 384
TOKEN_DIMENSION = 96
_WORD = re.compile(r"\w+")


class FakeEmbedder:
    """Sums of word vectors, each made of the SHA-256 of the lower-case word."""

    @property
    def name(self) -> str:
        return "fake"

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def token_dimension(self) -> int:
        return TOKEN_DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        return [self._passage(text) for text in texts]

    def embed_query(self, text: str) -> QueryEmbedding:
        words, spans = _words(text)
        return QueryEmbedding(_sentence(words), _tokens(words), spans)

    def _passage(self, text: str) -> PassageEmbedding:
        words, _ = _words(text)
        return PassageEmbedding(_sentence(words), np.rint(127 * _tokens(words)).astype(np.int8))


def _words(text: str) -> tuple[list[str], tuple[tuple[int, int], ...]]:
    found = list(_WORD.finditer(text))
    return [match[0].lower() for match in found], tuple(match.span() for match in found)


def _sentence(words: Sequence[str]) -> FloatArray:
    total: FloatArray = np.sum([_vector(word, DIMENSION) for word in words or [""]], axis=0)
    return total / np.float32(np.linalg.norm(total))


def _tokens(words: Sequence[str]) -> FloatArray:
    rows = [_vector(word, TOKEN_DIMENSION) for word in words]
    return np.array(rows, np.float32).reshape(len(rows), TOKEN_DIMENSION)


@lru_cache(maxsize=20_000)
def _vector(word: str, dimension: int) -> FloatArray:
    data = word.encode("utf-8", "surrogatepass")
    blocks = (hashlib.sha256(b"%d:%s" % (block, data)).digest() for block in range(dimension // 32))
    values = np.frombuffer(b"".join(blocks), np.uint8).astype(np.float32) - np.float32(127.5)
    unit: FloatArray = values / np.float32(np.linalg.norm(values))
    return unit
