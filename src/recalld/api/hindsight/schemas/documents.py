"""Documents and their chunks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from recalld.api.hindsight.schemas.base import FIRST_FAULT, OMIT_EMPTY, OMIT_FALSE, PageParams, WireModel
from recalld.api.hindsight.schemas.recall import ChunkAttachment, Tag, TagMatchName


class ListDocumentsParams(PageParams):
    """What the list is narrowed by."""

    q: str | None = None
    tags: list[Tag] | None = None
    tags_match: TagMatchName = "any_strict"
    time_field: Literal["created_at", "updated_at"] | None = None
    start_date: str | None = None
    end_date: str | None = None


class ListChunksParams(WireModel):
    """Which page of chunks."""

    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0)


class DocumentListItem(WireModel):
    """A row of the document list."""

    id: str
    bank_id: str = ""
    content_hash: str | None = None
    created_at: str = ""
    updated_at: str = ""
    text_length: int = 0
    memory_unit_count: int = 0
    retain_params: dict[str, Any] | None = None
    document_metadata: dict[str, Any] | None = None
    tags: list[str] = Field([])
    matched_fields: list[Literal["id", "original_text"]] = Field([])


class ListDocumentsResponse(WireModel):
    """A page of documents."""

    items: list[DocumentListItem]
    total: int
    limit: int
    offset: int
    total_is_estimate: bool = OMIT_FALSE


class DocumentResponse(WireModel):
    """A document with its text."""

    id: str
    bank_id: str
    original_text: str | None
    content_hash: str | None
    created_at: str
    updated_at: str
    memory_unit_count: int
    nodes_by_fact_type: dict[str, int] | None = None
    tags: list[str] = Field([])
    document_metadata: dict[str, Any] | None = None
    retain_params: dict[str, Any] | None = None
    observation_scopes: str | list[list[str]] | None = None
    attachments: list[ChunkAttachment] | None = OMIT_EMPTY


class ChunkResponse(WireModel):
    """A chunk of a document."""

    chunk_id: str
    document_id: str
    bank_id: str
    chunk_index: int
    chunk_text: str
    created_at: str
    attachments: list[ChunkAttachment] | None = OMIT_EMPTY


class ListChunksResponse(WireModel):
    """A page of chunks."""

    items: list[ChunkResponse]
    total: int
    limit: int
    offset: int


class UpdateDocumentRequest(WireModel):
    """What to file a document under; null leaves a value as it is."""

    tags: Annotated[list[Tag] | None, FIRST_FAULT] = None
    observation_scopes: (
        Literal["per_tag", "combined", "all_combinations", "shared"] | list[list[Tag]] | None
    ) = None


class UpdateDocumentResponse(WireModel):
    """It was done."""

    success: bool = True


class DeleteDocumentResponse(WireModel):
    """What was deleted."""

    success: bool
    message: str
    document_id: str
    memory_units_deleted: int
