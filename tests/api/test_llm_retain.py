"""Retain with a language model that finds facts: through settings, HTTP and a server that plays the model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from recalld.api.app import create_app
from recalld.bootstrap import Application, application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.chat_server import ChatServer, Reply, chat_server
from tests.fixtures.databases import settings_for
from tests.fixtures.decision_server import KEY, Fault
from tests.fixtures.operations import status_of, submit, work_off
from tests.fixtures.variants import client_of

SAID = "2026-09-01T08:30:00Z"
DIARY = (
    "Alice moved to Berlin in May 2024 because she found a job at Acme. I told her about flats in Kreuzberg."
)


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[ChatServer]:
    """The model's server."""
    async with chat_server() as running:
        yield running


@pytest.fixture(scope="module")
async def reading(app: Application, server: ChatServer, database_url: str) -> AsyncIterator[Application]:
    """An application with a language model, to which other tests left no work."""
    await work_off(app)
    settings = settings_for(
        database_url,
        llm_provider="openai",
        llm_base_url=server.url,
        llm_api_key=KEY,
        llm_model="some-model",
    )
    async with application(settings) as started:
        yield started


@pytest.fixture(scope="module")
async def connected(reading: Application) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it."""
    web = create_app(running=reading)
    async with web.router.lifespan_context(web), client_of(web) as client:
        yield client


@pytest.fixture
def bank(connected: httpx.AsyncClient, server: ChatServer) -> TestBank:
    """A bank nobody else knows, and a model in its right mind."""
    server.reset(diarist)
    return TestBank(connected, f"bank-{uuid4()}")


def fact(what: str, **fields: Any) -> Json:
    plain: Json = {
        **dict.fromkeys(("when", "where", "who", "why"), "N/A"),
        "what": what,
        "fact_kind": "conversation",
        "occurred_start": None,
        "occurred_end": None,
        "fact_type": "world",
        "entities": [],
        "causal_relations": [],
    }
    return {**plain, **fields}


def diarist(system: str, known: Json) -> Json:
    """Know the diary; of any other text, take each sentence for a fact."""
    if known["text"] != DIARY:
        return {"facts": [fact(f"{one.strip()}.") for one in known["text"].split(".") if one.strip()]}
    job = fact("Alice found a job at Acme.", entities=["Alice", "Acme"])
    move = fact(
        "Alice moved to Berlin.",
        why="the job at Acme",
        fact_kind="event",
        occurred_start="2024-05",
        entities=["Alice", "Berlin"],
        causal_relations=[{"target_index": 0, "relation_type": "caused_by"}],
    )
    told = fact(
        "The assistant told Alice about flats in Kreuzberg.", fact_type="assistant", entities=["Alice"]
    )
    return {"facts": [job, move, told]}


async def configure(bank: TestBank, **updates: Any) -> Json:
    response = await bank.client.patch(f"{bank.path}/config", json={"updates": updates})
    assert response.status_code == 200, response.text
    config: Json = response.json()["config"]
    return config


async def memories(bank: TestBank) -> list[Json]:
    response = await bank.client.get(f"{bank.path}/memories/list", params={"limit": 100})
    assert response.status_code == 200, response.text
    found: list[Json] = response.json()["items"]
    return sorted(found, key=lambda one: (one["document_id"] or "", one["mentioned_at"] or ""))


async def texts(bank: TestBank) -> list[str]:
    return [one["text"] for one in await memories(bank)]


async def document_status(bank: TestBank, id_: str) -> int:
    return (await bank.client.get(f"{bank.path}/documents/{id_}")).status_code


async def test_facts_dates_kinds_entities_and_causes_are_kept(
    bank: TestBank, server: ChatServer, reading: Application
) -> None:
    answer = await bank.retain(
        {"content": DIARY, "document_id": "d", "timestamp": SAID, "context": "diary", "tags": ["t"]}
    )
    assert answer["usage"] == {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "cached_tokens": 3,
        "thoughts_tokens": 2,
    }
    found = await bank.results("Alice Berlin job flats", include={"entities": {}})
    by_text = {one["text"]: one for one in found}
    assert set(by_text) == {
        "Alice found a job at Acme.",
        "Alice moved to Berlin. | Why: the job at Acme",
        "The assistant told Alice about flats in Kreuzberg.",
    }
    move = by_text["Alice moved to Berlin. | Why: the job at Acme"]
    assert (move["type"], sorted(move["entities"])) == ("world", ["Alice", "Berlin"])
    assert (move["context"], move["tags"], move["document_id"]) == ("diary", ["t"], "d")
    assert datetime.fromisoformat(move["occurred_start"]) == datetime(2024, 5, 1, tzinfo=UTC)
    assert datetime.fromisoformat(move["occurred_end"]).date().isoformat() == "2024-05-31"
    told = by_text["The assistant told Alice about flats in Kreuzberg."]
    assert (told["type"], told["occurred_start"]) == ("experience", None)
    moments = [datetime.fromisoformat(one["mentioned_at"]) for one in found]
    assert len(set(moments)) == 3
    assert (max(moments) - min(moments)).total_seconds() == pytest.approx(0.02)
    job = by_text["Alice found a job at Acme."]
    assert await causal_links(reading, bank) == [(move["id"], job["id"], "caused_by")]
    (known,) = server.users
    assert (known["context"], known["date"]) == ("diary", "Tuesday, 2026-09-01T08:30+00:00")
    assert (await bank.texts("what happened in May 2024"))[0].startswith("Alice moved")


async def causal_links(app: Application, bank: TestBank) -> list[tuple[str, str, str]]:
    async with app.database.read() as connection:
        rows = await connection.execute(
            "SELECT from_id::text, to_id::text, link_type FROM memory_links JOIN banks USING (bank_key)"
            " WHERE bank_id = %s AND link_type NOT IN ('temporal', 'semantic')",
            [bank.bank_id],
        )
        return [(row[0], row[1], row[2]) for row in await rows.fetchall()]


async def test_the_settings_show_the_mode(bank: TestBank) -> None:
    assert (await configure(bank, retain_mission="Bees."))["retain_extraction_mode"] == "concise"
    assert (await configure(bank, retain_extraction_mode="verbose"))["retain_extraction_mode"] == "verbose"
    assert (await configure(bank, retain_extraction_mode=None))["retain_extraction_mode"] == "concise"


@pytest.mark.parametrize(
    ("mode", "rule"), [("concise", "worth remembering"), ("verbose", "in full"), ("custom", "Only bees.")]
)
async def test_each_mode_has_its_prompt_and_the_mission(
    bank: TestBank, server: ChatServer, mode: str, rule: str
) -> None:
    await configure(
        bank,
        retain_extraction_mode=mode,
        retain_mission="Help a beekeeper.",
        retain_custom_instructions="Only bees.",
    )
    await bank.retain("Bees sleep. Bees eat.")
    assert await texts(bank) == ["Bees sleep.", "Bees eat."]
    (system,) = server.systems
    assert rule in system
    assert "Help a beekeeper." in system


async def test_verbatim_keeps_the_text_and_adds_what_it_is_about(bank: TestBank) -> None:
    await configure(bank, retain_extraction_mode="verbatim")
    await bank.retain({"content": DIARY, "entities": [{"text": "Kreuzberg"}]})
    (one,) = await bank.results("Berlin")
    assert one["text"] == DIARY
    assert sorted(one["entities"]) == ["Acme", "Alice", "Berlin", "Kreuzberg"]
    assert one["occurred_start"].startswith("2024-05-01")


async def test_chunks_asks_no_model_and_a_strategy_may_choose(bank: TestBank, server: ChatServer) -> None:
    await configure(
        bank,
        retain_extraction_mode="chunks",
        retain_strategies={"read": {"retain_extraction_mode": "verbose"}},
    )
    await bank.retain({"content": "Kept. As it is.", "document_id": "a"})
    assert server.seen == []
    await bank.retain({"content": "Read. In full.", "document_id": "b", "strategy": "read"})
    assert await texts(bank) == ["Kept. As it is.", "Read.", "In full."]
    assert len(server.seen) == 1


async def test_unchanged_chunks_keep_their_facts_and_are_not_read_again(
    bank: TestBank, server: ChatServer
) -> None:
    await configure(bank, retain_chunk_size=100)
    first, second = ("Bees are busy animals. " * 4).strip(), ("Wasps are lazy animals. " * 4).strip()
    await bank.retain({"content": f"{first}\n\n{second}", "document_id": "d"})
    before = {one["id"] for one in await memories(bank)}
    assert len(server.seen) == 2
    answer = await bank.retain({"content": f"{first}\n\nAnts are tiny.", "document_id": "d"})
    assert [known["text"] for known in server.users[2:]] == ["Ants are tiny."]
    assert answer["usage"]["input_tokens"] == 10
    after = await memories(bank)
    assert len([one for one in after if one["id"] in before]) == 4
    assert [one["text"] for one in after if one["id"] not in before] == ["Ants are tiny."]


async def test_a_text_without_facts_is_kept_and_not_read_again(bank: TestBank, server: ChatServer) -> None:
    server.mind = lambda _, __: {"facts": []}
    for _ in range(2):
        await bank.retain({"content": "Hello there.", "document_id": "d"})
    assert await texts(bank) == []
    assert await document_status(bank, "d") == 200
    assert len(server.seen) == 1


async def test_appends_at_the_same_time_all_count(bank: TestBank) -> None:
    await bank.retain({"content": "Start.", "document_id": "d"})
    added = [f"Fact {place}." for place in range(6)]
    await asyncio.gather(
        *(bank.retain({"content": one, "document_id": "d", "update_mode": "append"}) for one in added)
    )
    assert sorted(await texts(bank)) == sorted([*added, "Start."])


async def test_a_long_text_is_read_in_parts_where_the_answer_is_cut_off(
    bank: TestBank, server: ChatServer
) -> None:
    sentences = [f"Bee number {place} is called {place}." for place in range(40)]
    server.bad_days.append(Reply('{"facts": [', finish="length"))
    answer = await bank.retain({"content": " ".join(sentences), "document_id": "d"})
    assert await texts(bank) == sentences
    assert len(server.seen) >= 3
    assert answer["usage"]["input_tokens"] == 10 * len(server.seen)


async def test_names_mean_the_entities_the_bank_knows(bank: TestBank, server: ChatServer) -> None:
    names = [{"text": "Katherine Johnson"}, {"text": "NASA"}]
    await bank.retain({"content": "One.", "entities": names, "timestamp": SAID})
    server.mind = lambda _, __: {"facts": [fact("Two.", entities=["Katherine Jonson", "NASA"])]}
    await bank.retain({"content": "Two.", "timestamp": SAID})
    entities = (await bank.client.get(f"{bank.path}/entities")).json()["items"]
    counts = {one["canonical_name"]: one["mention_count"] for one in entities}
    assert counts == {"Katherine Johnson": 2, "NASA": 2}


async def test_control_characters_from_the_model_do_no_harm(bank: TestBank, server: ChatServer) -> None:
    server.mind = lambda _, __: {"facts": [fact("Bees\x00 buzz\ud800.", entities=["Be\x00e"])]}
    await bank.retain("Bees buzz.")
    assert await texts(bank) == ["Bees buzz."]


BAD_DAYS: list[list[Fault | Reply]] = [
    [Fault(403, b"not today")],
    [Reply("", refusal="No.")],
    [Reply("nonsense"), Reply("{}")] * 2,
    [Reply("{", finish="length")],
    [Fault(200, b"<html>")],
    [Reply('{"facts": [{"what": "N/A"}]}')],
]


@pytest.mark.parametrize("bad_days", BAD_DAYS)
async def test_a_model_that_fails_stores_nothing_and_says_when_to_come_back(
    bank: TestBank, server: ChatServer, bad_days: list[Fault | Reply]
) -> None:
    await bank.retain({"content": "Before.", "document_id": "d"})
    server.bad_days.extend(bad_days)
    response = await bank.post_items(
        {"content": "After.", "document_id": "d"}, {"content": "New.", "document_id": "e"}
    )
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    assert await texts(bank) == ["Before."]
    assert await document_status(bank, "e") == 404
    server.bad_days.clear()
    await bank.retain({"content": "After.", "document_id": "d"}, {"content": "New.", "document_id": "e"})
    assert await texts(bank) == ["After.", "New."]


async def test_an_operation_whose_model_fails_is_tried_again_and_loses_nothing(
    bank: TestBank, server: ChatServer, reading: Application
) -> None:
    server.bad_days.extend([Reply("", refusal="No.")] * 20)
    id_ = await submit(bank, {"content": "Bees sleep.", "document_id": "d"})
    assert await work_off(reading) >= 1
    assert (await status_of(bank, id_))["status"] == "pending"
    assert await texts(bank) == []
    server.bad_days.clear()
    await due_now(reading, bank)
    await work_off(reading)
    assert (await status_of(bank, id_))["status"] == "completed"
    assert await texts(bank) == ["Bees sleep."]


async def due_now(app: Application, bank: TestBank) -> None:
    """Let what waits for another try be due."""
    async with app.database.write() as connection:
        await connection.execute(
            text(
                "UPDATE operations SET due_at = now() WHERE due_at IS NOT NULL AND bank_key ="
                " (SELECT bank_key FROM banks WHERE bank_id = :bank_id)"
            ),
            {"bank_id": bank.bank_id},
        )


async def test_a_model_is_logged_as_missing_only_where_it_is(
    bank: TestBank, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "recalld.retain.extract.modes"):
        await bank.retain("Bees sleep.")
    assert caplog.records == []
