"""What is stored behind these ids, with what reranking reads?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recalld.domain.filters import FactFilter
from recalld.domain.memory import Memory
from recalld.store.engine import ReadConnection, fetch, id_list
from recalld.store.queries.rows import MEMORY, MEMORY_WIDTH, memory
from recalld.store.queries.vectors import FloatArray, dense, sparse

_CANDIDATES = """
    SELECT {memory},
           1 - (unit.embedding::halfvec({d}) <=> %(vector)s::halfvec({d})),
           -(unit.term_weights <#> %(weights)s::sparsevec),
           coalesce((SELECT max(chunk.chunk_index) + 1 FROM chunks AS chunk
                     WHERE chunk.bank_key = unit.bank_key AND chunk.document_id = unit.document_id), 1)
    FROM memory_units AS unit
    WHERE unit.bank_key = %(bank_key)s AND unit.id = ANY(%(ids)s::uuid[])
"""

_VECTORS = """
    SELECT unit_id::text, vectors FROM memory_token_vectors
    WHERE bank_key = %(bank_key)s AND unit_id = ANY(%(ids)s::uuid[])
"""


class CandidateRow(NamedTuple):
    """A fact with its cosine and BM25 against the query, and the number of chunks of its document."""

    memory: Memory
    similarity: float
    bm25: float
    document_chunks: int


async def read_candidates(
    connection: ReadConnection,
    facts: FactFilter,
    ids: Sequence[str],
    *,
    vector: FloatArray,
    terms: Mapping[int, float],
) -> dict[str, CandidateRow]:
    """Rows by id; ids that no longer exist are missing."""
    params = {
        "bank_key": facts.bank_key,
        "ids": id_list(ids),
        "vector": dense(vector),
        "weights": sparse(terms),
    }
    rows = await fetch(connection, _CANDIDATES.format(memory=MEMORY, d=len(vector)), params)
    return {row[0]: CandidateRow(memory(row), *row[MEMORY_WIDTH:]) for row in rows}


async def read_token_vectors(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, bytes]:
    """Token vectors as stored, by id."""
    rows = await fetch(connection, _VECTORS, {"bank_key": bank_key, "ids": id_list(ids)})
    return dict(rows)
