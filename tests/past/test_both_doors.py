"""One corpus, two front doors: the same documents in the same order."""

from __future__ import annotations

import random

import pytest

from tests.fixtures.bank import Json, TestBank
from tests.past.project import Project

PEOPLE = ("Ada", "Boris", "Chiyo", "Dmitri", "Edith")
PLACES = ("the harbour", "Lisbon", "the old mill", "Kyoto", "the airfield")
DEEDS = ("repaired the pump", "sold two boats", "planted pears", "lost the keys", "met the auditor")
QUESTIONS = (
    "Who repaired the pump?",
    "What happened in Lisbon in March 2026?",
    "Where were the keys lost?",
    "auditor",
    "Tell me about Chiyo and the pears",
    "Was there a storm at the airfield last month?",
)
NOW = "2026-06-15T12:00:00Z"


def corpus(seed: int) -> list[Json]:
    """Documents of one to many pieces, no two alike."""
    chosen = random.Random(seed)
    made = []
    for number in range(30):
        sentences = [
            f"{chosen.choice(PEOPLE)} {chosen.choice(DEEDS)} at {chosen.choice(PLACES)},"
            f" entry {number}-{place} of the book."
            for place in range(chosen.choice([1, 1, 2, 30]))
        ]
        day, month = chosen.randrange(1, 28), chosen.randrange(1, 6)
        made.append(
            {
                "content": "\n\n".join(sentences),
                "id": f"doc-{number}",
                "timestamp": f"2026-{month:02}-{day:02}T{number % 24:02}:00:00Z",
            }
        )
    return made


async def through_the_first(bank: TestBank, question: str) -> list[str]:
    """Documents in the order of their best facts."""
    results = await bank.results(
        question,
        budget="low",
        max_tokens=1_000_000,
        query_timestamp=NOW,
        tags=["identity:ann"],
        tags_match="any",
    )
    return list(dict.fromkeys(result["document_id"] for result in results))


async def through_the_second(project: Project, question: str) -> list[str]:
    answer = await project.recall(question, "ann", queryTimestamp=NOW, maxTokens=8_000, limit=200)
    return [result["sources"][0]["sourceId"] for result in answer["results"]]


@pytest.mark.parametrize("seed", range(3))
async def test_one_bank_is_ranked_the_same_through_both_doors(project: Project, seed: int) -> None:
    await project.ingest_batch(*({**one, "identity": "ann"} for one in corpus(seed)))
    bank = TestBank(project.client, project.bank_id)
    for question in QUESTIONS:
        found = await through_the_second(project, question)
        assert len(found) > 5
        assert found == await through_the_first(bank, question), question


@pytest.mark.parametrize("seed", range(3, 6))
async def test_a_corpus_brought_in_by_either_door_is_ranked_the_same(
    project: Project, bank: TestBank, seed: int
) -> None:
    made = corpus(seed)
    await project.ingest_batch(*({**one, "identity": "ann"} for one in made))
    items = [
        {
            "content": one["content"],
            "document_id": one["id"],
            "timestamp": one["timestamp"],
            "tags": ["identity:ann"],
        }
        for one in made
    ]
    await bank.retain(*items)
    for question in QUESTIONS:
        assert await through_the_second(project, question) == await through_the_first(bank, question)
