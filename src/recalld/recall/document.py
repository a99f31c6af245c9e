"""What a model that reads texts is shown of a fact."""

from __future__ import annotations

from recalld.domain.memory import Memory


def document_text(memory: Memory, *, context: bool = True) -> str:
    """Its date, its context unless that is said elsewhere, its text."""
    text = f"{memory.context}: {memory.text}" if context and memory.context else memory.text
    if memory.occurred_start is None:
        return text
    start = memory.occurred_start
    return f"[Date: {start:%B %d, %Y} ({start:%Y-%m-%d})] {text}"
