"""Late interaction against a plain loop, and the weight of each query token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.encoders.protocols import ByteArray, FloatArray
from recalld.recall import late_interaction as module
from recalld.recall.late_interaction import STOP_WORD_WEIGHT, late_interaction, token_weights
from tests.fixtures.values import term

DIMENSION = 8


def unit_rows(generator: np.random.Generator, count: int) -> FloatArray:
    rows = generator.normal(size=(count, DIMENSION)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def stored(rows: FloatArray) -> ByteArray:
    return np.rint(127 * rows).astype(np.int8)


def plainly(query: FloatArray, weights: FloatArray, text: ByteArray) -> float:
    total = 0.0
    for row, weight in zip(query, weights, strict=True):
        best = max((float(row @ (token.astype(np.float32) / 127)) for token in text), default=0.0)
        total += float(weight) * best
    return total / float(weights.sum()) if weights.sum() > 0 else 0.0


@given(st.integers(0, 10**6), st.integers(1, 6), st.lists(st.integers(0, 9), max_size=12))
def test_it_is_the_weighted_mean_of_best_matches(seed: int, tokens: int, lengths: list[int]) -> None:
    generator = np.random.default_rng(seed)
    query, weights = unit_rows(generator, tokens), generator.random(tokens).astype(np.float32)
    texts = [stored(unit_rows(generator, length)) for length in lengths]
    expected = [plainly(query, weights, text) for text in texts]
    assert late_interaction(query, weights, texts).tolist() == pytest.approx(expected, abs=1e-4)


def test_groups_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    query, weights = unit_rows(generator, 5), np.ones(5, np.float32)
    texts = [stored(unit_rows(generator, length)) for length in (3, 0, 9, 1, 40, 2, 0)]
    together = late_interaction(query, weights, texts)
    monkeypatch.setattr(module, "_TOKENS_AT_ONCE", 4)
    assert late_interaction(query, weights, texts).tolist() == pytest.approx(together.tolist(), abs=1e-6)


def test_a_text_that_holds_the_query_scores_one() -> None:
    query = unit_rows(np.random.default_rng(3), 4)
    (score,) = late_interaction(query, np.ones(4, np.float32), [stored(query)])
    assert score == pytest.approx(1.0, abs=0.02)


def test_nothing_to_weigh_scores_nothing() -> None:
    text = stored(unit_rows(np.random.default_rng(3), 4))
    empty: FloatArray = np.zeros((0, DIMENSION), np.float32)
    assert late_interaction(empty, np.zeros(0, np.float32), [text]).tolist() == [0.0]
    assert late_interaction(empty, np.zeros(0, np.float32), []).shape == (0,)


def test_a_token_weighs_the_idf_of_the_rarest_term_it_is_part_of() -> None:
    spans = [(0, 3), (4, 8), (8, 10), (11, 14)]
    terms = [term("paris", 5.0, (4, 10)), term("pari", 2.0, (4, 8)), term("is", 0.25, (8, 10))]
    assert token_weights(spans, terms).tolist() == [STOP_WORD_WEIGHT, 5.0, 5.0, STOP_WORD_WEIGHT]


def test_tokens_next_to_a_term_are_no_part_of_it() -> None:
    assert token_weights([(0, 2), (4, 6)], [term("x", 3.0, (2, 4))]).tolist() == [STOP_WORD_WEIGHT] * 2
