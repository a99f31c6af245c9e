"""Hydrate: read the stored facts behind the fused candidates, with what reranking needs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from cachetools import LRUCache

from recalld.recall.types import Candidate, FusedCandidate, QueryPlan
from recalld.store.engine import Database
from recalld.store.queries.candidates import CandidateRow, read_candidates, read_token_vectors


class Hydrator:
    """Reads candidates. Token vectors never change under an id, so the recent ones are kept in memory.

    ``token_dimension`` is the width of a token vector, ``cache_bytes`` the most that is kept.
    """

    def __init__(self, database: Database, token_dimension: int, cache_bytes: int) -> None:
        self._database = database
        self._token_dimension = token_dimension
        self._token_vectors: LRUCache[str, bytes] = LRUCache(cache_bytes, getsizeof=len)

    async def hydrate(self, plan: QueryPlan, fused: Sequence[FusedCandidate]) -> list[Candidate]:
        """Candidates in fused order. One deleted since it was found is left out."""
        if not fused:
            return []
        ids = [candidate.id for candidate in fused]
        rows, vectors = await asyncio.gather(self._rows(plan, ids), self._vectors(plan, ids))
        return [
            self._candidate(one, rows[one.id], vectors.get(one.id, b"")) for one in fused if one.id in rows
        ]

    async def _rows(self, plan: QueryPlan, ids: Sequence[str]) -> dict[str, CandidateRow]:
        async with self._database.read() as connection:
            return await read_candidates(
                connection,
                plan.facts,
                ids,
                vector=plan.embedding.vector,
                terms={term.place: term.idf for term in plan.terms},
            )

    async def _vectors(self, plan: QueryPlan, ids: Sequence[str]) -> dict[str, bytes]:
        if not plan.config.enable_reranking or not self._token_dimension:
            return {}
        known = {id_: vectors for id_ in ids if (vectors := self._token_vectors.get(id_)) is not None}
        missing = [id_ for id_ in ids if id_ not in known]
        if missing:
            async with self._database.read() as connection:
                fresh = await read_token_vectors(connection, plan.facts.bank_key, missing)
            for id_, vectors in fresh.items():
                if len(vectors) <= self._token_vectors.maxsize:
                    self._token_vectors[id_] = vectors
            known |= fresh
        return known

    def _candidate(self, fused: FusedCandidate, row: CandidateRow, vectors: bytes) -> Candidate:
        rows = np.frombuffer(vectors, dtype=np.int8).reshape(-1, self._token_dimension or 1)
        return Candidate(fused, row.memory, row.similarity, row.bm25, rows, row.document_chunks)
