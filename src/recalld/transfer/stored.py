"""From what a bank holds to what an archive says. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from recalld.domain.records import MemoryRecord
from recalld.store.queries.transfer import StoredFact, StoredWhole
from recalld.transfer.contents import (
    CausalEdge,
    CausalRelation,
    Chunk,
    Document,
    Fact,
    InvalidatedFact,
    Kind,
    Observation,
    Relation,
    Source,
)
from recalld.transfer.draft import Whole

_LIFE = ("created_at", "edited_at", "consolidated_at", "consolidation_failed_at")


def as_whole(stored: StoredWhole) -> Whole:
    """A stored document as an archive has it. ``source_id`` of its facts is their id."""
    places = {fact.record.id: place for place, fact in enumerate(stored.facts)}
    relations: list[list[CausalRelation]] = [[] for _ in stored.facts]
    for start, end, kind in stored.causal:
        if end in places:
            relations[places[start]].append(
                CausalRelation.model_construct(
                    relation_type=cast("Relation", kind), target_fact_index=places[end]
                )
            )
    document = Document.model_construct(
        id=stored.id,
        original_text=stored.text,
        retain_params=stored.retain_params,
        metadata=stored.metadata,
        label=stored.label,
        source_metadata=stored.source_metadata,
        tags=list(stored.tags),
        created_at=stored.created_at,
        chunks=[Chunk.model_construct(chunk_index=i, chunk_text=text) for i, text in stored.chunks],
        facts=[_fact(fact, links) for fact, links in zip(stored.facts, relations, strict=True)],
    )
    return Whole(document, tuple(_set_aside(fact) for fact in stored.set_aside))


def document_member(document: Document, *, with_life: bool) -> dict[str, Any]:
    """A document as a member. ``with_life`` says when its facts were made and consolidated."""
    member = document.model_dump()
    if not with_life:
        for fact in member["facts"]:
            fact.update(dict.fromkeys(_LIFE))
    return member


def observation(record: MemoryRecord, places: Mapping[str, tuple[str, int]]) -> Observation | None:
    """A stored observation; ``None`` when a fact it rests on is not in the archive."""
    if not record.source_ids or any(id_ not in places for id_ in record.source_ids):
        return None
    return Observation.model_construct(
        source_id=record.id,
        text=record.text,
        created_at=record.created_at,
        tags=record.tags,
        event_date=record.event_date,
        occurred_start=record.occurred_start,
        occurred_end=record.occurred_end,
        mentioned_at=record.mentioned_at,
        observation_scopes=record.observation_scopes,
        proof_count=record.proof_count,
        sources=[
            Source.model_construct(document_id=document_id, fact_index=index)
            for document_id, index in sorted(places[id_] for id_ in record.source_ids)
        ],
    )


def _fact(stored: StoredFact, relations: Sequence[CausalRelation]) -> Fact:
    record = stored.record
    return Fact.model_construct(
        text=record.text,
        source_id=record.id,
        fact_type=cast("Kind", record.fact_type),
        context=record.context,
        event_date=record.event_date,
        occurred_start=record.occurred_start,
        occurred_end=record.occurred_end,
        mentioned_at=record.mentioned_at,
        metadata=record.metadata,
        tags=record.tags,
        observation_scopes=record.observation_scopes,
        chunk_index=stored.chunk_index,
        entities=list(stored.names),
        causal_relations=list(relations),
        created_at=record.created_at,
        edited_at=record.edited_at,
        consolidated_at=record.consolidated_at,
        consolidation_failed_at=record.consolidation_failed_at,
    )


def _set_aside(stored: StoredFact) -> InvalidatedFact:
    record = stored.record
    return InvalidatedFact.model_construct(
        id=record.id,
        document_id=record.document_id,
        chunk_index=stored.chunk_index,
        text=record.text,
        fact_type=cast("Kind", record.fact_type),
        context=record.context,
        occurred_start=record.occurred_start,
        occurred_end=record.occurred_end,
        mentioned_at=record.mentioned_at,
        metadata=record.metadata,
        tags=record.tags,
        observation_scopes=record.observation_scopes,
        entities=sorted(stored.names),
        causal_links=[_edge(record.id, link) for link in stored.links],
        created_at=record.created_at,
        edited_at=record.edited_at,
        invalidation_reason=record.reason,
        invalidated_at=record.invalidated_at,
    )


def _edge(id_: str, link: dict[str, Any]) -> CausalEdge:
    ends = (id_, link["other"]) if link["outward"] else (link["other"], id_)
    return CausalEdge.model_construct(
        from_unit=ends[0], to_unit=ends[1], link_type=link["kind"], weight=link["weight"]
    )
