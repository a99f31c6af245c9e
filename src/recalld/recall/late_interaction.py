"""Late interaction: how well each query token is answered somewhere in a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recalld.domain.text import QueryTerm
from recalld.encoders.protocols import ByteArray, FloatArray

STOP_WORD_WEIGHT = 0.5
"""Weight of a word the index does not keep, where a word in every fact weighs near 0."""
_INT8_SCALE = np.float32(1 / 127)
_TOKENS_AT_ONCE = 16_384


def token_weights(spans: Sequence[tuple[int, int]], terms: Sequence[QueryTerm]) -> FloatArray:
    """A weight per query token: the largest IDF of the terms it is part of."""
    weights = np.full(len(spans), STOP_WORD_WEIGHT, dtype=np.float32)
    for i, (start, end) in enumerate(spans):
        covering = [t.idf for t in terms for s, e in t.spans if start < e and end > s]
        if covering:
            weights[i] = max(covering)
    return weights


def late_interaction(query: FloatArray, weights: FloatArray, texts: Sequence[ByteArray]) -> FloatArray:
    """Weighted mean over query tokens of their best match in each text; shape ``(len(texts),)``.

    ``query`` has shape (q, d), ``weights`` (q,), each text (tokens, d) as int8 times 127. An empty
    text scores 0. Source: Khattab and Zaharia, "ColBERT", SIGIR 2020 (MaxSim); IDF weights are ours.
    """
    scores = np.zeros(len(texts), dtype=np.float32)
    total = float(weights.sum())
    if total <= 0.0:
        return scores
    scaled = (query * (_INT8_SCALE / total)).T
    for group in _groups([len(text) for text in texts]):
        filled = [i for i in group if len(texts[i])]
        if not filled:
            continue
        stacked = np.concatenate([texts[i] for i in filled]).astype(np.float32)
        starts = np.cumsum([0, *(len(texts[i]) for i in filled[:-1])])
        best = np.maximum.reduceat(stacked @ scaled, starts, axis=0)
        scores[filled] = best @ weights
    return scores


def _groups(lengths: Sequence[int]) -> list[list[int]]:
    """Neighbouring texts together, about ``_TOKENS_AT_ONCE`` tokens each, so work stays in cache."""
    groups: list[list[int]] = [[]]
    filled = 0
    for i, length in enumerate(lengths):
        if filled and filled + length > _TOKENS_AT_ONCE:
            groups.append([])
            filled = 0
        groups[-1].append(i)
        filled += length
    return groups
