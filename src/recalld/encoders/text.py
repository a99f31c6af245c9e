"""Text as tokenizers and wires accept it."""

from __future__ import annotations

import re

LETTERS_PER_TOKEN = 16
_SURROGATE = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """Lone surrogates have no UTF-8; replaced one for one, so that offsets still fit the text."""
    return _SURROGATE.sub("\ufffd", text)


def opening(text: str, max_tokens: int) -> str:
    """More than a model reads of a text. To cut pairs of texts without end costs tokenizers seconds."""
    return encodable(text[: LETTERS_PER_TOKEN * max_tokens])
