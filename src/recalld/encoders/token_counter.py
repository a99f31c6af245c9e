"""Token counts as o200k_base makes them."""

from __future__ import annotations

from collections.abc import Sequence

import toktok

from recalld.encoders.text import encodable

ENCODING = "o200k_base"


class O200kTokenCounter:
    """Counts without building token ids; lone surrogates count as the replacement character."""

    def count(self, text: str) -> int:
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        counts: list[int] = toktok.batch_count([encodable(text) for text in texts], ENCODING)
        return counts

    def truncate(self, text: str, max_tokens: int) -> str:
        kept, _ = toktok.truncate(encodable(text), max(max_tokens, 0), ENCODING)
        return text[: len(kept)]
