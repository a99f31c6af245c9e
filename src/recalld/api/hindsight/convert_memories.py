"""Memories of the catalogue between the domain and the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recalld.api.hindsight.convert import iso
from recalld.api.hindsight.convert_lists import STATES, moment, one_of
from recalld.api.hindsight.schemas.memories import MemoryUnitListItem, UpdateMemoryRequest
from recalld.domain.errors import InvalidRequest, Unprocessable
from recalld.domain.memory import FactType
from recalld.domain.names import clean_names
from recalld.domain.records import MemoryDetail, MemoryEdit, MemoryRecord
from recalld.domain.text import has_word, scrub

MAX_TEXT = 20_000
MAX_NAMES = 200
_DATES = ("occurred_start", "occurred_end", "mentioned_at")
_TYPES = (str(FactType.WORLD), str(FactType.EXPERIENCE))


def memory_item(detail: MemoryDetail) -> MemoryUnitListItem:
    """A row of the memory list."""
    record = detail.record
    return MemoryUnitListItem(
        **_shared(record), fact_type=record.fact_type, entities=", ".join(detail.entities)
    )


def memory_detail(detail: MemoryDetail) -> dict[str, Any]:
    """One memory with all that is known about it."""
    record = detail.record
    shown = {
        **_shared(record),
        "type": record.fact_type,
        "entities": list(detail.entities),
        "observation_scopes": record.observation_scopes,
    }
    if not record.is_observation:
        return shown
    return {**shown, "history": [], "source_memories": [_source(source) for source in detail.sources]}


def memory_edit(request: UpdateMemoryRequest) -> MemoryEdit:
    """What the request changes, or the reason it cannot be."""
    given = request.model_fields_set
    columns: dict[str, Any] = {}
    if request.text is not None:
        columns["text"] = _text(request.text)
    if request.context is not None:
        columns["context"] = scrub(request.context)
    columns |= {name: _date(name, getattr(request, name)) for name in _DATES if name in given}
    if request.fact_type is not None:
        columns["fact_type"] = _fact_type(request.fact_type)
    edit = MemoryEdit(
        columns=columns,
        entities=_names(request.entities) if request.entities is not None else None,
        valid=None if request.state is None else one_of("state", request.state, STATES) == STATES[0],
        reason=scrub(request.reason) if request.reason is not None else None,
    )
    if not edit.changes and edit.valid is None:
        raise Unprocessable("Name at least one field to change")
    return edit


def _shared(record: MemoryRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "text": record.text,
        "context": record.context or "",
        "date": iso(record.event_date) or "",
        "document_id": record.document_id,
        "mentioned_at": iso(record.mentioned_at),
        "occurred_start": iso(record.occurred_start),
        "occurred_end": iso(record.occurred_end),
        "chunk_id": record.chunk_id,
        "proof_count": record.proof_count,
        "tags": record.tags,
        "metadata": record.metadata,
        "consolidated_at": iso(record.consolidated_at),
        "consolidation_failed_at": iso(record.consolidation_failed_at),
        "state": STATES[0] if record.is_valid else STATES[1],
        "invalidation_reason": record.reason,
        "invalidated_at": iso(record.invalidated_at),
        "edited_at": iso(record.edited_at),
        "updated_at": iso(record.updated_at),
        "source_memory_ids": record.source_ids,
    }


def _source(source: MemoryRecord) -> dict[str, Any]:
    return {
        "id": source.id,
        "text": source.text,
        "type": source.fact_type,
        "context": source.context or "",
        "occurred_start": iso(source.occurred_start),
        "mentioned_at": iso(source.mentioned_at),
    }


def _text(text: str) -> str:
    clean = scrub(text)
    if not has_word(clean):
        raise Unprocessable("text must contain at least one word character")
    if len(clean) > MAX_TEXT:
        raise Unprocessable(f"text may have {MAX_TEXT} characters at most")
    return clean


def _date(name: str, value: str | None) -> datetime | None:
    if not value:
        return None
    date = moment(name, value)
    if not 1 < date.year < 9999:  # noqa: PLR2004 - the edges of the calendar
        raise InvalidRequest(f"{name} must lie within the years 2 to 9998")
    return date


def _fact_type(name: str) -> str:
    if name not in _TYPES:
        raise Unprocessable(f"fact_type must be one of: {', '.join(_TYPES)}")
    return name


def _names(names: list[str]) -> tuple[str, ...]:
    clean = clean_names(names)
    if len(clean) > MAX_NAMES:
        raise Unprocessable(f"a memory may mention {MAX_NAMES} entities at most")
    return clean
