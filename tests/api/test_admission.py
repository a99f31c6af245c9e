"""Over capacity, and clients that leave: 503 with a hint, 499 with nothing left behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.store.engine import conninfo, fetch
from recalld.telemetry import Metrics
from tests.api.test_system import value_of
from tests.fixtures.bank import TestBank
from tests.fixtures.variants import client_of, variant

BUSY = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
      AND wait_event_type = 'Lock'
"""


@pytest.fixture
async def narrow(app: Application) -> AsyncIterator[FastAPI]:
    """A server with one place, where nobody waits."""
    settings = {"admission_recall_max_in_flight": 1, "admission_recall_max_wait_ms": 0}
    web = create_app(running=variant(app, settings, metrics=Metrics()))
    async with web.router.lifespan_context(web):
        yield web


async def test_over_capacity_answers_503_with_the_published_message(narrow: FastAPI, bank: TestBank) -> None:
    await bank.retain("a fact")
    async with client_of(narrow) as client:
        busy = TestBank(client, bank.bank_id)
        async with narrow.state.recall_lane.admit():
            refused = await busy.post_recall("fact")
            invalid = await busy.post_recall("?!")
            malformed = await client.post(busy.path + "/memories/recall", content="{bad")
            other = await client.get("/v1/default/banks")
        assert refused.status_code == invalid.status_code == 503
        assert refused.json() == {
            "detail": "Server is at capacity for 'recall' (1 concurrent); try again shortly."
        }
        assert refused.headers["Retry-After"] == "1"
        assert (malformed.status_code, other.status_code) == (422, 200)
        assert (await busy.post_recall("fact")).status_code == 200


@asynccontextmanager
async def stalled(database_url: str) -> AsyncIterator[None]:
    """No fact can be read inside the block."""
    async with await psycopg.AsyncConnection.connect(conninfo(database_url)) as connection:
        await connection.execute("LOCK TABLE memory_units IN ACCESS EXCLUSIVE MODE")
        yield


async def waiting(app: Application) -> int:
    async with app.database.read() as connection:
        rows = await fetch(connection, BUSY, {})
    return int(rows[0][0])


async def until_waiting(app: Application, *, any_at_all: bool) -> None:
    async with asyncio.timeout(30):
        while bool(await waiting(app)) is not any_at_all:  # noqa: ASYNC110 - PostgreSQL sends no event
            await asyncio.sleep(0.02)


class LeavingClient:
    """Sends one recall straight to the application, and leaves when told."""

    def __init__(self, web: FastAPI, bank: TestBank) -> None:
        self._web = web
        self._path = f"{bank.path}/memories/recall"
        self._messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[Any] = []

    async def call(self) -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": self._path,
            "raw_path": self._path.encode(),
            "query_string": b"",
            "headers": [(b"content-type", b"application/json")],
        }
        body = json.dumps({"query": "fact"}).encode()
        self._messages.put_nowait({"type": "http.request", "body": body, "more_body": False})
        await self._web(scope, self._messages.get, self._send)

    async def _send(self, message: Any) -> None:
        self.sent.append(message)

    def leave(self) -> None:
        self._messages.put_nowait({"type": "http.disconnect"})

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])


async def test_issue_2122_a_recall_whose_client_left_frees_its_connections(
    narrow: FastAPI, app: Application, bank: TestBank, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    await bank.retain("a fact")
    gone = LeavingClient(narrow, bank)
    with caplog.at_level("INFO"):
        async with stalled(database_url):
            task = asyncio.ensure_future(gone.call())
            await until_waiting(app, any_at_all=True)
            gone.leave()
            await task
            await until_waiting(app, any_at_all=False)
    assert gone.status == 499
    assert "499" in caplog.text
    async with client_of(narrow) as client:
        assert await TestBank(client, bank.bank_id).texts("fact") == ["a fact"]
        metrics = (await client.get("/metrics")).text
    recalls = "hindsight_operation_operations_total"
    assert value_of(metrics, recalls, operation="recall", success="false") == 0
    assert value_of(metrics, recalls, operation="recall", success="true") == 1
    assert value_of(metrics, "hindsight_http_requests_total", status_code="499") == 1


async def test_issue_2127_a_client_that_leaves_the_queue_is_not_counted_as_turned_away(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("a fact")
    web = create_app(running=variant(app, {"admission_recall_max_in_flight": 1}, metrics=Metrics()))
    async with web.router.lifespan_context(web):
        gone = LeavingClient(web, bank)
        async with web.state.recall_lane.admit():
            task = asyncio.ensure_future(gone.call())
            await asyncio.sleep(0.05)
            gone.leave()
            await task
        assert gone.status == 499
        async with client_of(web) as client:
            assert await TestBank(client, bank.bank_id).texts("fact") == ["a fact"]
            metrics = (await client.get("/metrics")).text
    assert value_of(metrics, "hindsight_http_requests_total", status_code="503") == 0


async def test_a_negative_capacity_is_no_limit(app: Application) -> None:
    web = create_app(running=variant(app, {"admission_recall_max_in_flight": -1}))
    assert web.state.recall_lane is None


async def test_a_client_that_stays_gets_its_answer(narrow: FastAPI, bank: TestBank) -> None:
    await bank.retain("a fact")
    staying = LeavingClient(narrow, bank)
    await staying.call()
    assert staying.status == 200
    assert httpx.Response(200, content=b"".join(m.get("body", b"") for m in staying.sent)).json()["results"]
