"""Token counts as o200k_base makes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import toktok

ENCODING = "o200k_base"
_SURROGATE = re.compile("[\ud800-\udfff]")


class O200kTokenCounter:
    """Counts without building token ids; lone surrogates count as the replacement character."""

    def count(self, text: str) -> int:
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        counts: list[int] = toktok.batch_count([_encodable(text) for text in texts], ENCODING)
        return counts

    def truncate(self, text: str, max_tokens: int) -> str:
        kept, _ = toktok.truncate(_encodable(text), max(max_tokens, 0), ENCODING)
        return text[: len(kept)]


def _encodable(text: str) -> str:
    """Replaced one for one, so that a prefix of the result is a prefix of the text."""
    return _SURROGATE.sub("\ufffd", text)
