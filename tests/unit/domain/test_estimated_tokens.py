"""The estimate of past.dev: a quarter of the characters, rounded up once."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.budget import estimated_tokens


@given(st.lists(st.text()))
def test_it_is_rounded_up_over_all_texts_together(texts: list[str]) -> None:
    assert estimated_tokens(texts) == math.ceil(len("".join(texts)) / 4)


def test_characters_count_not_bytes() -> None:
    assert estimated_tokens(["日本語で", "é"]) == 2
