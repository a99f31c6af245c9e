"""Other languages than English: which retriever finds a fact, and the words of a bank's own language."""

from __future__ import annotations

import pytest

from recalld.bootstrap import Application
from tests.fixtures.bank import Json, TestBank

OTHERS = [
    "The meeting was moved to Thursday.",
    "Priya keeps the keys in a drawer.",
    "会議は来週です。",
    "我喜欢咖啡。",
]


async def configure(bank: TestBank, language: str) -> Json:
    updates = {"updates": {"text_search_language": language}}
    response = await bank.client.patch(f"{bank.path}/config", json=updates)
    answer: Json = {"status": response.status_code, **response.json()}
    return answer


@pytest.mark.parametrize(
    ("fact", "query", "by"),
    [
        pytest.param("我们下周去北京开会。", "北京的会议", "keyword", id="Chinese"),
        pytest.param("東京で新しい仕事を始めた。", "東京の仕事", "keyword", id="Japanese"),
        pytest.param("서울에서 친구를 만났다.", "서울 친구", "keyword", id="Korean"),
        pytest.param("انتقلت سارة إلى القاهرة", "القاهرة", "keyword", id="Arabic"),
        pytest.param("Мы переехали в Казань.", "Казань", "keyword", id="Russian"),
        pytest.param("Our mascot is the 🦀 crab emoji.", "🦀 mascot", "keyword", id="emoji"),
        pytest.param("La réunion est à l'école.", "reunion a l'ecole", "keyword", id="accents"),
        pytest.param(
            "Die Krankenversicherung wurde gekündigt.", "Krankenversicherung", "keyword", id="German"
        ),
        pytest.param("Die Krankenversicherung wurde gekündigt.", "Versicherung", "semantic", id="compound"),
    ],
)
async def test_a_fact_is_found_in_its_language(bank: TestBank, fact: str, query: str, by: str) -> None:
    await bank.retain(fact, *OTHERS)
    found = await bank.results(query)
    assert found[0]["text"] == fact
    assert found[0]["scores"][by] is not None


async def test_a_bank_may_have_the_words_of_its_language(bank: TestBank) -> None:
    assert (await configure(bank, "german"))["config"]["text_search_language"] == "german"
    await bank.retain("Die Häuser wurden verkauft.", "Der Garten ist groß.")
    found = await bank.results("Haus", min_scores={"semantic": 2.0})
    assert [fact["text"] for fact in found] == ["Die Häuser wurden verkauft."]
    assert await bank.results("der die das", min_scores={"semantic": 2.0}) == []


async def test_without_its_language_endings_are_not_known(bank: TestBank) -> None:
    await bank.retain("Die Häuser wurden verkauft.")
    assert await bank.results("Haus", min_scores={"semantic": 2.0}) == []


async def test_the_language_of_a_bank_with_memories_stays(bank: TestBank) -> None:
    await bank.retain("a fact")
    refused = await configure(bank, "german")
    assert refused["status"] == 409
    assert (await configure(bank, "english"))["status"] == 200


@pytest.mark.parametrize("language", ["klingon", "German", "english; DROP", ""])
async def test_a_language_postgresql_does_not_know_is_refused(bank: TestBank, language: str) -> None:
    assert (await configure(bank, language))["status"] == 400


async def test_a_new_bank_speaks_the_language_of_its_server(app: Application, bank: TestBank) -> None:
    assert (await configure(bank, "simple"))["config"]["text_search_language"] == "simple"
    other = TestBank(bank.client, f"{bank.bank_id}-other")
    await other.retain("a fact")
    config = (await bank.client.get(f"{other.path}/config")).json()["config"]
    assert config["text_search_language"] == "english"
