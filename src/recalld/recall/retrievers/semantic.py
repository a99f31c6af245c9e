"""Semantic retriever: nearest sentence vectors by cosine."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import Database
from recalld.store.queries.semantic import nearest_facts


@dataclass(frozen=True, slots=True)
class SemanticRetriever:
    """Facts whose cosine with the query reaches a floor (the request's, else ``min_similarity``)."""

    database: Database
    min_similarity: float = 0.3
    name: RetrieverName = RetrieverName.SEMANTIC

    def applies(self, plan: QueryPlan) -> bool:
        """Always: a query always has a vector."""
        return bool(plan.text)

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        """The nearest facts, best first."""
        floor = plan.query.floors.semantic
        async with self.database.read() as connection:
            facts = await nearest_facts(
                connection,
                plan.facts,
                plan.embedding.vector,
                limit=plan.depth,
                floor=self.min_similarity if floor is None else floor,
            )
        return Ranking(self.name, facts)
