"""Vectors as parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from recalld.store.tables import TERM_SPACE

FloatArray = npt.NDArray[np.float32]

MAX_SCAN_TUPLES = 20_000
"""Rows an HNSW scan may visit while filters reject what it finds."""

WIDEN_INDEX_SCANS = f"""
    SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
           set_config('hnsw.ef_search', '200', true),
           set_config('hnsw.max_scan_tuples', '{MAX_SCAN_TUPLES}', true)
"""
"""Set for one transaction at a time, since poolers hand sessions on."""


def dense(vector: FloatArray) -> str:
    """A vector as a ``halfvec`` literal. The queries of a recall share one vector: it is spelled once."""
    return _spelled(vector.tobytes())


@lru_cache(maxsize=64)
def _spelled(vector: bytes) -> str:
    return "[" + ",".join(map(repr, np.frombuffer(vector, dtype=np.float32).tolist())) + "]"


def sparse(weights: Mapping[int, float]) -> str:
    """Weights by place (from 1) as a ``sparsevec`` literal."""
    return "{" + ",".join(f"{place}:{weights[place]}" for place in sorted(weights)) + f"}}/{TERM_SPACE}"
