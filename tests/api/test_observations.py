"""Observations: what was stated more than once, in its newest words, resting on every fact that stated it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from recalld.bootstrap import Application
from recalld.consolidate.drafts import Consolidated
from recalld.consolidate.job import AutoConsolidation
from recalld.store.queries.banks import find_bank
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import assert_exact
from tests.fixtures.operations import status_of, worker_of

START = datetime(2026, 9, 1, 8, tzinfo=UTC)


async def say(bank: TestBank, day: int, text: str, *names: str, **fields: Any) -> None:
    """Retain what was said on a day."""
    moment = (START + timedelta(days=day)).isoformat()
    about = [{"text": name} for name in names]
    await bank.retain({"content": text, "timestamp": moment, "entities": about, **fields})


async def consolidate(app: Application, bank: TestBank) -> Consolidated:
    async with app.database.read() as connection:
        found = await find_bank(connection, bank.bank_id)
    assert found is not None
    return await app.consolidation.consolidate(found)


async def observations(bank: TestBank, query: str, **body: Any) -> list[Json]:
    return await bank.results(query, types=["observation"], **body)


async def texts_of(bank: TestBank, ids: list[str]) -> list[str]:
    answers = [await bank.client.get(f"{bank.path}/memories/{id_}") for id_ in ids]
    return [answer.json()["text"] for answer in answers]


async def history(bank: TestBank, id_: str) -> list[Json]:
    response = await bank.client.get(f"{bank.path}/memories/{id_}/history")
    assert response.status_code == 200
    versions: list[Json] = response.json()
    return versions


async def diary(bank: TestBank) -> None:
    """A month with repeated, changed and contradicted statements, and much that is said once."""
    await say(bank, 0, "Alice lives in Berlin.", "Alice")
    await say(bank, 1, "Bob's favourite colour is blue.", "Bob")
    await say(bank, 2, "The standup is at 9:30.", "standup")
    await say(bank, 3, "Carol baked bread.", "Carol")
    await say(bank, 5, "alice lives in BERLIN", "Alice")
    await say(bank, 9, "The standup is at 9:30.", "standup")
    await say(bank, 12, "Alice works in Berlin.", "Alice")
    await say(bank, 15, "Alice now lives in Munich.", "Alice")
    await say(bank, 20, "The standup is at 10:00.", "standup")
    await say(bank, 22, "Bob likes chess.", "Bob")
    await say(bank, 28, "Bob's favourite colour is green.", "Bob")


async def test_after_a_month_the_current_statement_is_the_observation(
    app: Application, bank: TestBank
) -> None:
    await diary(bank)
    done = await consolidate(app, bank)
    assert done.facts == 11
    found = {
        query: (await observations(bank, query))[0]
        for query in ("Where does Alice live?", "When is the standup?", "Which colour does Bob like?")
    }
    assert [fact["text"] for fact in found.values()] == [
        "Alice now lives in Munich.",
        "The standup is at 10:00.",
        "Bob's favourite colour is green.",
    ]
    assert len(await observations(bank, "Alice standup Bob Carol chess")) == 3
    alice = (await observations(bank, "Where does Alice live?", include={"source_facts": {}}))[0]
    assert await texts_of(bank, alice["source_fact_ids"]) == [
        "Alice lives in Berlin.",
        "alice lives in BERLIN",
        "Alice now lives in Munich.",
    ]
    detail = (await bank.client.get(f"{bank.path}/memories/{alice['id']}")).json()
    assert detail["proof_count"] == 3
    assert detail["entities"] == ["Alice"]
    assert (alice["mentioned_at"], alice["document_id"], alice["chunk_id"]) == (
        "2026-09-16T08:00:00+00:00",
        None,
        None,
    )
    await assert_exact(app, bank)


async def test_what_was_superseded_is_only_in_the_history(app: Application, bank: TestBank) -> None:
    await say(bank, 0, "Alice lives in Berlin.", "Alice")
    await say(bank, 1, "Alice lives in Berlin.", "Alice")
    await consolidate(app, bank)
    (first,) = await observations(bank, "Alice lives")
    assert await history(bank, first["id"]) == []
    await say(bank, 2, "Alice lives in Munich.", "Alice")
    await consolidate(app, bank)
    (now,) = await observations(bank, "Alice lives")
    assert (now["id"], now["text"]) == (first["id"], "Alice lives in Munich.")
    (before,) = await history(bank, now["id"])
    assert (before["previous_text"], len(before["new_source_memory_ids"])) == ("Alice lives in Berlin.", 1)
    assert await observations(bank, "Berlin", min_scores={"semantic": 2.0}) == []


async def test_a_late_memory_of_an_earlier_day_does_not_take_over(app: Application, bank: TestBank) -> None:
    await say(bank, 5, "Alice lives in Munich.", "Alice")
    await say(bank, 6, "Alice lives in Munich.", "Alice")
    await consolidate(app, bank)
    await say(bank, 1, "Alice lives in Berlin.", "Alice")
    await consolidate(app, bank)
    (observation,) = await observations(bank, "Alice lives")
    assert observation["text"] == "Alice lives in Munich."


async def test_a_single_statement_is_no_observation_until_it_is_repeated(
    app: Application, bank: TestBank
) -> None:
    await say(bank, 0, "Carol baked bread.", "Carol")
    assert (await consolidate(app, bank)).created == 0
    await say(bank, 9, "Carol baked bread.")
    assert (await consolidate(app, bank)).created == 1
    (observation,) = await observations(bank, "bread")
    assert observation["text"] == "Carol baked bread."


async def test_running_again_changes_nothing(app: Application, bank: TestBank) -> None:
    await diary(bank)
    await consolidate(app, bank)
    asked = {"query_timestamp": "2026-10-01"}
    before = await observations(bank, "Alice standup Bob", **asked)
    assert await consolidate(app, bank) == Consolidated()
    assert await observations(bank, "Alice standup Bob", **asked) == before


async def test_facts_of_different_scopes_never_share_an_observation(app: Application, bank: TestBank) -> None:
    for tags in (["x"], ["x"], ["y"], []):
        await say(bank, 0, "Alice lives in Berlin.", "Alice", tags=tags)
    await consolidate(app, bank)
    (observation,) = await observations(bank, "Alice")
    assert observation["tags"] == ["x"]
    detail = (await bank.client.get(f"{bank.path}/memories/{observation['id']}")).json()
    assert detail["proof_count"] == 2


async def test_scopes_can_be_per_tag_shared_or_named(app: Application, bank: TestBank) -> None:
    for scopes in ("per_tag", "per_tag", "shared", [["z"]], "shared", [["z"]]):
        await say(bank, 0, "Alice lives here.", "Alice", tags=["x", "y"], observation_scopes=scopes)
    await consolidate(app, bank)
    found = await observations(bank, "Alice")
    assert sorted(fact["tags"] for fact in found) == [[], ["x"], ["y"], ["z"]]
    page = (await bank.client.get(f"{bank.path}/observations/scopes")).json()
    assert sorted((scope["tags"], scope["count"]) for scope in page["scopes"]) == [
        ([], 1),
        (["x"], 1),
        (["y"], 1),
        (["z"], 1),
    ]
    assert (page["total"], page["limit"], page["offset"]) == (4, 100, 0)


async def test_deleting_a_source_withdraws_the_observation_and_the_rest_may_make_another(
    app: Application, bank: TestBank
) -> None:
    for day, name in enumerate(("one", "two", "three")):
        await say(bank, day, "Alice lives in Berlin.", "Alice", document_id=name)
    await consolidate(app, bank)
    await bank.client.delete(f"{bank.path}/documents/three")
    assert await observations(bank, "Alice") == []
    await consolidate(app, bank)
    (observation,) = await observations(bank, "Alice", include={"source_facts": {}})
    assert len(observation["source_fact_ids"]) == 2
    await bank.client.delete(f"{bank.path}/documents/one")
    await consolidate(app, bank)
    assert await observations(bank, "Alice") == []
    await assert_exact(app, bank)


async def test_editing_or_invalidating_a_source_withdraws_the_observation(
    app: Application, bank: TestBank
) -> None:
    for day in range(2):
        await say(bank, day, "Alice lives in Berlin.", "Alice")
    await consolidate(app, bank)
    (fact, _) = await bank.results("Alice", types=["world"])
    await bank.client.patch(f"{bank.path}/memories/{fact['id']}", json={"text": "Alice plays golf."})
    assert await observations(bank, "Alice") == []
    await bank.client.patch(f"{bank.path}/memories/{fact['id']}", json={"text": "Alice lives in Berlin."})
    await consolidate(app, bank)
    assert len(await observations(bank, "Alice")) == 1
    await bank.client.patch(f"{bank.path}/memories/{fact['id']}", json={"state": "invalidated"})
    assert await observations(bank, "Alice") == []


async def test_prefer_observations_hides_what_they_rest_on(app: Application, bank: TestBank) -> None:
    await diary(bank)
    await consolidate(app, bank)
    texts = await bank.texts("Where does Alice live?", prefer_observations=True)
    assert texts[0] == "Alice now lives in Munich."
    assert "Alice lives in Berlin." not in texts
    assert "Alice works in Berlin." in texts


async def test_consolidation_on_request_is_an_operation(app: Application, bank: TestBank) -> None:
    await say(bank, 0, "Alice lives in Berlin.", "Alice")
    await say(bank, 1, "Alice lives in Berlin.", "Alice")
    first = (await bank.client.post(f"{bank.path}/consolidate")).json()
    second = (await bank.client.post(f"{bank.path}/consolidate", json={})).json()
    assert (first["deduplicated"], second["deduplicated"]) == (False, True)
    assert first["operation_id"] == second["operation_id"]
    while await worker_of(app).work_once():
        pass
    status = await status_of(bank, first["operation_id"])
    assert (status["status"], status["operation_type"]) == ("completed", "consolidation")
    assert status["result_metadata"]["created"] == 1
    assert len(await observations(bank, "Alice")) == 1
    gone = await bank.client.post(f"{bank.path}-unknown/consolidate")
    assert gone.status_code == 404


async def test_a_bank_that_wants_none_gets_none(app: Application, bank: TestBank) -> None:
    await bank.client.patch(f"{bank.path}/config", json={"updates": {"enable_observations": False}})
    for day in range(2):
        await say(bank, day, "Alice lives in Berlin.", "Alice")
    await bank.client.post(f"{bank.path}/consolidate")
    while await worker_of(app).work_once():
        pass
    assert await observations(bank, "Alice") == []


async def test_a_retain_is_followed_by_consolidation_where_wanted(app: Application, bank: TestBank) -> None:
    for day in range(2):
        await say(bank, day, "Alice lives in Berlin.", "Alice")
    async with app.database.read() as connection:
        found = await find_bank(connection, bank.bank_id)
    assert found is not None
    wanted = {**found.overrides, "enable_auto_consolidation": True}
    after = AutoConsolidation(app.consolidation)
    after(found)
    assert not after._running
    asked = type(found)(**{**{f: getattr(found, f) for f in found.__slots__}, "overrides": wanted})
    after(asked)
    after(asked)
    await asyncio.gather(*after._running.values())
    assert len(await observations(bank, "Alice")) == 1
    await after.aclose()


async def test_observations_can_be_cleared_and_made_anew(app: Application, bank: TestBank) -> None:
    await diary(bank)
    await consolidate(app, bank)
    cleared = (await bank.client.delete(f"{bank.path}/observations")).json()
    assert (cleared["success"], cleared["deleted_count"]) == (True, 3)
    assert await observations(bank, "Alice standup Bob") == []
    assert len(await bank.results("Alice standup Bob Carol", types=["world"], max_tokens=9999)) == 11
    await consolidate(app, bank)
    assert len(await observations(bank, "Alice standup Bob")) == 3


async def test_the_observations_of_one_memory_can_be_cleared(app: Application, bank: TestBank) -> None:
    await diary(bank)
    await consolidate(app, bank)
    (fact,) = [f for f in await bank.results("Alice Munich", types=["world"]) if "Munich" in f["text"]]
    path = f"{bank.path}/memories/{fact['id']}/observations"
    assert (await bank.client.delete(path)).json() == {"deleted_count": 1}
    assert (await bank.client.delete(path)).json() == {"deleted_count": 0}
    assert len(await observations(bank, "Alice standup Bob")) == 2


async def test_consolidation_that_failed_can_be_recovered(app: Application, bank: TestBank) -> None:
    await say(bank, 0, "Alice lives in Berlin.", "Alice")
    async with app.database.read() as connection:
        found = await find_bank(connection, bank.bank_id)
        assert found is not None
        await connection.execute(
            "UPDATE memory_units SET consolidation_failed_at = now() WHERE bank_key = %s", (found.key,)
        )
    assert (await consolidate(app, bank)).facts == 0
    recovered = await bank.client.post(f"{bank.path}/consolidation/recover")
    assert recovered.json() == {"retried_count": 1}
    assert (await consolidate(app, bank)).facts == 1


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/memories/nope/history", 400),
        ("GET", f"/memories/{'0' * 32}/history", 404),
        ("DELETE", "/memories/nope/observations", 400),
        ("DELETE", f"/memories/{'0' * 32}/observations", 404),
        ("GET", "/observations/scopes?limit=1001", 422),
    ],
)
async def test_what_is_not_there_is_said(bank: TestBank, method: str, path: str, status: int) -> None:
    await bank.retain("a fact")
    assert (await bank.client.request(method, bank.path + path)).status_code == status


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/observations/scopes"), ("DELETE", "/observations"), ("POST", "/consolidation/recover")],
)
async def test_the_observations_of_an_unknown_bank_are_404(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    assert (await client.request(method, f"/v1/default/banks/unknown{path}")).status_code == 404


async def test_d22_facts_stand_in_for_observations_while_there_are_none(
    app: Application, bank: TestBank
) -> None:
    await say(bank, 0, "Alice lives in Berlin.", "Alice")
    strict = await bank.post_recall("Alice", types=["observation"])
    assert strict.json()["results"] == []
    assert "X-Recall-Fallback" not in strict.headers
    await bank.client.patch(f"{bank.path}/config", json={"updates": {"recall_observation_fallback": True}})
    kind = await bank.post_recall("Alice", types=["observation"], trace=True)
    assert kind.headers["X-Recall-Fallback"] == "observation"
    assert [fact["type"] for fact in kind.json()["results"]] == ["world"]
    await say(bank, 1, "Alice lives in Berlin.", "Alice")
    await consolidate(app, bank)
    settled = await bank.post_recall("Alice", types=["observation"])
    assert [fact["type"] for fact in settled.json()["results"]] == ["observation"]
    assert "X-Recall-Fallback" not in settled.headers
    mixed = await bank.post_recall("Alice", types=["world", "observation"])
    assert "X-Recall-Fallback" not in mixed.headers
