"""Documents, entities, counts, settings and aliases as the wire shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from recalld.api.hindsight.convert import attachments, iso
from recalld.api.hindsight.schemas.aliases import BankAliasEntry, BankAliasesResponse
from recalld.api.hindsight.schemas.documents import ChunkResponse, DocumentListItem, DocumentResponse
from recalld.api.hindsight.schemas.entities import EntityDetailResponse, EntityListItem
from recalld.api.hindsight.schemas.recall import EntityObservationResponse
from recalld.api.hindsight.schemas.stats import BankStatsResponse
from recalld.domain.banks import Bank
from recalld.domain.memory import FactType, Memory
from recalld.domain.operations import OperationStatus
from recalld.domain.records import Alias, BankStats, ChunkRecord, DocumentRecord, EntityRecord, WithFiles


def document_item(bank_id: str, document: DocumentRecord) -> DocumentListItem:
    """A row of the document list."""
    return DocumentListItem(
        id=document.id,
        bank_id=bank_id,
        content_hash=document.content_hash,
        created_at=document.created_at.isoformat(),
        updated_at=document.updated_at.isoformat(),
        text_length=document.text_length,
        memory_unit_count=sum(document.facts.values()),
        retain_params=document.retain_params,
        document_metadata=document.metadata,
        tags=document.tags,
        matched_fields=document.matched,
    )


def document_response(shown: WithFiles[DocumentRecord]) -> DocumentResponse:
    """A document with its text."""
    document = shown.record
    return DocumentResponse(
        id=document.id,
        bank_id=shown.bank_id,
        original_text=document.text,
        content_hash=document.content_hash,
        created_at=document.created_at.isoformat(),
        updated_at=document.updated_at.isoformat(),
        memory_unit_count=sum(document.facts.values()),
        nodes_by_fact_type=_by_type(document.facts),
        tags=document.tags,
        document_metadata=document.metadata,
        retain_params=document.retain_params,
        observation_scopes=document.retain_params.get("observation_scopes"),
        attachments=attachments(shown.bank_id, shown.attachments),
    )


def chunk_response(shown: WithFiles[ChunkRecord]) -> ChunkResponse:
    """A chunk of a document."""
    chunk = shown.record
    return ChunkResponse(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        bank_id=shown.bank_id,
        chunk_index=chunk.chunk_index,
        chunk_text=chunk.text,
        created_at=chunk.created_at.isoformat(),
        attachments=attachments(shown.bank_id, shown.attachments),
    )


def entity_item(entity: EntityRecord) -> EntityListItem:
    """A row of the entity list."""
    return EntityListItem(
        id=entity.id,
        canonical_name=entity.name,
        mention_count=entity.mentions,
        first_seen=iso(entity.first_seen),
        last_seen=iso(entity.last_seen),
        metadata=entity.metadata,
    )


def entity_detail(entity: EntityRecord, observations: Iterable[Memory]) -> EntityDetailResponse:
    """An entity with the observations about it."""
    return EntityDetailResponse(
        **entity_item(entity).model_dump(),
        observations=[
            EntityObservationResponse(text=seen.text, mentioned_at=iso(seen.mentioned_at))
            for seen in observations
        ],
    )


def stats_response(stats: BankStats) -> BankStatsResponse:
    """Counts by kind."""
    kinds: Counter[str] = Counter()
    for counts in stats.links.values():
        kinds.update(counts)
    return BankStatsResponse(
        bank_id=stats.bank_id,
        total_nodes=sum(stats.facts.values()),
        total_links=sum(kinds.values()),
        total_documents=stats.documents,
        nodes_by_fact_type=stats.facts,
        links_by_link_type=dict(sorted(kinds.items())),
        links_by_fact_type={fact_type: sum(counts.values()) for fact_type, counts in stats.links.items()},
        links_breakdown=stats.links,
        pending_operations=stats.operations.get(OperationStatus.PENDING, 0),
        failed_operations=stats.operations.get(OperationStatus.FAILED, 0),
        operations_by_status=stats.operations,
        last_consolidated_at=iso(stats.last_consolidated_at),
        last_memory_write_at=iso(stats.last_write_at),
        pending_consolidation=stats.pending_consolidation,
        failed_consolidation=stats.failed_consolidation,
        total_observations=stats.facts.get(FactType.OBSERVATION, 0),
    )


def aliases_response(bank: Bank, aliases: Sequence[Alias]) -> BankAliasesResponse:
    """All aliases of a bank."""
    entries = [BankAliasEntry(alias=alias.name, primary=alias.primary) for alias in aliases]
    return BankAliasesResponse(bank_id=bank.bank_id, aliases=entries)


def _by_type(facts: dict[str, int]) -> dict[str, int]:
    return {str(fact_type): facts.get(fact_type, 0) for fact_type in FactType}
