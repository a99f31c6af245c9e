"""Chunks: short enough, complete, stable, cut at natural seams."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recalld.retain.chunk import chunk_text, split_prose

SIZES = st.integers(5, 200)
PROSE = st.text(st.sampled_from("ab .,!?;\n"), max_size=600)
TURNS = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "bot"]), "text": st.text(max_size=50)}),
    min_size=1,
    max_size=20,
)


def solid(text: str) -> str:
    return "".join(text.split())


@given(st.one_of(PROSE, st.text(max_size=600)), SIZES)
def test_every_chunk_fits_and_no_text_is_lost(text: str, size: int) -> None:
    chunks = chunk_text(text, size)
    assert all(0 < len(chunk) <= size for chunk in chunks)
    if chunks:
        assert solid("".join(chunks)) == solid(text)
    else:
        assert not text.strip()


@given(PROSE, SIZES)
def test_cutting_a_chunk_again_returns_it(text: str, size: int) -> None:
    for chunk in chunk_text(text, size):
        assert chunk_text(chunk, size) == [chunk]


@given(st.text(min_size=1, max_size=100))
def test_a_text_that_fits_is_kept_byte_for_byte(text: str) -> None:
    assume(text.strip())
    assert chunk_text(text, 100) == [text]


def test_prose_is_cut_at_paragraphs_before_sentences_before_words() -> None:
    text = "One two. Three four.\n\nFive six. Seven eight."
    assert split_prose(text, 25) == ["One two. Three four.", "Five six. Seven eight."]
    assert split_prose("One two. Three four.", 12) == ["One two.", "Three four."]
    assert split_prose("one two three", 8) == ["one two", "three"]
    assert split_prose("abcdefgh", 3) == ["abc", "def", "gh"]


@given(TURNS, st.integers(120, 300))
def test_a_conversation_is_cut_between_turns_into_conversations(
    turns: list[dict[str, str]], size: int
) -> None:
    text = json.dumps(turns, ensure_ascii=False)
    assume(all(len(json.dumps(turn, ensure_ascii=False)) + 2 <= size for turn in turns))
    chunks = chunk_text(text, size)
    assert all(len(chunk) <= size for chunk in chunks)
    assert [turn for chunk in chunks for turn in json.loads(chunk)] == turns


def test_a_turn_longer_than_a_chunk_is_cut_like_prose() -> None:
    turns = [{"text": "short"}, {"text": "long " * 40}, {"text": "short again"}]
    chunks = chunk_text(json.dumps(turns), 80)
    assert all(len(chunk) <= 80 for chunk in chunks)
    assert chunks[0] == '[{"text": "short"}]'
    assert chunks[-1] == '[{"text": "short again"}]'


@given(TURNS, st.integers(120, 300))
def test_json_lines_are_cut_between_lines(turns: list[dict[str, str]], size: int) -> None:
    lines = [json.dumps(turn) for turn in turns]
    assume(len(lines) > 1)
    assume(all(len(line) <= size for line in lines))
    chunks = chunk_text("\n".join(lines), size)
    assert all(len(chunk) <= size for chunk in chunks)
    assert "\n".join(chunks).splitlines() == lines


@pytest.mark.parametrize("text", ["[1, 2, 3]", "[broken", "[]", '[{"a": 1}, 2]'])
def test_other_json_is_prose(text: str) -> None:
    assert chunk_text(text * 20, 50) == split_prose(text * 20, 50)


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert chunk_text(text, 10) == []
