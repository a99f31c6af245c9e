"""Select: score floors and pruning, observation preference, the candidate window and the token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recalld.domain.memory import FactType
from recalld.recall.decide import UNDECIDED
from recalld.recall.types import Evidence, QueryPlan, ScoredCandidate, ScoreFloors, Selection

NO_EVIDENCE: Mapping[str, Evidence] = {}


def clear(plan: QueryPlan, ranked: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Candidates over the floors, without what a decision model finds of no help when asked to (D18)."""
    clearing = clear_floors(ranked, plan.query.floors)
    wanted = plan.query.prune
    if plan.config.recall_decision_model_prune if wanted is None else wanted:
        return [scored for scored in clearing if scored.helps is None or scored.helps >= UNDECIDED]
    return clearing


def select(
    plan: QueryPlan, cleared: Sequence[ScoredCandidate], evidence: Mapping[str, Evidence] = NO_EVIDENCE
) -> Selection:
    """What the caller gets, from candidates that come best first."""
    clearing = list(cleared)
    limit = 2 * plan.depth
    if _prefers_observations(plan):
        clearing = prefer_observations(clearing, limit)
    else:
        clearing = without_echoes(clearing)
    window = clearing[:limit]
    wanted, query = plan.query.by_document, plan.query
    if wanted is None:
        kept, used = fit(window, query.max_tokens, query.max_results)
    else:
        documents = by_document(window, evidence)
        costs = [(one, wanted.estimate(texts_of(one, evidence[one.memory.id]))) for one in documents]
        kept, used = within(costs, query.max_tokens, query.max_results)
    return Selection(tuple(cleared), tuple(window), tuple(kept), used, evidence)


def by_document(ranked: Sequence[ScoredCandidate], evidence: Mapping[str, Evidence]) -> list[ScoredCandidate]:
    """The best piece of each document, and whatever is no piece of one; without what has no evidence."""
    best: dict[str, ScoredCandidate] = {}
    for one in ranked:
        if (known := evidence.get(one.memory.id)) is not None:
            best.setdefault(one.memory.id if known.piece_of is None else f"document {known.piece_of}", one)
    return list(best.values())


def texts_of(one: ScoredCandidate, evidence: Evidence) -> list[str]:
    """What counts of a document: its text and the excerpts it rests on."""
    return [one.memory.text, *(excerpt for source in evidence.sources for excerpt in source.excerpts)]


def clear_floors(ranked: Sequence[ScoredCandidate], floors: ScoreFloors) -> list[ScoredCandidate]:
    """Candidates at or above the floors that hold for every result."""
    return [
        scored
        for scored in ranked
        if (floors.final is None or scored.final >= floors.final)
        and (floors.reranker is None or (scored.reranker is not None and scored.reranker >= floors.reranker))
    ]


def prefer_observations(ranked: Sequence[ScoredCandidate], limit: int) -> list[ScoredCandidate]:
    """Without the raw facts that an observation among the first ``limit`` was built from."""
    superseded: set[str] = set()
    for scored in ranked[:limit]:
        if scored.memory.fact_type is FactType.OBSERVATION:
            superseded.update(scored.memory.source_ids)
    return [
        scored
        for scored in ranked
        if scored.memory.fact_type is FactType.OBSERVATION or scored.memory.id not in superseded
    ]


def without_echoes(ranked: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Without observations that say word for word what one of their facts among the candidates says."""
    said = {one.memory.id: one.memory.text for one in ranked}
    return [
        one
        for one in ranked
        if one.memory.fact_type is not FactType.OBSERVATION
        or all(said.get(source) != one.memory.text for source in one.memory.source_ids)
    ]


def fit(
    ranked: Sequence[ScoredCandidate], max_tokens: int, max_results: int | None = None
) -> tuple[list[ScoredCandidate], int]:
    """Facts within the budget, by their stored counts; returns the kept and the tokens spent.

    When nothing fits a positive budget, the best fact is kept whole.
    """
    if max_tokens <= 0:
        return [], 0
    kept, used = within([(one, one.memory.token_count) for one in ranked], max_tokens, max_results)
    return (kept, used) if kept or not ranked else ([ranked[0]], ranked[0].memory.token_count)


def within(
    costs: Sequence[tuple[ScoredCandidate, int]], max_tokens: int, max_results: int | None
) -> tuple[list[ScoredCandidate], int]:
    """Walk in rank order, skip what does not fit, go on (D3)."""
    kept: list[ScoredCandidate] = []
    used = 0
    for scored, cost in costs:
        if len(kept) == max_results:
            break
        if used + cost <= max_tokens:
            kept.append(scored)
            used += cost
    return kept, used


def _prefers_observations(plan: QueryPlan) -> bool:
    wanted = plan.query.prefer_observations
    types = set(plan.query.types)
    mixed = FactType.OBSERVATION in types and len(types) > 1
    return mixed and (plan.config.recall_prefer_observations if wanted is None else wanted)
