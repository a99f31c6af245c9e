"""Trace: how an answer came about, in the shape Hindsight documents. Pure; never changes the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recalld.domain.memory import FactType, Memory
from recalld.domain.tags import TagLeaf, leaves
from recalld.domain.time import TimeWindow
from recalld.recall.types import (
    FusedCandidate,
    QueryPlan,
    Ranking,
    RecallOutcome,
    RetrieverName,
    ScoredCandidate,
)
from recalld.telemetry import PHASES

METHOD = {
    RetrieverName.SEMANTIC: "semantic",
    RetrieverName.KEYWORD: "bm25",
    RetrieverName.GRAPH: "graph",
    RetrieverName.TEMPORAL: "temporal",
}
_SCORE_NAME = {
    RetrieverName.SEMANTIC: "similarity",
    RetrieverName.KEYWORD: "bm25_score",
    RetrieverName.GRAPH: "activation",
    RetrieverName.TEMPORAL: "temporal_score",
}
ENTRY_POINTS = 10


def build_trace(outcome: RecallOutcome) -> dict[str, Any]:
    """The trace as JSON-ready values."""
    known = {scored.memory.id: scored.memory for scored in outcome.reranked.scored}
    fused_rank = {candidate.id: i for i, candidate in enumerate(outcome.fused, start=1)}
    return {
        "query": _query(outcome.plan),
        "retrieval_results": _retrievals(outcome, known),
        "rrf_merged": [_merged(one, known, rank) for rank, one in enumerate(outcome.fused, start=1)],
        "reranked": [
            _reranked(scored, rank, fused_rank[scored.memory.id])
            for rank, scored in enumerate(outcome.selection.ranked, start=1)
        ],
        "entry_points": _entry_points(outcome, known),
        "visits": _visits(outcome, known),
        "summary": _summary(outcome),
        "final_results": [_final(s, fused_rank[s.memory.id]) for s in outcome.selection.kept],
    }


def _query(plan: QueryPlan) -> dict[str, Any]:
    tags = [tag for leaf in leaves(plan.query.tags) for tag in leaf.tags]
    match = plan.query.tags.match if isinstance(plan.query.tags, TagLeaf) else "any"
    return {
        "query_text": plan.text,
        "query_embedding": [round(float(x), 6) for x in plan.embedding.vector],
        "timestamp": _utc(plan.now),
        "budget": plan.depth,
        "max_tokens": plan.query.max_tokens,
        "tags": tags or None,
        "tags_match": str(match),
        "temporal_constraint": _window(plan.window),
    }


def _retrievals(outcome: RecallOutcome, known: Mapping[str, Memory]) -> list[dict[str, Any]]:
    """One entry per fact type and retriever that ran."""
    return [
        _retrieval(outcome.plan, ranking, fact_type, known)
        for fact_type in outcome.plan.facts.types
        for ranking in outcome.rankings
    ]


def _retrieval(
    plan: QueryPlan, ranking: Ranking, fact_type: FactType, known: Mapping[str, Memory]
) -> dict[str, Any]:
    facts = [fact for fact in ranking.facts if fact.fact_type is fact_type]
    limited = ranking.retriever in {RetrieverName.SEMANTIC, RetrieverName.KEYWORD}
    metadata: dict[str, Any] = {"limit" if limited else "budget": plan.depth}
    if ranking.retriever is RetrieverName.TEMPORAL:
        metadata["constraint"] = _window(plan.window)
    return {
        "method_name": METHOD[ranking.retriever],
        "fact_type": str(fact_type),
        "results": [
            {
                "rank": rank,
                "node_id": fact.id,
                "text": known[fact.id].text if fact.id in known else "",
                "context": (known[fact.id].context or "") if fact.id in known else "",
                "event_date": _utc(known[fact.id].happened_at) if fact.id in known else None,
                "fact_type": str(fact_type),
                "score": fact.score,
                "score_name": _SCORE_NAME[ranking.retriever],
            }
            for rank, fact in enumerate(facts, start=1)
        ],
        "duration_seconds": 0.0,
        "metadata": metadata,
    }


def _merged(candidate: FusedCandidate, known: Mapping[str, Memory], rank: int) -> dict[str, Any]:
    return {
        "node_id": candidate.id,
        "text": known[candidate.id].text if candidate.id in known else "",
        "rrf_score": candidate.rrf_score,
        "source_ranks": {f"{METHOD[name]}_rank": place for name, place in candidate.ranks.items()},
        "final_rrf_rank": rank,
    }


def _reranked(scored: ScoredCandidate, rank: int, fused_rank: int) -> dict[str, Any]:
    return {
        "node_id": scored.memory.id,
        "text": scored.memory.text,
        "rerank_score": scored.final,
        "rerank_rank": rank,
        "rrf_rank": fused_rank,
        "rank_change": fused_rank - rank,
        "score_components": _components(scored),
    }


def _components(scored: ScoredCandidate) -> dict[str, float]:
    return {
        "cross_encoder_score": scored.relevance,
        "cross_encoder_score_normalized": scored.relevance,
        "rrf_score": scored.candidate.fused.rrf_score,
        "rrf_normalized": 0.0,
        "temporal": scored.proximity,
        "recency": scored.recency,
        "proof_norm": scored.proof,
        "combined_score": scored.final,
        **({} if scored.helps is None else {"decision_likelihood": scored.helps}),
    }


def _semantic(outcome: RecallOutcome) -> Sequence[tuple[str, float]]:
    found = [r for r in outcome.rankings if r.retriever is RetrieverName.SEMANTIC]
    return [(fact.id, fact.score) for fact in found[0].facts] if found else []


def _entry_points(outcome: RecallOutcome, known: Mapping[str, Memory]) -> list[dict[str, Any]]:
    return [
        {
            "node_id": id_,
            "text": known[id_].text if id_ in known else "",
            "similarity_score": min(1.0, max(0.0, score)),
            "rank": rank,
        }
        for rank, (id_, score) in enumerate(_semantic(outcome)[:ENTRY_POINTS], start=1)
    ]


def _visits(outcome: RecallOutcome, known: Mapping[str, Memory]) -> list[dict[str, Any]]:
    """Reranked facts in fused order, with weights older tools still draw."""
    entries = {id_ for id_, _ in _semantic(outcome)[:ENTRY_POINTS]}
    final_rank = {s.memory.id: rank for rank, s in enumerate(outcome.selection.kept, start=1)}
    return [
        {
            "step": step,
            "node_id": s.memory.id,
            "text": s.memory.text,
            "context": s.memory.context or "",
            "event_date": _utc(s.memory.happened_at),
            "is_entry_point": s.memory.id in entries,
            "final_rank": final_rank.get(s.memory.id),
            "weights": _weights(s),
        }
        for step, s in enumerate(outcome.reranked.scored, start=1)
        if s.memory.id in known
    ]


def _weights(scored: ScoredCandidate) -> dict[str, float]:
    activation = scored.candidate.fused.rrf_score
    return {
        "activation": activation,
        "semantic_similarity": scored.candidate.similarity,
        "recency": scored.recency,
        "frequency": 0.0,
        "final_weight": scored.final,
        "activation_contribution": 0.3 * activation,
        "semantic_contribution": 0.3 * scored.candidate.similarity,
        "recency_contribution": 0.25 * scored.recency,
        "frequency_contribution": 0.0,
    }


def _summary(outcome: RecallOutcome) -> dict[str, Any]:
    visited = len(outcome.reranked.scored)
    return {
        "total_nodes_visited": visited,
        "entry_points_found": len(_semantic(outcome)[:ENTRY_POINTS]),
        "budget_used": visited,
        "budget_remaining": outcome.plan.depth - visited,
        "total_duration_seconds": sum(timing.seconds for timing in outcome.timings),
        "results_returned": len(outcome.selection.kept),
        "degraded": list(outcome.degraded),
        "reranker": outcome.reranked.served_by,
        "phase_metrics": [
            {
                "phase_name": PHASES[timing.name],
                "duration_seconds": timing.seconds,
                "details": {"stage": timing.name, **timing.details},
            }
            for timing in outcome.timings
        ],
    }


def _final(scored: ScoredCandidate, fused_rank: int) -> dict[str, Any]:
    memory, fused = scored.memory, scored.candidate.fused
    return {
        "id": memory.id,
        "text": memory.text,
        "fact_type": str(memory.fact_type),
        "context": memory.context,
        "event_date": _utc(memory.happened_at),
        "occurred_start": _offset(memory.occurred_start),
        "occurred_end": _offset(memory.occurred_end),
        "mentioned_at": _offset(memory.mentioned_at),
        "document_id": memory.document_id,
        "chunk_id": memory.chunk_id,
        "tags": list(memory.tags),
        "metadata": memory.metadata,
        "attachment_ids": list(memory.attachment_ids),
        "semantic_similarity": fused.scores.get(RetrieverName.SEMANTIC),
        "bm25_score": fused.scores.get(RetrieverName.KEYWORD),
        "temporal_score": fused.scores.get(RetrieverName.TEMPORAL),
        "temporal_proximity": scored.proximity,
        "rrf_score": fused.rrf_score,
        "rrf_rank": fused_rank,
        **{f"{METHOD[name]}_rank": place for name, place in fused.ranks.items()},
        **{k: v for k, v in _components(scored).items() if k != "rrf_score"},
        "weight": scored.final,
        "activation": scored.final,
    }


def _window(window: TimeWindow | None) -> dict[str, str] | None:
    return None if window is None else {"start": window.start.isoformat(), "end": window.end.isoformat()}


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _offset(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
