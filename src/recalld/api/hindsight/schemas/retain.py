"""Retain: request and response."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator
from typing_extensions import TypeAliasType

from recalld.api.hindsight.schemas.base import FIRST_FAULT, WireModel
from recalld.api.hindsight.schemas.recall import Tag


def _tag_list(value: Any) -> Any:
    """Bridges send lists as JSON text; a plain string is one tag."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except ValueError:
        return [value]
    return parsed if isinstance(parsed, list) else [value]


def _without_nulls(value: Any) -> Any:
    return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value


TagList = Annotated[list[Tag] | None, FIRST_FAULT, BeforeValidator(_tag_list)]


class EntityInput(WireModel):
    """A name the caller knows to be in the content."""

    text: str
    type: str | None = None


class Base64AttachmentSource(WireModel):
    """Bytes in the request."""

    type: Literal["base64"] = "base64"
    media_type: str
    data: str


class TextContentBlock(WireModel):
    """Text."""

    type: Literal["text"]
    text: str


class ImageContentBlock(WireModel):
    """An image."""

    type: Literal["image"]
    source: Base64AttachmentSource


class FileContentBlock(WireModel):
    """A file."""

    type: Literal["file"]
    source: Base64AttachmentSource
    filename: str | None = None


ContentBlock = Annotated[TextContentBlock | ImageContentBlock | FileContentBlock, Field(discriminator="type")]
Content = TypeAliasType("Content", str | list[ContentBlock])


class MemoryItem(WireModel):
    """One text to remember."""

    content: Content
    timestamp: datetime | str | None = Field(None, union_mode="left_to_right")
    context: str | None = None
    metadata: Annotated[dict[str, str] | None, BeforeValidator(_without_nulls)] = None
    document_id: str | None = None
    entities: Annotated[list[EntityInput] | None, FIRST_FAULT] = None
    resolve_entities: bool = True
    tags: TagList = None
    observation_scopes: (
        Literal["per_tag", "combined", "all_combinations", "shared"] | list[list[str]] | None
    ) = None
    strategy: str | None = None
    update_mode: Literal["replace", "append"] | None = None

    @field_validator("content")
    @classmethod
    def _not_blank(cls, content: Content) -> Content:
        blank = not content.strip() if isinstance(content, str) else not content
        if blank:
            raise ValueError("content must not be blank")
        return content

    @field_validator("timestamp")
    @classmethod
    def _readable(cls, value: datetime | str | None) -> datetime | str | None:
        if isinstance(value, datetime):
            if not 1 < value.year < 9999:  # noqa: PLR2004 - the edges of the calendar
                raise ValueError("timestamp must lie within the years 2 to 9998")
        elif value not in {None, "", "unset"}:
            raise ValueError("timestamp must be an ISO date-time, 'unset' or null")
        return value


class RetainRequest(WireModel):
    """Texts to remember."""

    items: Annotated[list[MemoryItem], FIRST_FAULT]
    async_: bool = Field(default=False, alias="async")
    document_tags: TagList = Field(None, json_schema_extra={"deprecated": True})
    operation_id: str | None = None


class TokenUsage(WireModel):
    """Model tokens spent; zeros without an LLM."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0
    thoughts_tokens: int = 0


class RetainResponse(WireModel):
    """What was accepted."""

    success: bool
    bank_id: str
    items_count: int
    async_: bool = Field(alias="async")
    operation_id: str | None = None
    operation_ids: list[str] | None = None
    usage: TokenUsage | None = None
