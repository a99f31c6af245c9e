"""Recall between the wire and the domain, both ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from recalld.api.hindsight.schemas.recall import (
    ChunkAttachment,
    ChunkData,
    EntityObservationResponse,
    EntityStateResponse,
    IncludeOptions,
    MinScores,
    RecallRequest,
    RecallResponse,
    RecallResult,
    RecallScores,
    TagGroup,
    TagGroupAnd,
    TagGroupLeaf,
    TagGroupNot,
    TagGroupOr,
)
from recalld.domain.attachments import Attachment
from recalld.domain.budget import Budget
from recalld.domain.errors import InvalidRequest, Unprocessable
from recalld.domain.memory import ALL_FACT_TYPES, FactType, Memory
from recalld.domain.tags import (
    TagAnd,
    TagLeaf,
    TagMatch,
    TagNode,
    TagNot,
    TagOr,
    TagResolve,
    flat_filter,
)
from recalld.domain.text import scrub
from recalld.domain.time import TimeWindow, as_utc
from recalld.recall.trace import build_trace
from recalld.recall.types import (
    Enrichment,
    EntityState,
    Includes,
    RecallOutcome,
    RecallQuery,
    RetrieverName,
    ScoredCandidate,
    ScoreFloors,
)

RETIRED_TYPE = "opinion"
"""Dropped in silence, as the API has done since the type was retired."""


def recall_query(bank_id: str, request: RecallRequest) -> RecallQuery:
    """The domain's query, over all types: those are checked later, once the bank is known (F17)."""
    window = request.temporal_window
    return RecallQuery(
        bank_id=bank_id,
        text=request.query,
        budget=Budget(request.budget),
        max_tokens=request.max_tokens,
        anchor=query_timestamp(request.query_timestamp),
        tags=tag_filter(request),
        floors=_floors(request.min_scores),
        window=TimeWindow(as_utc(window.start), as_utc(window.end)) if window else None,
        prefer_observations=request.prefer_observations,
        includes=_includes(request.include),
        trace=request.trace,
        prune=request.rerank.prune if request.rerank else None,
        dedup=request.rerank.dedup if request.rerank else None,
    )


def fact_types(names: Sequence[str] | None) -> tuple[FactType, ...]:
    """Types in their fixed order without duplicates (D6); all of them for null or an empty list."""
    if not names:
        return ALL_FACT_TYPES
    known = {str(fact_type) for fact_type in ALL_FACT_TYPES}
    wanted = [name for name in names if name != RETIRED_TYPE]
    invalid = sorted(set(wanted) - known)
    if invalid:
        raise Unprocessable(
            f"Invalid fact type(s): {', '.join(invalid)}. Must be one of: {', '.join(sorted(known))}"
        )
    return tuple(fact_type for fact_type in ALL_FACT_TYPES if fact_type in wanted)


