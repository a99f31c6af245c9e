"""Operations between the wire and the domain."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from recalld.api.hindsight.convert import iso
from recalld.api.hindsight.schemas.operations import (
    ChildOperationStatus,
    OperationProgress,
    OperationResponse,
    OperationStatusResponse,
)
from recalld.catalog.lookup import as_uuid
from recalld.domain.operations import Operation, OperationStatus


def operation_uuid(text: str) -> UUID:
    """The id of an operation in a path; anything but a UUID is a 400."""
    return UUID(as_uuid("operation_id", text))


def operation_row(operation: Operation) -> OperationResponse:
    """An operation in a list."""
    return OperationResponse(
        id=str(operation.id),
        task_type=operation.type,
        items_count=operation.items_count,
        document_id=operation.document_id,
        created_at=operation.created_at.isoformat(),
        updated_at=iso(operation.updated_at),
        status=operation.status,
        error_message=operation.error_message,
        retry_count=operation.failures,
        next_retry_at=_next_retry(operation),
        progress=_progress(operation),
    )


def operation_status(
    operation: Operation, parts: Sequence[Operation], *, with_payload: bool
) -> OperationStatusResponse:
    """An operation by itself."""
    return OperationStatusResponse(
        operation_id=str(operation.id),
        status=operation.status.value,
        operation_type=operation.type,
        created_at=iso(operation.created_at),
        updated_at=iso(operation.updated_at),
        completed_at=iso(operation.completed_at),
        error_message=operation.error_message,
        retry_count=operation.failures,
        next_retry_at=_next_retry(operation),
        progress=_progress(operation),
        result_metadata=operation.result or None,
        child_operations=[_child(part) for part in parts] or None,
        task_payload=operation.payload if with_payload else None,
    )


def _child(part: Operation) -> ChildOperationStatus:
    return ChildOperationStatus(
        operation_id=str(part.id),
        status=part.status,
        sub_batch_index=part.payload.get("index"),
        items_count=part.items_count,
        error_message=part.error_message,
    )


def _progress(operation: Operation) -> OperationProgress:
    return OperationProgress(
        stage=operation.status,
        at=operation.updated_at.isoformat(),
        processed=operation.documents_done,
        total=operation.items_count,
    )


def _next_retry(operation: Operation) -> str | None:
    waiting = operation.status is OperationStatus.PENDING and operation.failures > 0
    return iso(operation.due_at) if waiting else None
