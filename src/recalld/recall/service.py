"""The whole recall on one screen: plan, retrieve, fuse, hydrate, rerank, boost, select, assemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recalld.recall.assemble import Assembler
from recalld.recall.boost import BoostWeights, boost
from recalld.recall.fuse import fuse
from recalld.recall.hydrate import Hydrator
from recalld.recall.plan import Planner
from recalld.recall.rerank import CrossEncoderStage, rerank
from recalld.recall.retrieve import retrieve
from recalld.recall.select import select
from recalld.recall.types import RecallOutcome, RecallQuery, Retriever
from recalld.telemetry import StageClock


@dataclass(frozen=True, slots=True)
class RecallLimits:
    """Candidates that reach the reranker, and the seconds a retriever may take."""

    candidates: int = 300
    retriever_deadline: float = 10.0


@dataclass(frozen=True, slots=True)
class RecallService:
    """Answers recalls. Every stage is named here, in order, and nowhere else."""

    planner: Planner
    retrievers: Sequence[Retriever]
    hydrator: Hydrator
    assembler: Assembler
    cross_encoder: CrossEncoderStage | None
    boosts: BoostWeights
    limits: RecallLimits

    async def recall(self, query: RecallQuery) -> RecallOutcome:
        """The facts that belong in the caller's context, best first."""
        clock = StageClock()
        with clock.stage("plan"):
            plan = await self.planner.plan(query)
        with clock.stage("retrieve") as note:
            retrieved = await retrieve(self.retrievers, plan, self.limits.retriever_deadline)
            note.update({f"{r.retriever}_count": len(r.facts) for r in retrieved.rankings})
        with clock.stage("fuse") as note:
            fused = fuse(retrieved.rankings)
            note.update(candidates_merged=len(fused))
        with clock.stage("hydrate") as note:
            candidates = await self.hydrator.hydrate(plan, fused[: self.limits.candidates])
            note.update(candidates=len(candidates))
        with clock.stage("rerank") as note:
            reranked = await rerank(plan, candidates, self.cross_encoder)
            note.update(reranker=reranked.served_by, candidates_reranked=len(reranked.scored))
        with clock.stage("boost"):
            ranked = boost(plan, reranked.scored, self.boosts)
        with clock.stage("select") as note:
            selection = select(plan, ranked)
            note.update(results_selected=len(selection.kept), tokens_used=selection.tokens_used)
        with clock.stage("assemble"):
            enrichment = await self.assembler.assemble(plan, selection)
        degraded = (*retrieved.failed, *(("reranker",) if reranked.failed else ()))
        return RecallOutcome(
            plan, retrieved.rankings, fused, reranked, selection, enrichment, degraded, tuple(clock.timings)
        )
