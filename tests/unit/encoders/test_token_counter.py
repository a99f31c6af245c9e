"""The o200k token counter."""

from __future__ import annotations

import pytest

from recalld.encoders.protocols import TokenCounter
from recalld.encoders.token_counter import O200kTokenCounter

counter: TokenCounter = O200kTokenCounter()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("How many tokens is this?", 6), ("Привет, мир", 4), ("\U0001f9e0", 3)],
)
def test_known_counts(text: str, tokens: int) -> None:
    assert counter.count(text) == tokens


def test_counts_align_with_the_input() -> None:
    texts = ["one", "", "one two three", "one"]
    assert counter.count_many(texts) == [counter.count(text) for text in texts] == [1, 0, 3, 1]
    assert counter.count_many([]) == []


def test_special_tokens_are_plain_text() -> None:
    assert counter.count("<|endoftext|>") > 1


def test_truncate_is_the_longest_fitting_prefix() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 20
    kept = counter.truncate(text, 17)
    assert text.startswith(kept)
    assert counter.count(kept) == 17
    assert counter.truncate(text, 10_000) == text


@pytest.mark.parametrize("limit", [0, -1])
def test_truncate_to_nothing(limit: int) -> None:
    assert not counter.truncate("hello", limit)


def test_truncate_ends_on_a_character() -> None:
    text = "a\U0001f9e0b"
    for limit in range(6):
        kept = counter.truncate(text, limit)
        assert text.startswith(kept)
        assert counter.count(kept) <= limit


def test_lone_surrogates() -> None:
    text = "caf\ud83d and \udc00 more"
    assert counter.count(text) > 0
    assert counter.count_many([text, "ok"])[1] == 1
    assert counter.truncate(text, 2) == text[: len(counter.truncate(text, 2))]
    assert counter.truncate(text, 100) == text
