"""Text as the index and the checks see it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.text import has_forbidden, has_word, index_text, query_words, scrub


def words(text: str) -> list[str]:
    return [word for word, _, _ in query_words(text)]


@pytest.mark.parametrize("text", ["", "   ", "?!...", "\U0001f600", "\t\n", "—"])
def test_punctuation_and_pictures_are_no_words(text: str) -> None:
    assert not has_word(text)


@pytest.mark.parametrize("text", ["_", "x", "漢", "7", "hi \ud83d", "é"])
def test_letters_digits_and_underscores_are(text: str) -> None:
    assert has_word(text)


def test_scrub_keeps_white_space_and_drops_what_no_database_holds() -> None:
    assert scrub("a\tb\nc\rd") == "a\tb\nc\rd"
    assert scrub("a\x00\x08\x0b\x0c\x0e\x1f\x7fb\ud83dc\udfff") == "abc"


@given(st.text(st.characters(exclude_categories=())))
def test_scrubbed_text_is_clean_and_can_be_stored(text: str) -> None:
    clean = scrub(text)
    assert has_forbidden(text) == (clean != text)
    assert not has_forbidden(clean)
    assert b"\x00" not in clean.encode("utf-8")


def test_accents_are_folded_composed_or_not() -> None:
    assert index_text("Café") == index_text("Cafe\u0301") == "Cafe"
    assert words("Crème brûlée") == ["Creme", "brulee"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我住在上海", ["我住", "住在", "在上", "上海"]),
        ("京", ["京"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("서울에", ["서울", "울에"]),
        ("Python開発", ["Python", "開発"]),
    ],
)
def test_d16_unspaced_scripts_are_read_as_overlapping_pairs(text: str, expected: list[str]) -> None:
    assert words(text) == expected
    assert set(expected) <= set(index_text(text).split())


def test_words_keep_inner_punctuation_and_lose_the_outer() -> None:
    assert words('"Who (uses) Python 3.11, bob@example.org?"') == [
        "Who",
        "uses",
        "Python",
        "3.11",
        "bob@example.org",
    ]


@given(st.text(max_size=60))
def test_a_word_stands_where_it_says(text: str) -> None:
    found = query_words(text)
    for word, start, end in found:
        assert 0 <= start < end <= len(text)
        assert index_text(text[start:end]).split() == index_text(word).split()
    assert [start for _, start, _ in found] == sorted(start for _, start, _ in found)
