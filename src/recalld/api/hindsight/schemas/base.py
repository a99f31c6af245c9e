"""What all wire models share."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class WireModel(BaseModel):
    """A JSON object of the API. Unknown request fields are accepted and reported elsewhere (D7)."""

    model_config = ConfigDict(populate_by_name=True)


def _is_none(value: Any) -> bool:
    return value is None


OMIT_EMPTY = Field(default=None, exclude_if=_is_none)
"""For the few response fields that strict clients only accept when they are filled (D1)."""
