"""Hydrate: read the stored facts behind the fused candidates, with what reranking needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recalld.recall.types import Candidate, FusedCandidate, QueryPlan
from recalld.store.engine import Database
from recalld.store.queries.candidates import CandidateRow, read_candidates


class Hydrator:
    """Reads candidates; ``token_dimension`` is the width of the stored token vectors."""

    def __init__(self, database: Database, token_dimension: int) -> None:
        self._database = database
        self._token_dimension = token_dimension

    async def hydrate(self, plan: QueryPlan, fused: Sequence[FusedCandidate]) -> list[Candidate]:
        """Candidates in fused order. One deleted since it was found is left out."""
        if not fused:
            return []
        async with self._database.read() as connection:
            rows = await read_candidates(
                connection,
                plan.facts,
                [candidate.id for candidate in fused],
                vector=plan.embedding.vector,
                terms={term.place: term.idf for term in plan.terms},
            )
        return [self._candidate(one, rows[one.id]) for one in fused if one.id in rows]

    def _candidate(self, fused: FusedCandidate, row: CandidateRow) -> Candidate:
        width = self._token_dimension or 1
        vectors = np.frombuffer(row.token_vectors, dtype=np.int8).reshape(-1, width)
        return Candidate(fused, row.memory, row.similarity, row.bm25, vectors)
