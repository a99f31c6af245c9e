"""Scores become relevance in [0, 1], each provider's by its own fixed rule (F12)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from recalld.encoders.protocols import EncoderFailed

_STEEP = 60.0


def from_logits(logits: Any, name: str) -> list[float]:
    """One logit a text goes through a sigmoid; of two, the second less the first does. NaN counts as 0."""
    rows = np.asarray(logits, dtype=np.float64)
    rows = rows.reshape(len(rows), -1)
    match rows.shape[1]:
        case 1:
            single = rows[:, 0]
        case 2:
            single = rows[:, 1] - rows[:, 0]
        case outputs:
            raise EncoderFailed(f"{name} gives {outputs} numbers for a text: that is no reranker")
    return [_sigmoid(float(logit)) for logit in single]


def from_shares(scores: Sequence[Any], name: str) -> list[float]:
    """Scores that are in [0, 1] already, bar rounding. NaN, which JSON may write as null, counts as 0."""
    return [_share(score, name) for score in scores]


def _sigmoid(logit: float) -> float:
    if math.isnan(logit):
        return 0.0
    return 1.0 / (1.0 + math.exp(-max(-_STEEP, min(_STEEP, logit))))


def _share(score: Any, name: str) -> float:
    if score is None:
        return 0.0
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise EncoderFailed(f"{name} answered with a score that is no number")
    return 0.0 if math.isnan(score) else float(max(0.0, min(1.0, score)))
