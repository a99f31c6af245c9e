"""Data points between the wire and the domain. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from recalld.api.past.schemas import IngestBatchItem, Ingestion, IngestionFailure, IngestItem, ReceiptStatus
from recalld.domain.documents import SourceNote
from recalld.domain.operations import OPEN, Operation, OperationStatus
from recalld.domain.visibility import visibility_tags
from recalld.retain.types import RetainItem, UpdateMode

_INGESTIONS = UUID("6f1d0c1e-3f0a-4d5e-9b8f-1f5a2b7c9d10")
FAILED = "ingestion-failed"


@dataclass(frozen=True, slots=True)
class DataPoint:
    """A data point ready to be stored. Two of one ``fingerprint`` are the same."""

    source_id: str
    fingerprint: str
    item: RetainItem

    def of(self, ingestion: UUID) -> RetainItem:
        """The item as an ingestion writes it."""
        return replace(self.item, source=replace(self.item.source, ingestion=ingestion))


def data_point(item: IngestItem, now: datetime) -> DataPoint:
    """What is stored for a data point. Without an id it has one that says the same of the same content."""
    told = _told(item)
    source_id = item.id or f"src_{_hash(told)[:32]}"
    note = SourceNote(
        label=item.label,
        metadata=None if item.metadata is None else json.dumps(item.metadata, ensure_ascii=False),
        fingerprint=_hash([*told, item.label, item.metadata, source_id]),
    )
    retained = RetainItem(
        content=item.content,
        document_id=source_id,
        timestamp=item.timestamp or now,
        metadata=_as_texts(item.metadata),
        tags=visibility_tags(item.identity, item.audience),
        # Whatever the bank's usual scopes: nobody is to read in an observation what others said.
        observation_scopes="combined",
        update_mode=UpdateMode.ANEW,
        source=note,
    )
    return DataPoint(source_id, str(note.fingerprint), retained)


def ingestion_id(bank_key: int, *parts: str) -> UUID:
    """The id of an ingestion that is the same for the same bank and parts."""
    return uuid5(_INGESTIONS, json.dumps([bank_key, *parts]))


def fingerprint_of(points: Sequence[DataPoint]) -> str:
    """Equal for equal requests."""
    return _hash([point.fingerprint for point in points])


def receipt_items(
    points: Sequence[DataPoint], unchanged: Collection[str], status: ReceiptStatus
) -> list[IngestBatchItem]:
    """What became of each data point of a batch."""
    return [
        IngestBatchItem(
            ordinal=ordinal,
            source_id=point.source_id,
            status="completed" if point.source_id in unchanged else status,
            unchanged=point.source_id in unchanged,
        )
        for ordinal, point in enumerate(points)
    ]


def receipt_status(operation: Operation | None) -> ReceiptStatus:
    """Whether an ingestion is done."""
    done = operation is not None and operation.status is OperationStatus.COMPLETED
    return "completed" if done else "queued"


def ingestion(project_id: str, operation: Operation, parts: Sequence[Operation]) -> Ingestion:
    """How far an ingestion is."""
    waits = operation.status in OPEN
    failed = not waits and operation.status is not OperationStatus.COMPLETED
    message = operation.error_message or next((one.error_message for one in parts if one.error_message), None)
    blocked = waits and message is not None
    names = {OperationStatus.PENDING: "queued", OperationStatus.PROCESSING: "processing"}
    told: dict[str, Any] = {
        "project_id": project_id,
        "ingestion_id": operation.id,
        "status": names.get(operation.status, "failed" if failed else "completed"),
        "settled": not waits,
        "blocked": blocked,
        "readiness": "pending" if waits else "failed" if failed else "ready",
    }
    if failed or blocked:
        told["failure"] = IngestionFailure(
            code=FAILED, message=message or f"The ingestion was {operation.status}."
        )
    return Ingestion.model_validate(told)


def _told(item: IngestItem) -> list[Any]:
    moment = None if item.timestamp is None else item.timestamp.isoformat()
    return [item.content, item.identity, item.audience, moment]


def _as_texts(metadata: Any) -> tuple[tuple[str, str], ...]:
    """Metadata as the other front door has it: texts by name."""
    if not isinstance(metadata, dict):
        return ()
    return tuple(
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in metadata.items()
        if value is not None
    )


def _hash(told: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
