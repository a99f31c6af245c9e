"""recalld demo: six right answers, and hands off banks it did not make."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recalld.cli.story import BANK, FACTS, QUESTIONS
from recalld.domain.text import query_words
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def _no_demo_bank(run: Run) -> Iterator[None]:
    yield
    run("bank", "delete", BANK, "--yes")


def test_the_six_answers_are_right_each_time(run: Run) -> None:
    for _ in range(2):
        result = run("demo")
        assert result.exit_code == 0, result.output
        assert "6 of 6 answers are right." in result.stdout
        assert result.stdout.count("\u2713") == 6
        assert all(question.text in result.stdout for question in QUESTIONS)


def test_it_fits_a_hundred_columns(run: Run) -> None:
    lines = run("demo").stdout.partition("Next:")[0].splitlines()
    assert [line for line in lines[1:] if len(line) > 100 and " ms: " not in line] == []


def test_a_bank_of_the_same_name_is_left_alone(run: Run) -> None:
    run("bank", "create", BANK)
    result = run("demo")
    assert result.exit_code == 1
    assert result.stderr == "A bank 'demo' that the demo did not make is here; it stays as it is.\n"


def test_every_answer_is_a_fact_and_every_fact_a_document_of_its_own() -> None:
    assert {question.answer for question in QUESTIONS} <= {fact.text for fact in FACTS}
    assert len({fact.item().document_id for fact in FACTS}) == len(FACTS)


def test_the_question_about_meaning_shares_no_word_with_its_answer() -> None:
    asked, answered = (
        {word.lower() for word, _, _ in query_words(text)}
        for text in (QUESTIONS[0].text, QUESTIONS[0].answer)
    )
    assert not asked & answered
