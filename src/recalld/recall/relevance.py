"""One calibrated relevance in [0, 1] from a few signals, without a second model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from recalld.domain.text import QueryTerm
from recalld.encoders.protocols import FloatArray

_K1_PLUS_1 = 2.2


@dataclass(frozen=True, slots=True)
class Blend:
    """Weights of a logistic blend; ``docs/quality.md`` says how they were fitted."""

    late_interaction: float
    similarity: float
    keyword: float
    window: float
    length: float
    bias: float


DEFAULT_BLEND = Blend(late_interaction=9.0, similarity=2.0, keyword=3.0, window=0.6, length=-0.6, bias=-9.0)
LONG_DOCUMENT = 16
"""Chunks from which a document counts as no longer than that."""


def keyword_ceiling(terms: Sequence[QueryTerm]) -> float:
    """The score BM25 approaches for a text that repeats every term of the query without end."""
    return _K1_PLUS_1 * sum(term.idf for term in terms)


def window_rarity(inside: Sequence[bool]) -> float:
    """How much it tells that a fact is dated inside the asked window: ``ln((n + 2) / (inside + 1))``.

    ``inside`` has an entry for each of ``n`` facts that were found without regard to their dates. As
    with the IDF of a word, a day that few of them share tells much, and a year that holds them all
    nothing.
    """
    return math.log((len(inside) + 2) / (sum(inside) + 1))


def length_of(document_chunks: Sequence[int]) -> FloatArray:
    """``ln(chunks)`` of each candidate's document, up to ``LONG_DOCUMENT``.

    A document of many chunks has as many chances to hold one that looks right; the chances of its
    chunks among each other stay as they are.
    """
    held = np.minimum(np.array(document_chunks, dtype=np.float32), LONG_DOCUMENT)
    return np.asarray(np.log(np.maximum(held, 1.0)), dtype=np.float32)


class Signals(NamedTuple):
    """What the blend is made of, one entry per candidate each.

    ``late`` and ``similarity`` are cosines, ``keyword_share`` is the BM25 score as a share of
    ``keyword_ceiling``, ``window`` is the window's rarity for a fact dated inside it and 0 for others,
    ``length`` comes from ``length_of``.
    """

    late: FloatArray
    similarity: FloatArray
    keyword_share: FloatArray
    window: FloatArray
    length: FloatArray


def relevance(signals: Signals, blend: Blend = DEFAULT_BLEND) -> FloatArray:
    """``sigmoid(bias + sum of weight * signal)``."""
    logit = (
        blend.bias
        + blend.late_interaction * signals.late
        + blend.similarity * signals.similarity
        + blend.keyword * signals.keyword_share
        + blend.window * signals.window
        + blend.length * signals.length
    )
    return np.asarray(1.0 / (1.0 + np.exp(-logit)), dtype=np.float32)
