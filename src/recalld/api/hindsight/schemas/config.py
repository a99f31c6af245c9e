"""Settings of a bank."""

from __future__ import annotations

from typing import Any

from recalld.api.hindsight.schemas.base import WireModel


class BankConfigUpdate(WireModel):
    """Settings to override, by name."""

    updates: dict[str, Any]


class BankConfigResponse(WireModel):
    """The value of every setting, and those the bank overrides."""

    bank_id: str
    config: dict[str, Any]
    overrides: dict[str, Any]
