"""Keyword retriever: BM25 over the facts that share a term with the query."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.domain.text import QueryTerm
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import Database
from recalld.store.queries.keyword import matching_facts

MATCHED_ROWS = 3000
"""Rows after which further, more common terms only score and no longer widen the match."""


@dataclass(frozen=True, slots=True)
class KeywordRetriever:
    """Facts by BM25 (k1 1.2, b 0.75, IDF of the bank)."""

    database: Database
    min_score: float = 0.0
    name: RetrieverName = RetrieverName.KEYWORD

    def applies(self, plan: QueryPlan) -> bool:
        """Unless text search is off or no term of the query is in the bank."""
        return plan.config.enable_text_search and any(term.df > 0 for term in plan.terms)

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        """The best matching facts, best first."""
        floor = plan.query.floors.keyword
        async with self.database.read() as connection:
            facts = await matching_facts(
                connection,
                plan.facts,
                match=[term.lexeme for term in widening_terms(plan.terms)],
                weights={term.place: term.idf for term in plan.terms},
                limit=plan.depth,
                floor=self.min_score if floor is None else floor,
            )
        return Ranking(self.name, facts)


def widening_terms(terms: tuple[QueryTerm, ...], rows: int = MATCHED_ROWS) -> list[QueryTerm]:
    """The rarest terms of the bank first, until together they match about ``rows`` facts."""
    chosen: list[QueryTerm] = []
    matched = 0
    for term in sorted((t for t in terms if t.df > 0), key=lambda t: (t.df, t.lexeme)):
        if chosen and matched + term.df > rows:
            break
        chosen.append(term)
        matched += term.df
    return chosen
