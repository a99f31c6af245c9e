"""Sentence vectors of models that offer no late interaction: checked, and of unit length."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from recalld.encoders.protocols import EncoderFailed, FloatArray, PassageEmbedding, QueryEmbedding

_NO_TOKENS = np.zeros((0, 0), np.float32)
_NO_BYTES = np.zeros((0, 0), np.int8)


class Prefixes(NamedTuple):
    """What some models want to read before a query and before a text to store."""

    query: str = ""
    passage: str = ""

    def identity(self, model: str) -> str:
        """The model's name, and the prefix of what is stored: with another one vectors do not fit."""
        return f"{model} with '{self.passage}'" if self.passage else model


NO_PREFIXES = Prefixes()


def unit_rows(rows: Any, shape: tuple[int, int], name: str) -> FloatArray:
    """The rows at unit length; raises ``EncoderFailed`` unless they are ``shape`` usable numbers."""
    try:
        found = np.asarray(rows, dtype=np.float32).reshape(len(rows), -1)
    except (ValueError, TypeError, OverflowError) as error:
        raise EncoderFailed(f"{name} answered with something other than vectors") from error
    if found.shape != shape and shape[0]:
        got, wanted = "x".join(map(str, found.shape)), "x".join(map(str, shape))
        raise EncoderFailed(f"{name} answered with {got} numbers where {wanted} were asked for")
    lengths = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise EncoderFailed(f"{name} answered with a vector that has no direction")
    unit: FloatArray = (found / lengths).astype(np.float32)
    return unit


def passages(rows: FloatArray) -> list[PassageEmbedding]:
    """A stored text per row."""
    return [PassageEmbedding(row, _NO_BYTES) for row in rows]


def query(rows: FloatArray) -> QueryEmbedding:
    """The query of the only row."""
    return QueryEmbedding(rows[0], _NO_TOKENS, ())
