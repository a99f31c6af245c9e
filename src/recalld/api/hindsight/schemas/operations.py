"""Operations: responses."""

from __future__ import annotations

from typing import Any, Literal

from recalld.api.hindsight.schemas.base import OMIT_EMPTY, WireModel


class OperationProgress(WireModel):
    """How far an operation is."""

    stage: str
    at: str
    processed: int | None = None
    total: int | None = None
    detail: dict[str, int] | None = None


class RefreshMentalModelOperationDetails(WireModel):
    """How a refresh of a mental model ended; this server makes none."""

    operation_type: Literal["refresh_mental_model"] = "refresh_mental_model"
    outcome: Literal[
        "content_written",
        "content_unchanged",
        "content_preserved_no_new_facts",
        "refresh_failed_empty_candidate",
        "refresh_failed_delta_not_applied",
        "refresh_failed_structured_output",
        "refresh_failed_error",
    ]
    failure_reason: (
        Literal[
            "empty_candidate",
            "structured_doc_unreadable",
            "delta_ops_failed",
            "delta_ops_all_skipped",
            "delta_not_applied",
            "structured_output_failed",
            "retrieval_failed",
            "no_answer",
            "unexpected_error",
        ]
        | None
    ) = None


class OperationResponse(WireModel):
    """One row of the list."""

    id: str
    task_type: str
    operation_id: str | None = OMIT_EMPTY
    operation_type: str | None = OMIT_EMPTY
    items_count: int
    document_id: str | None = None
    filename: str | None = None
    mental_model_id: str | None = None
    details: RefreshMentalModelOperationDetails | None = None
    created_at: str
    updated_at: str | None = None
    status: str
    error_message: str | None
    retry_count: int | None = None
    next_retry_at: str | None = None
    progress: OperationProgress | None = None


class OperationsListResponse(WireModel):
    """A page of operations."""

    bank_id: str
    total: int
    limit: int
    offset: int
    operations: list[OperationResponse]


class ChildOperationStatus(WireModel):
    """One part of an operation."""

    operation_id: str
    status: str
    sub_batch_index: int | None = None
    items_count: int | None = None
    error_message: str | None = None


class OperationStatusResponse(WireModel):
    """One operation."""

    operation_id: str
    status: Literal["pending", "processing", "completed", "failed", "cancelled", "not_found"]
    operation_type: str | None = None
    id: str | None = OMIT_EMPTY
    task_type: str | None = OMIT_EMPTY
    mental_model_id: str | None = OMIT_EMPTY
    created_at: str | None = None
    updated_at: str | None = None
    completed_at: str | None = None
    error_message: str | None = None
    retry_count: int | None = None
    next_retry_at: str | None = None
    progress: OperationProgress | None = None
    result_metadata: dict[str, Any] | None = None
    details: RefreshMentalModelOperationDetails | None = None
    child_operations: list[ChildOperationStatus] | None = None
    task_payload: dict[str, Any] | None = None


class CancelOperationResponse(WireModel):
    """An operation was cancelled."""

    success: bool
    message: str
    operation_id: str


class RetryOperationResponse(WireModel):
    """An operation is queued again."""

    success: bool
    message: str
    operation_id: str


class DeleteOperationResponse(WireModel):
    """An operation is forgotten."""

    success: bool
    message: str
    operation_id: str
