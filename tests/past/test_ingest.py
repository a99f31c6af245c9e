"""Data points in and out: once for each key and content, replaced whole, and told of at every step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import update

from recalld.api.app import create_app
from recalld.bootstrap import Application, working
from recalld.domain.errors import Unprocessable
from recalld.retain.service import RetainService
from recalld.store.tables import operations
from tests.fixtures.archives import exported, imported
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer
from tests.fixtures.operations import work_off
from tests.fixtures.variants import client_of, variant
from tests.past.project import Project

NOTE = {"content": "The spare key is at the bakery.", "identity": "ann"}


def nested(levels: int) -> object:
    value: object = "innermost"
    for _ in range(levels):
        value = [value]
    return value


async def found(
    project: Project, identity: str = "ann", query: str = "Where is the spare key?"
) -> list[Json]:
    results: list[Json] = (await project.recall(query, identity))["results"]
    return results


async def followed(project: Project, receipt: Json) -> Json:
    response = await project.get(f"/ingest/{receipt['ingestionId']}")
    assert response.status_code == 200, response.text
    told: Json = response.json()
    return told


async def sent(project: Project, path: str, body: Json) -> Json:
    """A receipt, nothing being worked off yet."""
    response = await project.post(path, body)
    assert response.status_code == 200, response.text
    receipt: Json = response.json()
    return receipt


async def test_an_ingestion_is_told_of_at_every_step(app: Application, project: Project) -> None:
    receipt = await sent(project, "/ingest", {**NOTE, "id": "key"})
    UUID(receipt["ingestionId"])
    assert receipt == {
        "projectId": project.bank_id,
        "ingestionId": receipt["ingestionId"],
        "sourceId": "key",
        "status": "queued",
        "unchanged": False,
    }
    same = {"projectId": project.bank_id, "ingestionId": receipt["ingestionId"], "blocked": False}
    queued = {**same, "status": "queued", "settled": False, "readiness": "pending"}
    assert await followed(project, receipt) == queued
    await work_off(app)
    done = {**same, "status": "completed", "settled": True, "readiness": "ready"}
    assert await followed(project, receipt) == done


async def test_one_that_fails_says_why(app: Application, project: Project) -> None:
    receipt = await sent(project, "/ingest", NOTE)

    async def becomes(**values: Any) -> Json:
        async with app.database.write() as connection:
            ids = operations.c.id == UUID(receipt["ingestionId"])
            await connection.execute(update(operations).where(ids).values(**values))
        return await followed(project, receipt)

    waiting = await becomes(error_message="The model is away.")
    assert (waiting["status"], waiting["settled"], waiting["blocked"]) == ("queued", False, True)
    assert waiting["failure"] == {"code": "ingestion-failed", "message": "The model is away."}
    failed = await becomes(status="failed")
    assert (failed["status"], failed["settled"], failed["readiness"]) == ("failed", True, "failed")
    cancelled = await becomes(status="cancelled", error_message=None)
    assert cancelled["failure"]["message"] == "The ingestion was cancelled."
    await work_off(app)


async def test_the_same_content_is_there_already(project: Project) -> None:
    first = await project.ingest(**NOTE)
    again = await project.ingest(**NOTE)
    assert again == {**first, "status": "completed", "unchanged": True}
    assert first["sourceId"].startswith("src_")
    assert len(await found(project)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"identity": "ben"},
        {"audience": "team"},
        {"timestamp": "2026-01-01T00:00:00Z"},
        {"content": "The spare key is at the baker's."},
    ],
)
async def test_other_content_is_another_source(project: Project, change: Json) -> None:
    first = await project.ingest(**NOTE)
    other = await project.ingest(**{**NOTE, **change})
    assert other["sourceId"] != first["sourceId"]
    assert not other["unchanged"]


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"content": "The spare key is at the mill."}, ("content", "The spare key is at the mill.")),
        ({"timestamp": "2026-02-01T00:00:00Z"}, ("occurredAt", "2026-02-01T00:00:00Z")),
        ({"label": "keys"}, ("label", "keys")),
        ({"metadata": {"n": 3}}, ("metadata", {"n": 3})),
    ],
)
async def test_a_known_id_is_replaced_whole(project: Project, change: Json, shown: tuple[str, Any]) -> None:
    known: Json = {
        **NOTE,
        "id": "key",
        "timestamp": "2026-01-01T00:00:00Z",
        "metadata": {"n": 2},
        "label": "a",
    }
    await project.ingest(**known)
    receipt = await project.ingest(**{**known, **change})
    assert (receipt["sourceId"], receipt["unchanged"]) == ("key", False)
    (result,) = await found(project)
    assert {**result, **result["sources"][0]}[shown[0]] == shown[1]
    assert (await project.ingest(**{**known, **change}))["unchanged"]


async def test_a_source_that_changes_hands_is_out_of_sight(project: Project) -> None:
    await project.ingest(**NOTE, id="key")
    await project.ingest(**{**NOTE, "identity": "ben"}, id="key")
    assert (len(await found(project)), len(await found(project, "ben"))) == (0, 1)
    assert (await project.get("/identities")).json()["identities"] == [{"identity": "ben", "dataPoints": 1}]


async def test_what_was_stored_by_the_other_door_is_written_anew(app: Application, project: Project) -> None:
    bank = TestBank(project.client, project.bank_id)
    await project.ingest(**NOTE, id="key", label="a")
    await bank.retain({"content": NOTE["content"], "document_id": "key", "tags": ["identity:ann"]})
    assert "label" not in (await found(project))[0]["sources"][0]
    receipt = await project.ingest(**NOTE, id="key", label="a")
    assert not receipt["unchanged"]
    assert (await found(project))[0]["sources"][0]["label"] == "a"


async def test_a_key_is_worked_on_once(app: Application, project: Project) -> None:
    body = {**NOTE, "idempotencyKey": "k"}
    first = await sent(project, "/ingest", body)
    assert await sent(project, "/ingest", body) == first
    await work_off(app)
    later = await sent(project, "/ingest", body)
    assert later == {**first, "status": "completed", "unchanged": True}
    await project.ingest(**{**NOTE, "content": "The spare key is lost."}, id=first["sourceId"])
    assert (await sent(project, "/ingest", body))["ingestionId"] == first["ingestionId"]
    assert [one["content"] for one in await found(project)] == ["The spare key is lost."]


async def test_a_key_that_was_used_for_something_else_is_a_409(project: Project) -> None:
    await project.ingest(**NOTE, idempotencyKey="k")
    other = await project.post("/ingest", {"content": "Something else.", "idempotencyKey": "k"})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency-conflict")
    batch = await project.post("/ingest/batch", {"items": [{"content": "x"}], "idempotencyKey": "k"})
    assert batch.status_code == 409


async def test_keys_sent_at_once_make_one_ingestion(app: Application, project: Project) -> None:
    body = {**NOTE, "id": "key", "idempotencyKey": "k"}
    receipts = await asyncio.gather(*(sent(project, "/ingest", body) for _ in range(8)))
    assert len({receipt["ingestionId"] for receipt in receipts}) == 1
    assert (await project.recall("x", "ann"))["pending"]["ingestions"] == 1
    await work_off(app)
    assert len(await found(project)) == 1


async def test_a_batch(app: Application, project: Project) -> None:
    known = await project.ingest(**NOTE)
    items: list[Json] = [
        NOTE,
        {"content": "The boiler hums.", "id": "b", "identity": "ben"},
        {"content": "Old.", "id": "twice"},
        {"content": "New.", "id": "twice"},
    ]
    receipt = await sent(project, "/ingest/batch", {"items": items})
    told = [(one["ordinal"], one["sourceId"], one["status"], one["unchanged"]) for one in receipt["items"]]
    assert told == [
        (0, known["sourceId"], "completed", True),
        (1, "b", "queued", False),
        (2, "twice", "queued", False),
        (3, "twice", "queued", False),
    ]
    assert (receipt["status"], receipt["unchanged"]) == ("queued", False)
    await work_off(app)
    assert (await followed(project, receipt))["readiness"] == "ready"
    assert {one["content"] for one in await found(project, "x", "new or old")} == {"New."}


async def test_a_batch_that_changes_nothing_can_be_followed_too(project: Project) -> None:
    items = [NOTE, {"content": "The boiler hums."}]
    first = await project.ingest_batch(*items)
    again = await project.ingest_batch(*items)
    assert (again["unchanged"], again["status"]) == (True, "completed")
    assert again["ingestionId"] != first["ingestionId"]
    assert (await project.ingest_batch(*items))["ingestionId"] == again["ingestionId"]
    assert (await followed(project, again))["settled"]


@pytest.mark.parametrize(
    "body",
    [
        {"items": []},
        {"items": [{"content": "x"}] * 1001},
        {"items": [{"content": ""}]},
        {"items": [{"content": "x", "idempotencyKey": "k"}]},
        {"items": {"content": "x"}},
    ],
)
async def test_batches_that_cannot_be_taken(project: Project, body: Json) -> None:
    response = await project.post("/ingest/batch", body)
    assert (response.status_code, response.json()["code"]) == (400, "invalid-request")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"content": "\x00\x01"}, "content: must not be blank"),
        ({"content": None}, "content must not be null"),
        ({"id": "a\x00"}, "id: must not hold control characters"),
        ({"id": "i" * 201}, "id: String should have at most 200 characters"),
        ({"label": "a\x00"}, "label: must not hold control characters"),
        ({"metadata": {"a": ["\x00"]}}, "metadata: must not hold control characters"),
        ({"metadata": {"\x00": 1}}, "metadata: must not hold control characters"),
        ({"metadata": nested(102)}, "metadata: must not be nested more than 100 levels"),
        ({"metadata": float("inf")}, "metadata: must not hold numbers that are not finite"),
        ({"timestamp": ""}, "timestamp: should be a date-time"),
        ({"audience": " "}, "audience: must not be blank"),
        ({"group": "g"}, "group: Extra inputs are not permitted"),
    ],
)
async def test_data_points_that_cannot_be_taken(project: Project, change: Json, says: str) -> None:
    response = await project.post("/ingest", {**NOTE, **change})
    assert (response.status_code, response.json()["code"]) == (400, "invalid-request")
    assert says in response.json()["debugMessage"]
    assert (await project.get("/identities")).json()["identities"] == []


@pytest.mark.parametrize("source_id", ["plain", "with/slash", "with space", "ä?#%", ".."])
async def test_a_data_point_is_deleted_by_its_id(project: Project, source_id: str) -> None:
    await project.ingest(**NOTE, id=source_id)
    path = f"/data-points/{quote(source_id, safe='').replace('.', '%2E')}"
    receipt = (await project.delete(path)).json()
    UUID(receipt["operationId"])
    assert receipt["ids"] == [source_id]
    assert await found(project) == []
    assert (await project.delete(path)).status_code == 404
    assert not (await project.ingest(**NOTE, id=source_id))["unchanged"]


async def test_identities_come_in_pages(project: Project) -> None:
    for name in ("ben", "Ann", "ann", "änne", "ann/2"):
        await project.ingest("x", identity=name)
    await project.ingest("y", identity="ann")
    await project.ingest("Everybody's.")
    names: list[str] = []
    page: Json = {}
    while not page or page["hasMore"]:
        after = f"&after={quote(page['endCursor'], safe='')}" if page else ""
        page = (await project.get(f"/identities?limit=2{after}")).json()
        names += [one["identity"] for one in page["identities"]]
    assert names == sorted(["Ann", "ann", "ann/2", "ben", "änne"])
    whole = (await project.get("/identities")).json()["identities"]
    assert {one["identity"]: one["dataPoints"] for one in whole}["ann"] == 2
    last = (await project.get(f"/identities?after={quote('änne')}")).json()
    assert last == {"identities": [], "hasMore": False}


async def test_audiences(project: Project) -> None:
    for number in range(2):
        await project.ingest(f"Note {number}", audience="team/a", identity="ann")
    await project.ingest("Note", audience="club")
    listed = [{"slug": "club", "dataPoints": 1}, {"slug": "team/a", "dataPoints": 2}]
    assert (await project.get("/audiences")).json() == {"audiences": listed}
    assert (await project.get("/audiences/team%2Fa")).json() == listed[1]


async def test_a_project_is_closed_to_the_keys_of_others(project: Project, past: httpx.AsyncClient) -> None:
    other = Project(past, "past_sk_399", "another", project.app)
    receipt = await project.ingest(**NOTE, id="key")
    assert (await other.get(f"/ingest/{receipt['ingestionId']}")).status_code == 404
    assert (await other.delete("/data-points/key")).status_code == 404
    assert (await other.get("/identities")).json()["identities"] == []
    assert await found(other) == []
    assert len(await found(project)) == 1


async def test_an_operation_of_another_kind_is_no_ingestion(project: Project) -> None:
    await project.ingest(**NOTE)
    bank = TestBank(project.client, project.bank_id)
    started = (await answer(bank, "POST", "/consolidate"))["operation_id"]
    assert (await project.get(f"/ingest/{started}")).status_code == 404
    await work_off(project.app)


async def test_an_alias_may_be_a_project(app: Application, project: Project) -> None:
    real = TestBank(project.client, f"real-{uuid4()}")
    await real.retain("Something.")
    await answer(real, "POST", "/aliases", json={"alias": project.bank_id})
    receipt = await project.ingest(**NOTE, id="key")
    assert (await followed(project, receipt))["settled"]
    assert len(await found(project)) == 1
    assert (await project.delete("/data-points/key")).status_code == 200


async def test_labels_and_metadata_travel_in_archives(app: Application, project: Project) -> None:
    await project.ingest(**NOTE, id="key", label="keys", metadata={"n": 3, "l": [None]})
    bank = TestBank(project.client, project.bank_id)
    data = await exported(app, bank)
    await project.delete("/data-points/key")
    await imported(app, bank, data)
    ((source,),) = [one["sources"] for one in await found(project)]
    assert (source["label"], source["metadata"]) == ("keys", {"n": 3, "l": [None]})
    assert (await imported(app, bank, data))["documents_skipped"] == 1


@pytest.fixture
async def separate(app: Application) -> AsyncIterator[Project]:
    """A project in which every identity has a bank of its own, on a server that works and waits."""
    bank_id = f"home-{uuid4()}"
    settings = {
        "past_keys": SecretStr(f"past_sk_home={bank_id}"),
        "past_identity_mode": "bank",
        "past_ingest_wait": 30,
    }
    web = create_app(running=variant(app, settings))
    async with web.router.lifespan_context(web), working(app), client_of(web) as client:
        yield Project(client, "past_sk_home", bank_id, app)


async def test_identities_may_have_a_bank_each(separate: Project) -> None:
    first = await sent(separate, "/ingest", {**NOTE, "id": "key"})
    assert first["status"] == "completed"
    await sent(separate, "/ingest", {**NOTE, "identity": "ben/2"})
    assert (await followed(separate, first))["settled"]
    assert len(await found(separate)) == len(await found(separate, "ben/2")) == 1
    assert await found(separate, "cem") == []
    page = (await separate.get("/identities?limit=1")).json()
    assert page["identities"] == [{"identity": "ann", "dataPoints": 1}]
    assert (page["hasMore"], page["endCursor"]) == (True, "ann")
    assert (await separate.delete("/data-points/key")).status_code == 200
    assert await found(separate) == []
    for body in ({"content": "x"}, {**NOTE, "audience": "team"}, {**NOTE, "identity": "ä" * 150}):
        response = await separate.post("/ingest", body)
        assert (response.status_code, response.json()["code"]) == (400, "invalid-request")
    mixed = {"items": [NOTE, {**NOTE, "identity": "ben"}]}
    assert (await separate.post("/ingest/batch", mixed)).status_code == 400
    long = await separate.post("/recall", {"query": "q", "identity": "ä" * 150})
    assert (long.status_code, "too long" in long.json()["debugMessage"]) == (400, True)


async def test_what_cannot_be_stored_is_told_to_who_waits(
    separate: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuses(*_: Any) -> None:
        raise Unprocessable("A value is too long.")

    monkeypatch.setattr(RetainService, "retain", refuses)
    response = await separate.post("/ingest", NOTE)
    told = response.json()
    assert (response.status_code, told["code"], told["debugMessage"]) == (
        400,
        "ingestion-failed",
        "A value is too long.",
    )
    assert (await followed(separate, told["data"]))["status"] == "failed"
