"""What is stored behind these ids, with what reranking reads?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.filters import FactFilter
from recalld.domain.memory import Memory
from recalld.store.queries.rows import MEMORY_COLUMNS, memory, memory_columns
from recalld.store.queries.vectors import FloatArray, any_id, bm25_score, cosine_distance
from recalld.store.tables import memory_token_vectors, memory_units


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A fact, its cosine and BM25 with the query, and its token vectors as stored bytes."""

    memory: Memory
    similarity: float
    bm25: float
    token_vectors: bytes


async def read_candidates(
    connection: AsyncConnection,
    facts: FactFilter,
    ids: Sequence[UUID],
    *,
    vector: FloatArray,
    terms: Mapping[int, float],
) -> dict[UUID, CandidateRow]:
    """Rows by id; ids that no longer exist are missing."""
    statement = (
        select(
            *memory_columns(memory_units),
            1.0 - cosine_distance(memory_units, vector),
            bm25_score(memory_units, terms),
            memory_token_vectors.c.vectors,
        )
        .outerjoin(
            memory_token_vectors,
            (memory_token_vectors.c.bank_key == memory_units.c.bank_key)
            & (memory_token_vectors.c.unit_id == memory_units.c.id),
        )
        .where(memory_units.c.bank_key == facts.bank_key, memory_units.c.id == any_id(ids))
    )
    rows = await connection.execute(statement)
    width = len(MEMORY_COLUMNS)
    return {
        row[0]: CandidateRow(memory(row), row[width], row[width + 1], row[width + 2] or b"") for row in rows
    }
