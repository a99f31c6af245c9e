"""recalld reembed: beside a server that answers and writes, and killed in the middle."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application, application, reembedding
from recalld.domain.errors import Conflict
from recalld.retain.reembed import Reembedded
from recalld.settings import Settings
from recalld.store.engine import fetch
from tests.fixtures.bank import TestBank
from tests.fixtures.databases import cloned, settings_for
from tests.fixtures.decision_server import KEY
from tests.fixtures.facts import bank_key
from tests.fixtures.model_server import DIMENSION, ModelServer, model_server

FACTS = 300
REEMBED = "from recalld.cli import main; main()"
ROWS = 100

_STATE = """
    SELECT count(*), count(*) FILTER (WHERE vector_dims(unit.embedding) = %(dimension)s),
           count(*) FILTER (WHERE token.vectors = ''),
           (SELECT count(*) FROM reembedded_units), (SELECT count(*) FROM unlinked_units),
           (SELECT value FROM store_facts WHERE name = 'embedder')
    FROM memory_units AS unit JOIN memory_token_vectors AS token
      ON token.bank_key = unit.bank_key AND token.unit_id = unit.id
"""


@dataclass(frozen=True)
class State:
    """What the database holds."""

    facts: int
    with_new_vector: int
    without_tokens: int
    aside: int
    unlinked: int
    embedder: str


async def state(app: Application) -> State:
    async with app.database.read() as connection:
        ((*counts,),) = await fetch(connection, _STATE, {"dimension": DIMENSION})
    return State(*counts)


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    """A database of its own."""
    with cloned(server_url) as made:
        yield made


@pytest.fixture
async def models(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    """The other model."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with model_server() as running:
        yield running


def other(url: str, models: ModelServer, **values: Any) -> Settings:
    """Settings with the other model."""
    chosen = {
        "embeddings_provider": "openai",
        "embeddings_base_url": models.url,
        "embeddings_api_key": KEY,
        "embeddings_model": "other",
        "vector_index_min_rows": ROWS,
    }
    return settings_for(url, **chosen, **values)


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[Application, TestBank]]:
    async with application(settings) as app:
        web = create_app(running=app)
        transport = httpx.ASGITransport(web, raise_app_exceptions=False)
        async with (
            web.router.lifespan_context(web),
            httpx.AsyncClient(transport=transport, base_url="http://recalld.test") as client,
        ):
            yield app, TestBank(client, "bank")


def facts(start: int, count: int = FACTS) -> list[dict[str, Any]]:
    return [
        {"content": f"Teapot {n} stands on shelf {n % 7}.", "entities": [{"text": f"Owner {n % 3}"}]}
        for n in range(start, start + count)
    ]


async def reembed(settings: Settings) -> tuple[Reembedded, list[tuple[str, int, int]]]:
    told: list[tuple[str, int, int]] = []
    async with reembedding(settings) as work:
        return await work.run(lambda *step: told.append(step)), told


async def until_aside(app: Application, count: int) -> None:
    """Wait until so many new vectors are kept aside."""
    for _ in range(2000):
        if (await state(app)).aside >= count:
            return
        await asyncio.sleep(0.02)
    pytest.fail("no vectors are made")


async def index_definitions(app: Application) -> list[str]:
    query = "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'memory_units_hnsw%%'"
    async with app.database.read() as connection:
        return [row[0] for row in await fetch(connection, query, {})]


async def settled(app: Application) -> None:
    """Wait for the index that a retain has built in the background."""
    for _ in range(100):
        if await index_definitions(app):
            return
        await asyncio.sleep(0.05)


@pytest.mark.timeout(240)
async def test_vectors_are_exchanged_while_the_server_with_the_old_model_answers(
    url: str, models: ModelServer
) -> None:
    async with serving(settings_for(url, vector_index_min_rows=ROWS)) as (app, bank):
        await bank.retain(*facts(0))
        await settled(app)
        old = (await state(app)).embedder
        models.delay = 0.5
        work = asyncio.ensure_future(reembed(other(url, models)))
        await until_aside(app, 1)
        await bank.retain(*facts(FACTS, 20))
        answered = 0
        while True:
            response = await bank.post_recall("teapot on a shelf")
            if (await state(app)).embedder != old:
                break
            assert response.json()["results"][0]["scores"]["semantic"] is not None
            answered += 1
        done, told = await work
        assert answered
        assert done.before == f"{app.embedder.name} {app.embedder.dimension}"
        assert (done.after, done.made) == (f"other {DIMENSION}", FACTS + 20)
        assert told[-1] == ("Indexing and linking banks", 1, 1)
        total = FACTS + 20
        assert await state(app) == State(total, total, total, 0, 0, done.after)
        assert any(f"halfvec({DIMENSION})" in index for index in await index_definitions(app))

        # The old server may not mix its vectors with the others.
        assert (await bank.post_recall("teapot on a shelf")).status_code == 503
        response = await bank.post_items({"content": "a late fact"})
        assert response.status_code == 503
        assert "restarted" in response.json()["detail"]
        assert (await state(app)).facts == total

    with pytest.raises(Conflict, match=r"'other 24'.*recalld reembed"):
        async with application(settings_for(url)):
            pass
    async with serving(other(url, models)) as (app, bank):
        (best, *_) = await bank.results("Teapot 17 stands on shelf 3.")
        assert best["text"] == "Teapot 17 stands on shelf 3."
        assert best["scores"]["semantic"] > 0.8
        key = await bank_key(app, "bank")
        query = "SELECT count(*) FROM memory_links WHERE bank_key = %(key)s AND link_type = 'semantic'"
        async with app.database.read() as connection:
            assert (await fetch(connection, query, {"key": key}))[0][0] > 0


