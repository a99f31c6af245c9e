"""Observations worded by a language model: through settings, HTTP and a server that plays the model."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application, application
from recalld.consolidate.drafts import Consolidated
from recalld.consolidate.job import AutoConsolidation
from recalld.domain.banks import Bank
from recalld.domain.errors import Contended
from recalld.encoders.protocols import ChatModel, Completion, EncoderFailed
from recalld.store.queries.banks import find_bank
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.chat_server import ChatServer, Reply, chat_server
from tests.fixtures.databases import settings_for
from tests.fixtures.decision_server import KEY
from tests.fixtures.operations import status_of, work_off
from tests.fixtures.variants import client_of


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[ChatServer]:
    """The model's server."""
    async with chat_server() as running:
        yield running


@pytest.fixture(scope="module")
async def thinking(app: Application, server: ChatServer, database_url: str) -> AsyncIterator[Application]:
    """An application with a language model, to which other tests left no work."""
    await work_off(app)
    settings = settings_for(
        database_url,
        llm_provider="ollama",
        llm_base_url=server.url,
        llm_api_key=KEY,
        llm_model="some-model",
    )
    async with application(settings) as started:
        yield started


@pytest.fixture(scope="module")
async def connected(thinking: Application) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it."""
    web = create_app(running=thinking)
    async with web.router.lifespan_context(web), client_of(web) as client:
        yield client


@pytest.fixture
async def bank(connected: httpx.AsyncClient, server: ChatServer) -> TestBank:
    """A bank that keeps texts as they are, so that the model is asked for observations only."""
    server.reset(Writer())
    made = TestBank(connected, f"bank-{uuid4()}")
    await configure(made, retain_extraction_mode="chunks")
    return made


class Writer:
    """Answers each question with the next of its changes, then with none."""

    def __init__(self, *answers: Json) -> None:
        self.answers = list(answers)

    def __call__(self, system: str, known: Json) -> Json:
        return {"creates": [], "updates": [], "deletes": [], **(self.answers.pop(0) if self.answers else {})}


def create(text: str, *sources: str) -> Json:
    return {"text": text, "source_ids": list(sources)}


def update(name: str, text: str, *sources: str) -> Json:
    return {"observation_id": name, "text": text, "source_ids": list(sources)}


async def configure(bank: TestBank, **updates: Any) -> None:
    response = await bank.client.patch(f"{bank.path}/config", json={"updates": updates})
    assert response.status_code == 200, response.text


async def say(bank: TestBank, day: int, text: str, **fields: Any) -> None:
    await bank.retain({"content": text, "timestamp": f"2026-09-{day:02}T08:00:00Z", **fields})


async def stored(app: Application, bank: TestBank) -> Bank:
    async with app.database.read() as connection:
        found = await find_bank(connection, bank.bank_id)
    assert found is not None
    return found


async def consolidate(app: Application, bank: TestBank) -> Consolidated:
    return await app.consolidation.consolidate(await stored(app, bank))


async def observations(bank: TestBank, query: str = "Alice tea") -> list[Json]:
    return await bank.results(query, types=["observation"])


async def sources(bank: TestBank, observation: Json) -> list[str]:
    detail = (await bank.client.get(f"{bank.path}/memories/{observation['id']}")).json()
    texts = [
        (await bank.client.get(f"{bank.path}/memories/{id_}")).json()["text"]
        for id_ in detail["source_memory_ids"]
    ]
    return sorted(texts)


async def pending(bank: TestBank) -> int:
    count: int = (await bank.client.get(f"{bank.path}/stats")).json()["pending_consolidation"]
    return count


async def test_the_model_words_an_observation(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    await configure(bank, observations_mission="Know what people drink.")
    await say(bank, 1, "Alice had green tea.")
    await say(bank, 2, "Alice had black tea.")
    await say(bank, 3, "Rain.")
    server.mind = Writer({"creates": [create("Alice likes tea of any kind.", "f1", "f2", "f9")]})
    assert await consolidate(thinking, bank) == Consolidated(facts=3, created=1)
    (found,) = await observations(bank)
    assert (found["text"], found["type"]) == ("Alice likes tea of any kind.", "observation")
    assert await sources(bank, found) == ["Alice had black tea.", "Alice had green tea."]
    assert found["mentioned_at"].startswith("2026-09-02")
    assert "Know what people drink." in server.systems[0]
    (known,) = server.users
    assert known["facts"][0]["text"] == "Alice had green tea."
    assert await pending(bank) == 0
    assert await consolidate(thinking, bank) == Consolidated()
    assert len(server.seen) == 1


async def test_an_update_keeps_what_was_said_before(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    server.mind = Writer(
        {"creates": [create("Alice likes tea.", "f1")]},
        {
            "updates": [
                update("o1", "Alice prefers coffee to tea since September.", "f1"),
                update("o7", "x", "f1"),
            ]
        },
    )
    await say(bank, 1, "Alice had tea.")
    await consolidate(thinking, bank)
    (before,) = await observations(bank)
    await say(bank, 5, "Alice had coffee and said she likes it better than tea.")
    assert await consolidate(thinking, bank) == Consolidated(facts=1, rewritten=1)
    assert server.users[1]["observations"] == [{"id": "o1", "text": "Alice likes tea."}]
    (after,) = await observations(bank, "Who prefers coffee?")
    assert (after["id"], after["text"]) == (before["id"], "Alice prefers coffee to tea since September.")
    assert len(await sources(bank, after)) == 2
    (version,) = (await bank.client.get(f"{bank.path}/memories/{after['id']}/history")).json()
    assert version["previous_text"] == "Alice likes tea."


async def test_a_deletion_merges_or_forgets(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    server.mind = Writer(
        {
            "creates": [
                create("Alice likes tea.", "f1"),
                create("Alice enjoys tea.", "f2"),
                create("Alice is in Rome.", "f3"),
            ]
        },
    )
    for day, text in enumerate(("Alice had tea.", "Alice drank tea.", "Alice is in Rome."), 1):
        await say(bank, day, text)
    await consolidate(thinking, bank)
    await say(bank, 9, "Alice left Rome.")
    server.mind = tidy
    done = await consolidate(thinking, bank)
    assert done == Consolidated(facts=1, rewritten=1, deleted=2)
    (left,) = await observations(bank)
    assert left["text"] == "Alice likes tea."
    assert await sources(bank, left) == ["Alice drank tea.", "Alice had tea."]
    assert await pending(bank) == 0


def tidy(system: str, known: Json) -> Json:
    """Merge what says the same, forget what is over."""
    names = {one["text"]: one["id"] for one in known["observations"]}
    deletes = [
        {"observation_id": names["Alice enjoys tea."], "merged_into": names["Alice likes tea."]},
        {"observation_id": names["Alice is in Rome."], "merged_into": None},
    ]
    return {"creates": [], "updates": [], "deletes": deletes}


async def test_scopes_are_asked_about_apart(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    server.mind = lambda _, known: Writer({"creates": [create(known["facts"][0]["text"] + " So.", "f1")]})(
        _, known
    )
    await say(bank, 1, "Alice had tea.", tags=["a"])
    await say(bank, 2, "Bob had tea.", tags=["b"])
    await say(bank, 3, "Carol had tea.", tags=["a", "b"], observation_scopes="per_tag")
    assert await consolidate(thinking, bank) == Consolidated(facts=3, created=2)
    asked = sorted([fact["text"] for fact in known["facts"]] for known in server.users)
    assert asked == [["Alice had tea.", "Carol had tea."], ["Bob had tea.", "Carol had tea."]]
    found = {tuple(one["tags"]): one["text"] for one in await observations(bank)}
    assert found == {("a",): "Alice had tea. So.", ("b",): "Bob had tea. So."}


async def test_many_facts_are_read_a_few_at_a_time(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    await configure(bank, consolidation_llm_batch_size=2)
    await bank.retain(*(f"Fact number {i}." for i in range(5)))
    assert (await consolidate(thinking, bank)).facts == 5
    assert [len(known["facts"]) for known in server.users] == [2, 2, 1]


BAD_DAYS = [
    [Reply("", refusal="No.")],
    [Reply("nonsense"), Reply("more of it")],
    [Reply('{"creates": []}'), Reply('{"creates": [], "updates": {}, "deletes": []}')],
    [Reply("{", finish="length")],
]


@pytest.mark.parametrize("bad_days", BAD_DAYS)
async def test_a_model_that_fails_changes_nothing_and_is_asked_again(
    thinking: Application, bank: TestBank, server: ChatServer, bad_days: list[Reply]
) -> None:
    await say(bank, 1, "Alice had tea.")
    server.bad_days.extend(bad_days)
    with pytest.raises(EncoderFailed):
        await consolidate(thinking, bank)
    assert await pending(bank) == 1
    server.bad_days.clear()
    server.mind = Writer({"creates": [create("Alice likes tea.", "f1")]})
    assert (await consolidate(thinking, bank)).created == 1
    assert await pending(bank) == 0


async def test_an_operation_waits_for_a_better_day(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    await say(bank, 1, "Alice had tea.")
    server.bad_days.extend([Reply("", refusal="No.")] * 20)
    id_ = (await bank.client.post(f"{bank.path}/consolidate", json={})).json()["operation_id"]
    await work_off(thinking)
    status = await status_of(bank, id_)
    assert status["status"] == "pending"
    assert status["retry_count"] >= 1
    assert "refused" in status["error_message"]


async def test_after_a_retain_a_failure_is_a_line_in_the_log(
    thinking: Application, bank: TestBank, server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    await say(bank, 1, "Alice had tea.")
    server.bad_days.append(Reply("", refusal="No."))
    auto = AutoConsolidation(
        replace(
            thinking.consolidation,
            defaults=replace(thinking.consolidation.defaults, enable_auto_consolidation=True),
        )
    )
    with caplog.at_level(logging.WARNING, "recalld.consolidate.job"):
        auto(await stored(thinking, bank))
        for task in list(auto._running.values()):
            await task
    (line,) = [record for record in caplog.records if record.name == "recalld.consolidate.job"]
    assert (line.levelname, line.exc_info) == ("WARNING", None)
    assert await pending(bank) == 1


async def test_a_bank_that_wants_no_observations_asks_no_model(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    await configure(bank, enable_observations=False)
    await say(bank, 1, "Alice had tea.")
    id_ = (await bank.client.post(f"{bank.path}/consolidate", json={})).json()["operation_id"]
    await work_off(thinking)
    assert (await status_of(bank, id_))["status"] == "completed"
    assert server.seen == []


class Meddled:
    """A model during whose thinking something happens."""

    name = "meddled"

    def __init__(self, model: ChatModel, meddle: Callable[[], Awaitable[object]]) -> None:
        self.model = model
        self.meddle = meddle
        self.asked: list[list[str]] = []

    async def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Completion:
        self.asked.append([fact["text"] for fact in json.loads(user)["facts"]])
        await self.meddle()
        return await self.model.complete(system, user, schema)

    async def aclose(self) -> None:
        """The model is closed by whoever made it."""


def meddled(app: Application, meddle: Callable[[], Awaitable[object]]) -> tuple[Application, Meddled]:
    writer = app.consolidation.model
    assert writer is not None
    model = Meddled(writer.model, meddle)
    consolidation = replace(app.consolidation, model=replace(writer, model=model))
    return replace(app, consolidation=consolidation), model


async def test_facts_that_change_meanwhile_are_read_again(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    await say(bank, 1, "Alice had tea.", document_id="d")
    changed = iter([True])

    async def change() -> None:
        if next(changed, False):
            await say(bank, 1, "Alice had soup.", document_id="d")

    server.mind = Writer({"creates": [create("Tea.", "f1")]}, {"creates": [create("Soup.", "f1")]})
    app, model = meddled(thinking, change)
    assert await consolidate(app, bank) == Consolidated(facts=1, created=1)
    assert model.asked == [["Alice had tea."], ["Alice had soup."]]
    assert [one["text"] for one in await observations(bank, "soup tea")] == ["Soup."]


async def test_facts_that_never_hold_still_are_left_for_later(
    thinking: Application, bank: TestBank, server: ChatServer
) -> None:
    await say(bank, 1, "Alice had tea 0.", document_id="d")
    numbers = iter(range(1, 100))

    async def change() -> None:
        await say(bank, 1, f"Alice had tea {next(numbers)}.", document_id="d")

    app, _ = meddled(thinking, change)
    with pytest.raises(Contended):
        await consolidate(app, bank)
    assert await pending(bank) == 1
