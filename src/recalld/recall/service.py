"""The whole recall on one screen: plan, retrieve, fuse, hydrate, rerank, boost, select, assemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recalld.domain.budget import Budget
from recalld.recall.assemble import Assembler
from recalld.recall.boost import BoostWeights, boost
from recalld.recall.decide import dedup
from recalld.recall.evidence import EvidenceReader
from recalld.recall.favour import cut
from recalld.recall.fuse import fuse
from recalld.recall.hydrate import Hydrator
from recalld.recall.plan import Planner
from recalld.recall.rerank import Reranking, rerank
from recalld.recall.retrieve import retrieve
from recalld.recall.select import clear, select
from recalld.recall.types import RecallOutcome, RecallQuery, Retriever
from recalld.telemetry import StageClock


@dataclass(frozen=True, slots=True)
class RecallLimits:
    """How much each stage takes on.

    ``candidates`` reach the reranker, by budget; ``per_retriever`` hits are fused (0: all); a retriever
    may take ``retriever_deadline`` seconds.
    """

    candidates: Mapping[Budget, int] = field(default_factory=lambda: dict.fromkeys(Budget, 300))
    per_retriever: int = 0
    retriever_deadline: float = 10.0


@dataclass(frozen=True, slots=True)
class RecallService:
    """Answers recalls. Every stage is named here, in order, and nowhere else."""

    planner: Planner
    retrievers: Sequence[Retriever]
    hydrator: Hydrator
    assembler: Assembler
    evidence: EvidenceReader
    reranking: Reranking
    boosts: BoostWeights
    limits: RecallLimits

    async def recall(self, query: RecallQuery) -> RecallOutcome:
        """The facts that belong in the caller's context, best first."""
        clock = StageClock()
        limits, favours = self.limits, self.boosts.favours
        with clock.stage("plan"):
            plan = await self.planner.plan(query)
        with clock.stage("retrieve") as note:
            retrieved = await retrieve(self.retrievers, plan, limits.retriever_deadline)
            note.update({f"{r.retriever}_count": len(r.facts) for r in retrieved.rankings})
        with clock.stage("fuse") as note:
            fused = fuse(retrieved.rankings, limits.per_retriever)
            note.update(candidates_merged=len(fused))
        if not fused:
            await self.planner.confirm(plan)
        with clock.stage("hydrate") as note:
            candidates = await self.hydrator.hydrate(
                plan, cut(fused, limits.candidates[query.budget], favours)
            )
            note.update(candidates=len(candidates))
        with clock.stage("rerank") as note:
            reranked = await rerank(plan, candidates, self.reranking)
            note.update(reranker=reranked.served_by, candidates_reranked=len(reranked.scored))
        with clock.stage("boost"):
            ranked = boost(plan, reranked, self.boosts)
        with clock.stage("select") as note:
            distinct = await dedup(plan, clear(plan, ranked), self.reranking.decision)
            evidence = await self.evidence.read(plan, distinct.kept)
            selection = select(plan, distinct.kept, evidence)
            note.update(results_selected=len(selection.kept), tokens_used=selection.tokens_used)
        with clock.stage("assemble"):
            enrichment = await self.assembler.assemble(plan, selection)
            superseded = await self.evidence.superseded(plan, selection)
        failures = {"reranker": reranked.failed, "dedup": distinct.failed}
        degraded = (*retrieved.failed, *(part for part, failed in failures.items() if failed))
        return RecallOutcome(
            plan,
            retrieved.rankings,
            fused,
            reranked,
            selection,
            enrichment,
            degraded,
            tuple(clock.timings),
            superseded,
        )
