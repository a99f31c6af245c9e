"""One calibrated relevance in [0, 1] from three signals, without a second model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    bias: float


DEFAULT_BLEND = Blend(late_interaction=9.0, similarity=3.0, keyword=4.0, bias=-9.0)


def keyword_ceiling(terms: Sequence[QueryTerm]) -> float:
    """The score BM25 approaches for a text that repeats every term of the query without end."""
    return _K1_PLUS_1 * sum(term.idf for term in terms)


def relevance(
    late: FloatArray, similarity: FloatArray, keyword_share: FloatArray, blend: Blend = DEFAULT_BLEND
) -> FloatArray:
    """``sigmoid(bias + sum of weight * signal)``; all arrays have one entry per candidate.

    ``keyword_share`` is the BM25 score as a share of ``keyword_ceiling``.
    """
    logit = (
        blend.bias
        + blend.late_interaction * late
        + blend.similarity * similarity
        + blend.keyword * keyword_share
    )
    return np.asarray(1.0 / (1.0 + np.exp(-logit)), dtype=np.float32)
