"""HNSW: built in the background for a large bank, used, dropped, and no worse than the exact scan."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application, application
from recalld.domain.filters import FactFilter
from recalld.store.engine import fetch
from recalld.store.queries.semantic import nearest
from recalld.store.writes.vector_index import build_vector_index, index_name
from tests.fixtures.bank import TestBank
from tests.fixtures.databases import settings_for
from tests.fixtures.encoders import bundled
from tests.fixtures.facts import bank_key

ROWS = 60
WORDS = ["river", "teapot", "violin", "glacier", "lantern", "orchid", "pepper", "quartz", "walnut", "zephyr"]


@pytest.fixture(scope="module")
async def small(database_url: str) -> AsyncIterator[Application]:
    """An application that takes a bank of sixty facts for a large one."""
    async with application(settings_for(database_url, vector_index_min_rows=ROWS)) as started:
        yield started


@pytest.fixture
async def indexed(small: Application, bank: TestBank) -> AsyncIterator[TestBank]:
    """The test's bank, behind that application."""
    web = create_app(running=small)
    async with (
        web.router.lifespan_context(web),
        httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://recalld.test") as client,
    ):
        yield replace(bank, client=client)


def texts(count: int) -> list[str]:
    generator = random.Random(5)
    return [f"{' '.join(generator.choices(WORDS, k=5))} number {i}" for i in range(count)]


async def valid_index(app: Application, key: int) -> bool:
    query = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(name)s)"
    async with app.database.read() as connection:
        rows = await fetch(connection, query, {"name": index_name(key)})
    return bool(rows and rows[0][0])


async def wait_for_index(app: Application, key: int) -> None:
    for _ in range(600):
        if await valid_index(app, key):
            return
        await asyncio.sleep(0.05)
    pytest.fail("no index was built")


async def similarities(bank: TestBank, query: str, **body: Any) -> dict[str, float]:
    """Cosine by text of everything the semantic retriever finds without a floor."""
    found = await bank.results(query, max_tokens=10**6, min_scores={"semantic": -1}, **body)
    return {fact["text"]: fact["scores"]["semantic"] for fact in found}


async def test_a_bank_that_grows_large_gets_an_index_and_the_same_answers(
    small: Application, indexed: TestBank
) -> None:
    key = await bank_key(small, indexed.bank_id)
    tags = {text: f"t{i % 7}" for i, text in enumerate(texts(ROWS))}
    items = [{"content": text, "tags": [tag]} for text, tag in tags.items()]
    await indexed.retain(*items[:-1])
    assert not await valid_index(small, key)
    await indexed.retain(items[-1])
    await wait_for_index(small, key)
    query = bundled(small).embed_query("teapot glacier").vector
    passages = bundled(small).embed_passages(list(tags))
    exact = {text: float(passage.vector @ query) for text, passage in zip(tags, passages, strict=True)}
    assert await similarities(indexed, "teapot glacier") == pytest.approx(exact, abs=2e-3)
    narrow = await similarities(indexed, "teapot glacier", tags=["t3"], tags_match="all_strict")
    assert narrow == pytest.approx({text: exact[text] for text, tag in tags.items() if tag == "t3"}, abs=2e-3)


async def test_a_bank_that_shrinks_below_the_threshold_still_finds_everything(
    small: Application, indexed: TestBank
) -> None:
    key = await bank_key(small, indexed.bank_id)
    long = "\n\n".join(f"{text} {'filler ' * 100}" for text in texts(5))
    await indexed.retain({"content": long, "document_id": "d"}, *texts(ROWS - 5))
    await wait_for_index(small, key)
    await indexed.retain({"content": "a short one", "document_id": "d"})
    assert None not in (await similarities(indexed, "teapot glacier")).values()


async def test_the_query_uses_the_index(small: Application, indexed: TestBank) -> None:
    key = await bank_key(small, indexed.bank_id)
    await indexed.retain(*texts(ROWS))
    await wait_for_index(small, key)
    query = nearest(FactFilter(key), bundled(small).embed_query("teapot").vector, 5)
    async with small.database.read() as connection, connection.transaction():
        await connection.execute("SET LOCAL enable_seqscan = off")
        await connection.execute("SET LOCAL enable_sort = off")
        plan = await fetch(connection, f"EXPLAIN {query.sql}", query.params)
    assert any(index_name(key) in line for (line,) in plan)


async def test_it_is_built_once_and_rebuilt_after_a_crash(small: Application, indexed: TestBank) -> None:
    key = await bank_key(small, indexed.bank_id)
    await indexed.retain(*texts(ROWS))
    await wait_for_index(small, key)
    dimension = small.embedder.dimension
    assert not await build_vector_index(small.database, key, dimension, ROWS)
    async with small.database.read() as connection:
        await connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%(name)s)",
            {"name": index_name(key)},
        )
    assert await build_vector_index(small.database, key, dimension, ROWS)
    assert await valid_index(small, key)


async def test_a_small_bank_gets_none(small: Application, indexed: TestBank) -> None:
    await indexed.retain("a fact")
    key = await bank_key(small, indexed.bank_id)
    assert not await build_vector_index(small.database, key, small.embedder.dimension, ROWS)


async def test_deleting_a_bank_drops_its_index(small: Application, indexed: TestBank) -> None:
    key = await bank_key(small, indexed.bank_id)
    await indexed.retain(*texts(ROWS))
    await wait_for_index(small, key)
    await indexed.client.delete(indexed.path)
    assert not await valid_index(small, key)
