"""What the embedder and the keyword index read of a fact."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recalld.domain.attachments import in_words
from recalld.domain.text import index_text


def embedded_text(text: str, names: Sequence[str]) -> str:
    """The text, and the names the caller gave that are not in it (D20)."""
    words = in_words(text)
    absent = [name for name in names if name.lower() not in words.lower()]
    return f"{words} ({', '.join(absent)})" if absent else words


def indexed_text(
    text: str, context: str | None, names: Sequence[str], occurred: datetime | None = None
) -> str:
    """Text, context, names and the day it happened, in the form of the keyword index (D16)."""
    day = [f"{occurred:%B} {occurred.day} {occurred.year}"] if occurred else []
    return index_text("\n".join([in_words(text), context or "", *names, *day]))