def query_timestamp(value: str | None) -> datetime | None:
    """The anchor as given, aware; a naive one is UTC. Unreadable text is a 400."""
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00").replace("z", "+00:00"))
    except ValueError as error:
        raise InvalidRequest(
            "Invalid query_timestamp format. Expected ISO format (e.g., '2023-05-30T23:40:00'): "
            f"{scrub(str(error))[:200]}"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def tag_filter(request: RecallRequest) -> TagNode:
    """Flat tags and tag groups as one tree."""
    flat = flat_filter(request.tags or (), TagMatch(request.tags_match))
    if not request.tag_groups:
        return flat
    return TagAnd((flat, *(tag_node(group) for group in request.tag_groups)))


def tag_node(group: TagGroup) -> TagNode:
    """One group of tags as a tree."""
    match group:
        case TagGroupLeaf():
            return TagLeaf(tuple(group.tags), TagMatch(group.match), TagResolve(group.resolve))
        case TagGroupAnd():
            return TagAnd(tuple(tag_node(part) for part in group.filters))
        case TagGroupOr():
            return TagOr(tuple(tag_node(part) for part in group.filters))
        case TagGroupNot():
            return TagNot(tag_node(group.filter))


def _floors(scores: MinScores | None) -> ScoreFloors:
    return ScoreFloors(**scores.model_dump()) if scores else ScoreFloors()


def _includes(include: IncludeOptions) -> Includes:
    entities, chunks, sources = include.entities, include.chunks, include.source_facts
    return Includes(
        entity_tokens=entities.max_tokens if entities else None,
        chunk_tokens=chunks.max_tokens if chunks else None,
        source_fact_tokens=sources.max_tokens if sources else None,
        source_fact_tokens_each=sources.max_tokens_per_observation if sources else -1,
    )


def recall_response(outcome: RecallOutcome) -> RecallResponse:
    """The wire's answer."""
    enrichment, bank_id = outcome.enrichment, outcome.plan.bank.bank_id
    wants_sources = outcome.plan.query.includes.source_fact_tokens is not None
    return RecallResponse(
        results=[
            _result(bank_id, scored, enrichment, wants_sources=wants_sources)
            for scored in outcome.selection.kept
        ],
        trace=build_trace(outcome) if outcome.plan.query.trace else None,
        entities={state.name: _entity(state) for state in enrichment.entities or ()} or None,
        chunks={
            chunk.chunk_id: ChunkData(
                id=chunk.chunk_id,
                text=chunk.text,
                chunk_index=chunk.index,
                truncated=chunk.truncated,
                attachments=attachments(bank_id, chunk.attachments),
            )
            for chunk in enrichment.chunks or ()
        }
        or None,
        source_facts={fact.id: _fact(fact, in_results=False) for fact in enrichment.source_facts or ()}
        or None,
        source_facts_truncated=enrichment.source_facts_truncated,
    )


def _result(
    bank_id: str, scored: ScoredCandidate, enrichment: Enrichment, *, wants_sources: bool
) -> RecallResult:
    memory = scored.memory
    result = _fact(memory, in_results=True)
    result.entities = list(enrichment.entity_names.get(memory.id, ())) or None
    result.attachments = attachments(bank_id, enrichment.attachments.get(memory.id, ()))
    if wants_sources and memory.fact_type is FactType.OBSERVATION:
        result.source_fact_ids = list(memory.source_ids)
    found = scored.candidate.fused.scores
    result.scores = RecallScores(
        final=scored.final,
        reranker=scored.reranker,
        semantic=found.get(RetrieverName.SEMANTIC),
        keyword=found.get(RetrieverName.KEYWORD),
    )
    return result


def _fact(memory: Memory, *, in_results: bool) -> RecallResult:
    return RecallResult(
        id=memory.id,
        text=memory.text,
        type=str(memory.fact_type),
        context=memory.context,
        occurred_start=iso(memory.occurred_start),
        occurred_end=iso(memory.occurred_end),
        mentioned_at=iso(memory.mentioned_at),
        document_id=memory.document_id,
        metadata={name: str(value) for name, value in memory.metadata.items() if value is not None},
        chunk_id=memory.chunk_id,
        tags=list(memory.tags) if in_results or memory.tags else None,
    )


def attachments(bank_id: str, files: Iterable[Attachment]) -> list[ChunkAttachment] | None:
    """Files with the address of their bytes; ``None`` without any."""
    return [
        ChunkAttachment(
            id=file.id,
            hash=file.hash,
            kind=file.kind,
            media_type=file.media_type,
            byte_size=file.byte_size,
            filename=file.filename,
            url=f"/v1/default/banks/{quote(bank_id, safe='')}/attachments/{file.id}",
        )
        for file in files
    ] or None


def _entity(state: EntityState) -> EntityStateResponse:
    return EntityStateResponse(
        entity_id=state.entity_id,
        canonical_name=state.name,
        observations=[
            EntityObservationResponse(text=text, mentioned_at=iso(mentioned_at))
            for text, mentioned_at in state.observations
        ],
    )


def iso(moment: datetime | None) -> str | None:
    """ISO 8601 with ``+00:00``; microseconds only when there are any. ``moment`` is in UTC."""
    return None if moment is None else moment.isoformat()