async def kill_in_the_middle(url: str, models: ModelServer, app: Application) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("RECALLD_", "HINDSIGHT_API_"))}
    environment |= {
        "RECALLD_DATABASE_URL": url,
        "RECALLD_EMBEDDINGS_PROVIDER": "openai",
        "RECALLD_EMBEDDINGS_MODEL": "other",
        "RECALLD_EMBEDDINGS_BASE_URL": models.url,
        "RECALLD_EMBEDDINGS_API_KEY": KEY,
    }
    before = (await state(app)).aside
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", REEMBED, "reembed", env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:
        await until_aside(app, before + 1)
        assert process.returncode is None
    finally:
        process.send_signal(signal.SIGKILL)
        await process.communicate()


@pytest.mark.timeout(240)
async def test_a_killed_run_is_gone_on_with(url: str, models: ModelServer) -> None:
    async with serving(settings_for(url)) as (app, bank):
        await bank.retain(*facts(0))
        models.delay = 0.4
        await kill_in_the_middle(url, models, app)
        between = await state(app)
        assert 0 < between.aside < FACTS
        assert (between.with_new_vector, between.unlinked) == (0, 0)
        assert (await bank.results("teapot"))[0]["scores"]["semantic"] is not None

        # A fact that changes in the meantime is embedded as it is then.
        changed = (await bank.results("Teapot 5 stands on shelf 5."))[0]
        edited = await bank.client.patch(
            f"{bank.path}/memories/{changed['id']}", json={"text": "A violin hangs on the wall."}
        )
        assert edited.status_code == 200, edited.text
        models.delay = 0.002
        done, _ = await reembed(other(url, models))
        assert FACTS - between.aside <= done.made <= FACTS - between.aside + 1
        after = await state(app)
        assert after == State(FACTS, FACTS, FACTS, 0, 0, f"other {DIMENSION}")

        again, _ = await reembed(other(url, models))
        assert (again.before, again.made) == (again.after, 0)
    async with serving(other(url, models)) as (app, bank):
        (best, *_) = await bank.results("A violin hangs on the wall.", max_tokens=50)
        assert best["text"] == "A violin hangs on the wall."
        assert best["scores"]["semantic"] > 0.9


async def test_what_another_model_left_is_not_used(url: str, models: ModelServer) -> None:
    async with serving(settings_for(url)) as (app, bank):
        await bank.retain(*facts(0, 20))
        models.faults.clear()
        async with reembedding(other(url, models)) as work, app.database.write() as connection:
            assert work.embedder.name == "other"
            await connection.exec_driver_sql(
                "INSERT INTO store_facts (name, value) VALUES ('reembedding', 'third 24')"
            )
            await connection.exec_driver_sql(
                "INSERT INTO reembedded_units SELECT bank_key, id, id, embedding, '' FROM memory_units"
            )
        done, _ = await reembed(other(url, models))
        assert done.made == 20
        assert (await state(app)).with_new_vector == 20


async def test_only_one_works_at_a_time(url: str, models: ModelServer) -> None:
    async with serving(settings_for(url)) as (_, bank):
        await bank.retain(*facts(0, 20))
        models.delay = 0.3
        first = asyncio.ensure_future(reembed(other(url, models, embeddings_dimension=DIMENSION)))
        await asyncio.sleep(0.15)
        assert models.seen
        with pytest.raises(Conflict, match="at work"):
            await reembed(other(url, models, embeddings_dimension=DIMENSION))
        assert (await first)[0].made == 20


async def test_a_new_database_has_nothing_to_make_anew(url: str, models: ModelServer) -> None:
    done, _ = await reembed(other(url, models))
    assert (done.before, done.made) == (None, 0)
    async with application(other(url, models)) as app:
        assert app.embedder.name == "other"
