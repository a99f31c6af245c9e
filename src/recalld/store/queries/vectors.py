"""Vector parameters and expressions shared by the queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector, SparseVector
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import ARRAY, ColumnElement, Double, FromClause, Uuid, any_, bindparam, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.tables import TERM_SPACE

FloatArray = npt.NDArray[np.float32]

MAX_SCAN_TUPLES = 20_000
"""Rows an HNSW scan may visit while filters reject what it finds."""


def cosine_distance(units: FromClause, vector: FloatArray) -> ColumnElement[float]:
    """Distance of a row's embedding to ``vector``; the cast is the one the partial indexes use."""
    kind = HALFVEC(len(vector))
    wanted = bindparam(None, HalfVector(vector), type_=kind, unique=True)
    return cast(units.c.embedding, kind).op("<=>", return_type=Double())(wanted)


def bm25_score(units: FromClause, weights: Mapping[int, float]) -> ColumnElement[float]:
    """BM25 of a row: its term weights times the query's IDFs, keyed by term place (from 1)."""
    sparse = SparseVector({place - 1: idf for place, idf in weights.items()}, TERM_SPACE)
    wanted = bindparam(None, sparse, type_=SPARSEVEC(TERM_SPACE), unique=True)
    return -units.c.term_weights.op("<#>", return_type=Double())(wanted)


def any_id(ids: Sequence[UUID]) -> ColumnElement[UUID]:
    """``ANY(:ids)``: one parameter however many ids."""
    return any_(bindparam(None, list(ids), type_=ARRAY(Uuid), unique=True))


async def widen_index_scans(connection: AsyncConnection) -> None:
    """Let HNSW scans go on while filters reject rows; set per use, since pools reset it."""
    settings = {"hnsw.iterative_scan": "strict_order", "hnsw.ef_search": "200",
                "hnsw.max_scan_tuples": str(MAX_SCAN_TUPLES)}
    await connection.execute(select(*(func.set_config(name, value, False) for name, value in settings.items())))

