"""Retain and banks between the wire and the domain."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from recalld.api.hindsight.convert import iso
from recalld.api.hindsight.schemas.banks import (
    BankListItem,
    BankProfileResponse,
    CreateBankRequest,
    DispositionTraits,
)
from recalld.api.hindsight.schemas.retain import (
    FileContentBlock,
    ImageContentBlock,
    MemoryItem,
    RetainRequest,
    TextContentBlock,
    TokenUsage,
)
from recalld.domain.attachments import MAX_BYTES, MAX_PER_ITEM, AttachmentDraft, placeholder
from recalld.domain.bank_settings import checked
from recalld.domain.banks import Bank, BankSummary, Disposition
from recalld.domain.errors import InvalidRequest, Unprocessable
from recalld.domain.names import clean_names
from recalld.domain.text import has_forbidden, scrub, scrub_all
from recalld.domain.time import as_utc
from recalld.encoders.protocols import ChatUsage
from recalld.retain.banks import BankChange
from recalld.retain.types import RetainItem, UpdateMode

UNDATED = "unset"
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+", re.IGNORECASE)
_COLUMNS = frozenset({"name", "mission", "background", "reflect_mission", "disposition"})
_TRAITS = ("skepticism", "literalism", "empathy")


def retain_items(request: RetainRequest, now: datetime | None = None) -> list[RetainItem]:
    """The texts to store, each with a document id, or the reason they cannot be."""
    received = now or datetime.now(UTC)
    return [_item(item, request.document_tags or [], received) for item in request.items]


def token_usage(used: ChatUsage) -> TokenUsage:
    """What a language model read and wrote, on the wire."""
    return TokenUsage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
        cached_tokens=used.cached_tokens,
        thoughts_tokens=used.thoughts_tokens,
    )


def operation_uuid(text: str | None) -> UUID | None:
    """The id a caller chose for an operation; anything but a UUID is a 422."""
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise Unprocessable("operation_id must be a UUID") from error


def _item(item: MemoryItem, document_tags: list[str], now: datetime) -> RetainItem:
    if item.update_mode == "append" and not item.document_id:
        raise InvalidRequest("update_mode 'append' needs a document_id")
    text, files = _content(item)
    return RetainItem(
        content=scrub(text),
        document_id=_document_id(item.document_id),
        timestamp=_timestamp(item.timestamp, now),
        context=scrub(item.context) if item.context else None,
        metadata=tuple((scrub(key), scrub(value)) for key, value in (item.metadata or {}).items()),
        entities=clean_names(entity.text for entity in item.entities or []),
        tags=tuple(dict.fromkeys([*(item.tags or []), *document_tags])),
        observation_scopes=scrub_all(item.observation_scopes),
        update_mode=UpdateMode(item.update_mode or "replace"),
        strategy=item.strategy,
        resolve_entities=item.resolve_entities,
        retain_params=tuple(_retain_params(item).items()),
        attachments=files,
    )


def _content(item: MemoryItem) -> tuple[str, tuple[AttachmentDraft, ...]]:
    """The text, with a placeholder where an image or a file stood, and those files."""
    if isinstance(item.content, str):
        return item.content, ()
    lines: list[str] = []
    files: list[AttachmentDraft] = []
    for block in item.content:
        if isinstance(block, TextContentBlock):
            lines.append(block.text)
        else:
            files.append(_attachment(block))
            lines.append(placeholder(files[-1].attachment))
    if len(files) > MAX_PER_ITEM:
        raise Unprocessable(f"an item may hold {MAX_PER_ITEM} images and files at most")
    text = "\n".join(lines)
    if not text.strip():
        raise Unprocessable("content must not be blank")
    return text, tuple(files)


def _attachment(block: ImageContentBlock | FileContentBlock) -> AttachmentDraft:
    try:
        data = base64.b64decode(block.source.data, validate=True)
    except ValueError as error:
        raise Unprocessable(f"the data of a block of type '{block.type}' is not base64") from error
    if not 0 < len(data) <= MAX_BYTES:
        raise Unprocessable(f"an image or file must have 1 to {MAX_BYTES} bytes")
    if not _MEDIA_TYPE.fullmatch(block.source.media_type):
        raise Unprocessable("media_type must look like 'image/png'")
    name = scrub(block.filename) if isinstance(block, FileContentBlock) and block.filename else None
    return AttachmentDraft(block.type, block.source.media_type, data, name)


def _document_id(given: str | None) -> str:
    if not given:
        return str(uuid4())
    if has_forbidden(given):
        raise Unprocessable("document_id must not contain control characters or surrogates")
    return given


def _timestamp(value: datetime | str | None, now: datetime) -> datetime | None:
    if isinstance(value, datetime):
        return as_utc(value)
    return None if value == UNDATED else now


def _retain_params(item: MemoryItem) -> dict[str, Any]:
    left_out = {"content", "document_id", "tags", "update_mode"}
    dumped: dict[str, Any] = scrub_all(item.model_dump(exclude=left_out, exclude_none=True))
    if isinstance(moment := dumped.get("timestamp"), datetime):
        dumped["timestamp"] = moment.isoformat()
    return dumped


def bank_change(request: CreateBankRequest, current: Disposition = Disposition()) -> BankChange:
    """Columns and overrides the request sets."""
    given: dict[str, Any] = scrub_all(request.model_dump(exclude_none=True))
    columns: dict[str, Any] = {}
    if request.name is not None:
        columns["name"] = scrub(request.name)
    missions = (request.mission, request.background, request.reflect_mission)
    named = [scrub(mission) for mission in missions if mission is not None]
    if named:
        columns["mission"] = next(filter(None, named), "")
    traits = _traits(request, current)
    if traits is not None:
        columns["disposition"] = traits
    overrides = {
        name: value
        for name, value in given.items()
        if name not in _COLUMNS and not name.startswith("disposition")
    }
    return BankChange(columns, checked(overrides))


def _traits(request: CreateBankRequest, current: Disposition) -> dict[str, int] | None:
    traits = {name: getattr(current, name) for name in _TRAITS}
    given = dict(request.disposition) if request.disposition else {}
    single = {name: getattr(request, f"disposition_{name}") for name in _TRAITS}
    given.update({name: value for name, value in single.items() if value is not None})
    return {**traits, **given} if given else None


def bank_profile(bank: Bank) -> BankProfileResponse:
    """A bank on the wire."""
    return BankProfileResponse(
        bank_id=bank.bank_id,
        name=bank.name,
        disposition=_disposition(bank),
        mission=bank.mission,
        background=bank.mission,
    )


def bank_item(summary: BankSummary) -> BankListItem:
    """A row of the bank list on the wire."""
    return BankListItem(
        bank_id=summary.bank.bank_id,
        name=summary.bank.name,
        disposition=_disposition(summary.bank),
        mission=summary.bank.mission,
        created_at=iso(summary.created_at),
        updated_at=iso(summary.updated_at),
        fact_count=summary.fact_count,
        last_document_at=iso(summary.last_document_at),
        last_write_at=iso(summary.last_write_at),
        display_alias=summary.alias,
        matched_aliases=list(summary.matched),
    )


def _disposition(bank: Bank) -> DispositionTraits:
    return DispositionTraits(**{name: getattr(bank.disposition, name) for name in _TRAITS})
