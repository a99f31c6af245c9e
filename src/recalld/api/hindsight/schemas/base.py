"""What all wire models share."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field


class WireModel(BaseModel):
    """A JSON object of the API. Unknown request fields are accepted and reported elsewhere (D7)."""

    model_config = ConfigDict(populate_by_name=True)


FIRST_FAULT = FailFast()
"""For lists: one reason for all their items, as writing down a million takes longer than the request may."""


def _is_none(value: Any) -> bool:
    return value is None


def _is_empty(value: Any) -> bool:
    return not value


OMIT_EMPTY = Field(default=None, exclude_if=_is_none)
"""For the few response fields that strict clients only accept when they are filled (D1)."""

OMIT_EMPTY_LIST: Any = Field(default_factory=list, exclude_if=_is_empty)
"""The same for a list that is published without null."""


OMIT_FALSE: Any = Field(default=False, exclude_if=_is_empty)
"""The same for a flag."""


class PageParams(WireModel):
    """Which page of a list is wanted."""

    limit: int = Field(100, ge=0)
    offset: int = Field(0, ge=0)


def _object_for_null(value: Any) -> Any:
    return {} if value is None else value


NULL_IS_ABSENT = BeforeValidator(_object_for_null)
"""For an optional object that is published without null, which Python clients send all the same."""
