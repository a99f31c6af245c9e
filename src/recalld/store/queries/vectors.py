"""Vectors as parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from recalld.store.tables import TERM_SPACE

FloatArray = npt.NDArray[np.float32]


def dense(vector: FloatArray) -> str:
    """A vector as a ``halfvec`` literal. The queries of a recall share one vector: it is spelled once."""
    return _spelled(vector.tobytes())


@lru_cache(maxsize=64)
def _spelled(vector: bytes) -> str:
    return "[" + ",".join(map(repr, np.frombuffer(vector, dtype=np.float32).tolist())) + "]"


def sparse(weights: Mapping[int, float]) -> str:
    """Weights by place (from 1) as a ``sparsevec`` literal."""
    return "{" + ",".join(f"{place}:{weights[place]}" for place in sorted(weights)) + f"}}/{TERM_SPACE}"
