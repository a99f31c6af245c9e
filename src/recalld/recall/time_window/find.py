"""Placeholder until the grammar lands."""

from __future__ import annotations

from datetime import datetime

from recalld.domain.time import TimeWindow


def find_window(text: str, anchor: datetime, *, date_order: str = "MDY", southern: bool = False) -> TimeWindow | None:
    """None."""
    return None
