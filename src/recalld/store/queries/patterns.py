"""Patterns for ILIKE from what a caller typed."""

from __future__ import annotations

from recalld.domain.text import scrub


def containing(search: str | None) -> str | None:
    """Matches whatever holds the text, taken literally; ``None`` for no text."""
    return f"%{_literal(search)}%" if search else None


def wildcard(pattern: str | None) -> str | None:
    """Matches the text, where each ``*`` stands for anything; ``None`` for no text."""
    return _literal(pattern).replace("*", "%") if pattern else None


def _literal(text: str) -> str:
    return scrub(text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
