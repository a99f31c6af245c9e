"""What is stored behind these ids, with what reranking reads?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from recalld.domain.filters import FactFilter
from recalld.domain.memory import Memory
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.rows import MEMORY, MEMORY_WIDTH, memory
from recalld.store.queries.vectors import FloatArray, dense, sparse

_CANDIDATES = f"""
    SELECT {MEMORY},
           1 - (unit.embedding::halfvec({{d}}) <=> %(vector)s::halfvec({{d}})),
           -(unit.term_weights <#> %(weights)s::sparsevec),
           tokens.vectors
    FROM memory_units AS unit
    LEFT JOIN memory_token_vectors AS tokens ON tokens.bank_key = unit.bank_key AND tokens.unit_id = unit.id
    WHERE unit.bank_key = %(bank_key)s AND unit.id = ANY(%(ids)s)
"""


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A fact, its cosine and BM25 with the query, and its token vectors as stored bytes."""

    memory: Memory
    similarity: float
    bm25: float
    token_vectors: bytes


async def read_candidates(
    connection: ReadConnection,
    facts: FactFilter,
    ids: Sequence[UUID],
    *,
    vector: FloatArray,
    terms: Mapping[int, float],
) -> dict[UUID, CandidateRow]:
    """Rows by id; ids that no longer exist are missing."""
    params = {
        "bank_key": facts.bank_key,
        "ids": list(ids),
        "vector": dense(vector),
        "weights": sparse(terms),
    }
    rows = await fetch(connection, _CANDIDATES.format(d=len(vector)), params)
    return {
        row[0]: CandidateRow(
            memory(row), row[MEMORY_WIDTH], row[MEMORY_WIDTH + 1], row[MEMORY_WIDTH + 2] or b""
        )
        for row in rows
    }
