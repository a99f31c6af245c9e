"""Async retain: queued durably, followed, cancelled, retried, done exactly once."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from recalld.bootstrap import Application, working
from recalld.domain.errors import Overloaded, Unprocessable
from recalld.domain.operations import Claim, Payload
from recalld.operations import worker as worker_module
from recalld.operations.worker import pause_after
from recalld.store.engine import fetch
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.operations import status_of, submit, work_off, worker_of
from tests.fixtures.variants import variant


@pytest.fixture(autouse=True)
async def _nothing_left_over(app: Application) -> None:
    """Parts of other tests are done before this one counts its own."""
    await work_off(app)


async def listed(bank: TestBank, **params: Any) -> list[Json]:
    page: Json = (await bank.client.get(f"{bank.path}/operations", params=params)).json()
    rows: list[Json] = page["operations"]
    return rows


async def change(bank: TestBank, method: str, id_: str, suffix: str = "") -> httpx.Response:
    return await bank.client.request(method, f"{bank.path}/operations/{id_}{suffix}")


async def test_an_async_retain_answers_before_it_stores(app: Application, bank: TestBank) -> None:
    answer = await bank.retain("a fact", "another", **{"async": True})
    id_ = answer["operation_id"]
    assert answer == {
        "success": True,
        "bank_id": bank.bank_id,
        "items_count": 2,
        "async": True,
        "operation_id": id_,
        "operation_ids": [id_],
        "usage": None,
    }
    assert await bank.texts("fact another") == []
    assert (await status_of(bank, id_))["status"] == "pending"
    assert await work_off(app) == 1
    assert set(await bank.texts("fact another")) == {"a fact", "another"}
    status = await status_of(bank, id_)
    assert (status["status"], status["operation_type"]) == ("completed", "batch_retain")
    assert status["completed_at"] is not None
    assert status["result_metadata"]["unit_ids_count"] == 2
    assert status["progress"]["processed"] == status["progress"]["total"] == 2
    (child,) = status["child_operations"]
    part = await status_of(bank, child["operation_id"])
    assert len(part["result_metadata"]["document_ids"]) == part["result_metadata"]["facts_committed"] == 2


async def test_a_server_does_its_own_background_work(app: Application, bank: TestBank) -> None:
    async with working(variant(app, {"worker_poll": 0.05})):
        id_ = await submit(bank, "a fact")
        async with asyncio.timeout(30):
            while (await status_of(bank, id_))["status"] != "completed":  # noqa: ASYNC110 - as a client polls
                await asyncio.sleep(0.02)
    assert await bank.texts("fact") == ["a fact"]


async def test_many_items_become_parts_that_are_listed(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, *(f"fact {i} " + "word " * 4000 for i in range(5)))
    status = await status_of(bank, id_)
    assert [part["items_count"] for part in status["child_operations"]] == [2, 2, 1]
    assert [part["sub_batch_index"] for part in status["child_operations"]] == [0, 1, 2]
    assert status["result_metadata"]["num_sub_batches"] == 3
    assert len(await listed(bank)) == 4
    assert {row["task_type"] for row in await listed(bank, exclude_parents=True)} == {"retain"}
    assert [row["id"] for row in await listed(bank, type="batch_retain")] == [id_]
    await worker_of(app).work_once()
    assert (await status_of(bank, id_))["status"] == "processing"
    assert len(await listed(bank, status="completed")) == 1
    await work_off(app)
    assert {row["status"] for row in await listed(bank)} == {"completed"}


async def test_pages_of_operations_come_newest_first(bank: TestBank) -> None:
    ids = [await submit(bank, f"fact {i}") for i in range(3)]
    page = (
        await bank.client.get(f"{bank.path}/operations", params={"type": "batch_retain", "limit": 2})
    ).json()
    assert [row["id"] for row in page["operations"]] == ids[:0:-1]
    assert (page["total"], page["limit"], page["offset"]) == (3, 2, 0)
    for limit in (0, 101):
        response = await bank.client.get(f"{bank.path}/operations", params={"limit": limit})
        assert response.status_code == 422


async def test_a_known_operation_id_returns_the_operation_and_does_nothing(
    app: Application, bank: TestBank
) -> None:
    id_ = str(uuid4())
    assert await submit(bank, "first", operation_id=id_) == id_
    assert await submit(bank, "second", operation_id=id_) == id_
    await work_off(app)
    assert await submit(bank, "third", operation_id=id_) == id_
    assert await work_off(app) == 0
    assert await bank.texts("first second third") == ["first"]


async def test_an_operation_id_of_another_bank_is_409(bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    other = TestBank(bank.client, f"{bank.bank_id}-other")
    response = await other.post_items({"content": "x"}, **{"async": True, "operation_id": id_})
    assert response.status_code == 409


@pytest.mark.parametrize(
    ("items", "body", "status"),
    [
        pytest.param([{"content": "x"}], {"operation_id": "nope"}, 422, id="malformed"),
        pytest.param([{"content": x, "document_id": "d"} for x in "ab"], {}, 400, id="same document"),
        pytest.param(
            [{"content": "x", "strategy": s} for s in ("a", None)],
            {"operation_id": str(uuid4())},
            400,
            id="strategies",
        ),
    ],
)
async def test_what_cannot_be_queued_is_refused(
    bank: TestBank, items: list[Json], body: Json, status: int
) -> None:
    response = await bank.post_items(*items, **{"async": True, **body})
    assert response.status_code == status


async def test_a_sync_retain_takes_no_notice_of_an_operation_id(bank: TestBank) -> None:
    answer = await bank.retain("a fact", operation_id="nope")
    assert answer["operation_id"] is None


async def test_each_strategy_is_an_operation_of_its_own(app: Application, bank: TestBank) -> None:
    items = [{"content": f"fact {name}", "strategy": name} for name in ("a", "b", "a")]
    answer = await bank.retain(*items, **{"async": True})
    assert len(answer["operation_ids"]) == 2
    assert answer["operation_id"] == answer["operation_ids"][0]
    counts = [(await status_of(bank, id_))["progress"]["total"] for id_ in answer["operation_ids"]]
    assert counts == [2, 1]
    await work_off(app)
    assert len(await bank.texts("fact")) == 3


async def test_no_items_are_an_operation_that_is_done(bank: TestBank) -> None:
    id_ = await submit(bank)
    assert (await status_of(bank, id_))["status"] == "completed"


async def test_a_cancelled_operation_stores_nothing_and_can_be_retried(
    app: Application, bank: TestBank
) -> None:
    id_ = await submit(bank, "a fact")
    response = await change(bank, "DELETE", id_)
    assert response.json() == {
        "success": True,
        "message": f"Operation {id_} cancelled",
        "operation_id": id_,
    }
    assert await work_off(app) == 0
    assert (await status_of(bank, id_))["status"] == "cancelled"
    assert (await change(bank, "DELETE", id_)).status_code == 409
    assert (await change(bank, "POST", id_, "/retry")).status_code == 200
    assert await work_off(app) == 1
    assert await bank.texts("fact") == ["a fact"]
    assert (await change(bank, "POST", id_, "/retry")).status_code == 409


async def test_an_operation_cancelled_at_work_writes_nothing_more(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(claim: Claim) -> Payload:
        begun.set()
        await go_on.wait()
        return await worker_of(app).jobs[claim.type](claim)

    work = asyncio.ensure_future(worker_of(app, slow).work_once())
    await begun.wait()
    await change(bank, "DELETE", id_)
    go_on.set()
    await work
    assert (await status_of(bank, id_))["status"] == "cancelled"
    assert await bank.texts("fact") == []


async def test_a_worker_drops_a_part_that_was_cancelled(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    begun = asyncio.Event()

    async def endless(claim: Claim) -> Payload:
        begun.set()
        await asyncio.Event().wait()
        return {}

    work = asyncio.ensure_future(worker_of(app, endless, lease=0.3).work_once())
    await begun.wait()
    await change(bank, "DELETE", id_)
    async with asyncio.timeout(30):
        await work


async def test_only_an_ended_operation_can_be_deleted(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    assert (await change(bank, "DELETE", id_, "/delete")).status_code == 409
    await work_off(app)
    assert (await change(bank, "DELETE", id_, "/delete")).status_code == 200
    assert (await status_of(bank, id_))["status"] == "not_found"
    assert await listed(bank) == []
    assert await bank.texts("fact") == ["a fact"]


@pytest.mark.parametrize(("method", "suffix"), [("DELETE", ""), ("POST", "/retry"), ("DELETE", "/delete")])
async def test_an_unknown_operation_is_404(bank: TestBank, method: str, suffix: str) -> None:
    await bank.retain("a fact")
    assert (await change(bank, method, str(uuid4()), suffix)).status_code == 404
    assert (await change(bank, method, "nope", suffix)).status_code == 400


async def test_an_unknown_operation_has_a_status_of_its_own(bank: TestBank) -> None:
    assert (await status_of(bank, str(uuid4())))["status"] == "not_found"
    await bank.retain("a fact")
    assert (await status_of(bank, str(uuid4())))["status"] == "not_found"


async def test_the_operations_of_an_unknown_bank_are_404(bank: TestBank) -> None:
    assert (await bank.client.get(f"{bank.path}/operations")).status_code == 404


async def test_the_payload_is_shown_when_asked_for(bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    (child,) = (await status_of(bank, id_))["child_operations"]
    assert (await status_of(bank, child["operation_id"]))["task_payload"] is None
    shown = await status_of(bank, child["operation_id"], include_payload=True)
    assert shown["task_payload"]["items"][0]["content"] == "a fact"


async def fail_with(app: Application, error: Exception) -> None:
    async def failing(claim: Claim) -> Payload:
        raise error

    await worker_of(app, failing).work_once()


async def make_due(app: Application) -> None:
    async with app.database.read() as connection:
        await connection.execute("UPDATE operations SET due_at = now() WHERE due_at IS NOT NULL")


async def test_a_failure_that_may_pass_is_tried_again_later(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    await fail_with(app, Overloaded("busy"))
    (child,) = (await status_of(bank, id_))["child_operations"]
    part = await status_of(bank, child["operation_id"])
    assert (part["status"], part["retry_count"], part["error_message"]) == ("pending", 1, "busy")
    assert part["next_retry_at"] > part["updated_at"]
    assert await work_off(app) == 0
    await make_due(app)
    assert await work_off(app) == 1
    status = await status_of(bank, id_)
    assert (status["status"], status["error_message"]) == ("completed", None)


async def test_after_five_failures_a_part_has_failed(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    for _ in range(5):
        await make_due(app)
        await fail_with(app, ValueError("odd"))
    status = await status_of(bank, id_)
    assert (status["status"], status["error_message"]) == ("failed", "ValueError('odd')")
    assert (await change(bank, "POST", id_, "/retry")).status_code == 200
    assert await work_off(app) == 1
    assert (await status_of(bank, id_))["status"] == "completed"


async def test_a_failure_that_cannot_pass_is_final(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    await fail_with(app, Unprocessable("never"))
    assert (await status_of(bank, id_))["status"] == "failed"


@pytest.mark.parametrize(("failures", "least", "most"), [(1, 1.6, 2.4), (3, 6.4, 9.6), (50, 240, 360)])
def test_pauses_grow_up_to_five_minutes(failures: int, least: float, most: float) -> None:
    assert least <= pause_after(failures) <= most


async def test_an_append_is_applied_once_however_often_its_part_runs(
    app: Application, bank: TestBank
) -> None:
    await bank.retain({"content": "Start.", "document_id": "d"})
    await submit(bank, {"content": "More.", "document_id": "d", "update_mode": "append"})
    claims: list[Claim] = []

    async def dies_after_the_write(claim: Claim) -> Payload:
        claims.append(claim)
        await worker_of(app).jobs[claim.type](claim)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await worker_of(app, dies_after_the_write, lease=0.1).work_once()
    async with asyncio.timeout(30):
        while not await work_off(app):  # noqa: ASYNC110 - until the lease has run out
            await asyncio.sleep(0.05)
    assert len(claims) == 1
    assert await bank.texts("start more") == ["Start.\nMore."]


async def test_two_workers_share_the_parts_and_take_none_twice(app: Application, bank: TestBank) -> None:
    taken: list[str] = []

    async def noting(claim: Claim) -> Payload:
        taken.append(str(claim.id))
        await asyncio.sleep(0)
        return await worker_of(app).jobs[claim.type](claim)

    for i in range(10):
        await submit(bank, f"fact {i}")
    workers = [worker_of(app, noting) for _ in range(3)]

    async def empty(one: worker_module.Worker) -> None:
        while await one.work_once():
            pass

    await asyncio.gather(*(empty(one) for one in workers))
    assert len(taken) == len(set(taken)) == 10
    assert len(await bank.texts("fact", max_tokens=100_000)) == 10


async def test_a_part_that_kills_every_worker_is_given_up(
    app: Application, bank: TestBank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "MAX_CLAIMS", 0)
    id_ = await submit(bank, "a fact")
    await work_off(app)
    status = await status_of(bank, id_)
    assert status["status"] == "failed"
    assert "workers died" in status["error_message"]


async def test_deleting_a_bank_ends_its_operations(app: Application, bank: TestBank) -> None:
    await submit(bank, "a fact")
    await bank.client.delete(bank.path)
    assert await work_off(app) == 0
    assert (await bank.client.get(f"{bank.path}/operations")).status_code == 404


async def test_attachments_travel_through_the_queue(app: Application, bank: TestBank) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    await submit(bank, {"content": [{"type": "text", "text": "a fact"}, {"type": "image", "source": source}]})
    await work_off(app)
    (fact,) = await bank.results("fact")
    assert (await bank.client.get(fact["attachments"][0]["url"])).content == b"\x89PNG"


async def test_parents_are_never_claimed(app: Application, bank: TestBank) -> None:
    id_ = await submit(bank, "a fact")
    async with app.database.read() as connection:
        rows = await fetch(connection, "SELECT due_at FROM operations WHERE id = %(id)s::uuid", {"id": id_})
    assert rows == [(None,)]
