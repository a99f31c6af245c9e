"""What the embedder and the keyword index read of a fact."""

from __future__ import annotations

from collections.abc import Sequence

from recalld.domain.attachments import in_words
from recalld.domain.text import index_text


def embedded_text(text: str, names: Sequence[str]) -> str:
    """The text, and the names the caller gave that are not in it (D20)."""
    words = in_words(text)
    absent = [name for name in names if name.lower() not in words.lower()]
    return f"{words} ({', '.join(absent)})" if absent else words


def indexed_text(text: str, context: str | None, names: Sequence[str]) -> str:
    """Text, context and names in the form of the keyword index."""
    return index_text("\n".join([in_words(text), context or "", *names]))
