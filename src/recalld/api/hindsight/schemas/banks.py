"""Banks: requests and responses."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from recalld.api.hindsight.schemas.base import OMIT_EMPTY, OMIT_EMPTY_LIST, WireModel

Trait = Annotated[int, Field(ge=1, le=5)]


class DispositionTraits(WireModel):
    """Character of a bank."""

    skepticism: Trait
    literalism: Trait
    empathy: Trait


class CreateBankRequest(WireModel):
    """What to set; null leaves a value as it is."""

    name: str | None = None
    disposition: DispositionTraits | None = None
    disposition_skepticism: Trait | None = None
    disposition_literalism: Trait | None = None
    disposition_empathy: Trait | None = None
    mission: str | None = None
    background: str | None = None
    reflect_mission: str | None = None
    retain_mission: str | None = None
    retain_extraction_mode: str | None = None
    retain_custom_instructions: str | None = None
    retain_chunk_size: int | None = None
    retain_structured_chunk_size: int | None = None
    retain_max_attachments_per_chunk: int | None = None
    enable_observations: bool | None = None
    observations_mission: str | None = None
    enable_text_search: bool | None = None
    enable_temporal_retrieval: bool | None = None
    enable_graph_retrieval: bool | None = None
    enable_reranking: bool | None = None


class BankProfileResponse(WireModel):
    """A bank."""

    bank_id: str
    name: str
    disposition: DispositionTraits
    mission: str
    background: str | None = None


class BankListItem(WireModel):
    """A row of the bank list."""

    bank_id: str
    name: str | None = None
    disposition: DispositionTraits
    mission: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    fact_count: int = 0
    last_document_at: str | None = None
    last_write_at: str | None = None
    display_alias: str | None = OMIT_EMPTY
    matched_aliases: list[str] = OMIT_EMPTY_LIST


class BankListResponse(WireModel):
    """A page of banks."""

    banks: list[BankListItem]
    total: int
    limit: int
    offset: int


class DeleteResponse(WireModel):
    """What was deleted."""

    success: bool
    message: str | None = None
    deleted_count: int | None = None
