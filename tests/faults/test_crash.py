"""A server killed in the middle of its work, and parts of it that do not answer."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.domain.errors import Conflict, Overloaded
from recalld.recall.service import RecallLimits
from recalld.recall.types import QueryPlan, Ranking, Retriever, RetrieverName
from recalld.store import embedded
from recalld.store.engine import Database, PoolLimits
from recalld.store.queries.documents import stored_documents
from recalld.store.writes.facts import check_embedder
from tests.fixtures.bank import TestBank
from tests.fixtures.databases import cloned, settings_for
from tests.fixtures.facts import bank_key

SERVE = """
import sys, uvicorn
from recalld.api.app import create_app
from recalld.settings import Settings
uvicorn.run(create_app(Settings()), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
"""
PART = "This is paragraph {part} of document {name}, and it goes on for a while to fill its chunk. " * 4
PARTS = 4
ENOUGH = 30
"""Documents acknowledged before the kill."""


@dataclass
class Server:
    """A server process of our own."""

    data_dir: Path
    log: Path
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("RECALLD_", "HINDSIGHT_API_"))
        }
        environment |= {"RECALLD_DATA_DIR": str(self.data_dir), "RECALLD_MODEL_THREADS": "1"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, str(self.port)], env=environment, stdout=log, stderr=log
            )

    async def wait(self, client: httpx.AsyncClient) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            assert self.process is not None
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            try:
                if (await client.get(f"http://127.0.0.1:{self.port}/health")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        pytest.fail("the server does not answer")

    def end(self, how: signal.Signals) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=30)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with an embedded database, in a directory that every user can enter."""
    base = Path(tempfile.mkdtemp(prefix="recalld-crash-")).resolve()
    base.chmod(0o755)
    made = Server(base / "data", base / "log")
    try:
        yield made
    finally:
        made.end(signal.SIGTERM)
        embedded.start(made.data_dir).close()
        shutil.rmtree(base)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A client over the network."""
    async with httpx.AsyncClient(timeout=60) as client:
        yield client


def document(name: str) -> dict[str, str]:
    return {"content": "\n\n".join(PART.format(part=i, name=name) for i in range(PARTS)), "document_id": name}


async def stored_parts(data_dir: Path, bank_id: str) -> dict[str, tuple[int, int, int]]:
    """Chunks, facts and token vectors of every document."""
    query = (
        "SELECT document.id, count(DISTINCT chunk.chunk_id), count(DISTINCT unit.id), count(token.unit_id)"
        " FROM documents AS document JOIN banks USING (bank_key)"
        " LEFT JOIN chunks AS chunk ON chunk.bank_key = banks.bank_key AND chunk.document_id = document.id"
        " LEFT JOIN memory_units AS unit ON unit.bank_key = banks.bank_key AND unit.chunk_id = chunk.chunk_id"
        " LEFT JOIN memory_token_vectors AS token"
        " ON token.bank_key = banks.bank_key AND token.unit_id = unit.id"
        " WHERE banks.bank_id = %(bank_id)s GROUP BY 1"
    )
    server = await asyncio.to_thread(embedded.start, data_dir)
    database = Database(server.url, PoolLimits(8))
    try:
        await database.open()
        async with database.read() as connection:
            cursor = await connection.execute(query.encode(), {"bank_id": bank_id})
            return {row[0]: (row[1], row[2], row[3]) for row in await cursor.fetchall()}
    finally:
        await database.close()
        await asyncio.to_thread(server.close)


async def test_what_was_acknowledged_is_there_whole_after_a_kill(
    server: Server, http: httpx.AsyncClient
) -> None:
    server.start()
    await server.wait(http)
    acknowledged: list[str] = []
    enough = asyncio.Event()

    async def send(writer: int) -> None:
        bank = TestBank(http, "crash")
        for number in range(1000):
            names = [f"w{writer}-{number}-{i}" for i in range(3)]
            body = {"items": [document(name) for name in names]}
            url = f"http://127.0.0.1:{server.port}{bank.path}/memories"
            response = await http.post(url, json=body)
            assert response.status_code == 200, response.text
            acknowledged.extend(names)
            if len(acknowledged) >= ENOUGH:
                enough.set()

    writers = [asyncio.create_task(send(writer)) for writer in range(3)]
    await asyncio.wait_for(enough.wait(), timeout=60)
    server.end(signal.SIGKILL)
    for outcome in await asyncio.gather(*writers, return_exceptions=True):
        assert isinstance(outcome, httpx.TransportError)

    server.start()
    await server.wait(http)
    url = f"http://127.0.0.1:{server.port}/v1/default/banks/crash/memories/recall"
    for name in acknowledged[:: len(acknowledged) // 10]:
        answer = await http.post(url, json={"query": f"paragraph of document {name}", "max_tokens": 20_000})
        found = [fact["document_id"] for fact in answer.json()["results"]]
        assert found.count(name) == PARTS
    server.end(signal.SIGTERM)
    stored = await stored_parts(server.data_dir, "crash")
    assert set(acknowledged) <= set(stored)
    assert set(stored.values()) == {(PARTS, PARTS, PARTS)}


@dataclass(frozen=True)
class Broken:
    """Stands for a retriever that fails or never answers."""

    name: RetrieverName
    failure: Exception | None = None

    def applies(self, plan: QueryPlan) -> bool:
        return True

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        if self.failure is not None:
            raise self.failure
        await asyncio.Event().wait()
        raise AssertionError


async def recall_with(app: Application, bank: TestBank, *broken: Retriever, **body: Any) -> httpx.Response:
    """Recall with some retrievers exchanged for broken ones."""
    by_name = {one.name: one for one in broken}
    retrievers = tuple(by_name.get(one.name, one) for one in app.recall.retrievers)
    limits = RecallLimits(retriever_deadline=0.5)
    web = create_app(running=replace(app, recall=replace(app.recall, retrievers=retrievers, limits=limits)))
    async with (
        web.router.lifespan_context(web),
        httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://recalld.test") as client,
    ):
        return await replace(bank, client=client).post_recall("teapot", **body)


@pytest.mark.parametrize("name", [RetrieverName.SEMANTIC, RetrieverName.KEYWORD, RetrieverName.GRAPH])
@pytest.mark.parametrize("failure", [None, Overloaded("no connection")])
async def test_d15_a_retriever_that_does_not_answer_is_named_and_the_others_do(
    app: Application, bank: TestBank, name: RetrieverName, failure: Exception | None
) -> None:
    await bank.retain("a teapot on the table")
    response = await recall_with(app, bank, Broken(name, failure), trace=True)
    assert response.status_code == 200
    assert response.headers["X-Recall-Degraded"] == str(name)
    assert [fact["text"] for fact in response.json()["results"]] == ["a teapot on the table"]
    assert response.json()["trace"]["summary"]["degraded"] == [str(name)]


async def test_d15_a_whole_answer_has_no_such_header(app: Application, bank: TestBank) -> None:
    await bank.retain("a teapot on the table")
    assert "X-Recall-Degraded" not in (await recall_with(app, bank)).headers


async def test_d9_nothing_in_time_is_504(app: Application, bank: TestBank) -> None:
    await bank.retain("a teapot on the table")
    response = await recall_with(app, bank, *(Broken(name) for name in RetrieverName))
    assert response.status_code == 504
    assert response.json() == {
        "detail": "Request timed out while searching memories. Try a shorter or more specific query."
    }


async def test_d9_a_full_pool_is_503_with_a_time_to_retry(app: Application, bank: TestBank) -> None:
    await bank.retain("a teapot on the table")
    full = Overloaded("No database connection became free in time.", retry_after=5)
    response = await recall_with(app, bank, *(Broken(name, full) for name in RetrieverName))
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) >= 1


async def test_d9_a_database_that_is_gone_is_503(app: Application) -> None:
    gone = Database("postgresql://nobody@127.0.0.1:1/none", PoolLimits(8, 0.2))
    await gone.open()
    web = create_app(running=replace(app, banks=replace(app.banks, database=gone)))
    try:
        async with (
            web.router.lifespan_context(web),
            httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://recalld.test") as client,
        ):
            response = await client.get("/v1/default/banks")
    finally:
        await gone.close()
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) >= 1


async def test_a_slow_statement_is_504(database_url: str) -> None:
    database = Database(database_url, PoolLimits(8, statement=0.1))
    await database.open()
    try:
        with pytest.raises(Exception, match="did not answer in time"):
            async with database.read() as connection:
                await connection.execute("SELECT pg_sleep(5)")
    finally:
        await database.close()


async def test_an_embedding_that_fails_leaves_no_document_behind(app: Application, bank: TestBank) -> None:
    async def broken(texts: Any) -> Any:
        raise RuntimeError("the model is gone")

    await bank.retain("a teapot")
    web = create_app(running=replace(app, retain=replace(app.retain, embed=broken)))
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with (
        web.router.lifespan_context(web),
        httpx.AsyncClient(transport=transport, base_url="http://recalld.test") as client,
    ):
        response = await replace(bank, client=client).post_items({"content": "a violin", "document_id": "d"})
    assert response.status_code == 500
    async with app.database.read() as connection:
        assert await stored_documents(connection, await bank_key(app, bank.bank_id), ["d"]) == {}


async def test_another_model_than_the_one_that_made_the_vectors_is_refused(server_url: str) -> None:
    with cloned(server_url) as url:
        database = Database(url, PoolLimits(settings_for(url).db_pool_size))
        await database.open()
        try:
            await check_embedder(database, "one", 384)
            await check_embedder(database, "one", 384)
            with pytest.raises(Conflict, match="'one 384'"):
                await check_embedder(database, "other", 384)
        finally:
            await database.close()
