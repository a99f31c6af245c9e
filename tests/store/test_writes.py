"""Writes: many at once, and what goes when a chunk goes."""

from __future__ import annotations

import asyncio
import random

import pytest

from recalld.bootstrap import Application
from recalld.store.engine import fetch
from tests.fixtures.bank import TestBank
from tests.fixtures.facts import add_fact, add_link, add_observation, bank_key

NAMES = ["Ada", "Bob", "Cyd", "Dan"]


async def counts(app: Application, bank: TestBank) -> dict[str, int]:
    """Rows of the bank by table."""
    tables = ("documents", "chunks", "memory_units", "memory_token_vectors", "unit_entities", "memory_links")
    query = "SELECT " + ", ".join(
        f"(SELECT count(*) FROM {table} WHERE bank_key = %(key)s) AS {table}" for table in tables
    )
    async with app.database.read() as connection:
        (row,) = await fetch(connection, query, {"key": await bank_key(app, bank.bank_id)})
    return dict(zip(tables, row, strict=True))


async def exact(app: Application, bank: TestBank) -> bool:
    """Whether the term statistics say what the facts say."""
    query = """
        WITH truth AS (
            SELECT term.lexeme, count(*) AS df FROM memory_units, unnest(search_vector) AS term
            WHERE bank_key = %(key)s GROUP BY 1
        ), kept AS (SELECT term, df FROM bank_terms WHERE bank_key = %(key)s AND df <> 0)
        SELECT NOT EXISTS (
                   SELECT FROM truth FULL JOIN kept ON term = lexeme WHERE truth.df IS DISTINCT FROM kept.df)
           AND (SELECT unit_count FROM banks WHERE bank_key = %(key)s)
               = (SELECT count(*) FROM memory_units WHERE bank_key = %(key)s)
    """
    async with app.database.read() as connection:
        ((same,),) = await fetch(connection, query, {"key": await bank_key(app, bank.bank_id)})
    return bool(same)


@pytest.mark.parametrize("seed", [1, 2])
async def test_writers_of_the_same_documents_neither_block_nor_lose(
    app: Application, bank: TestBank, seed: int
) -> None:
    generator = random.Random(seed)

    def item(writer: int) -> dict[str, object]:
        text = "\n\n".join(f"{generator.choice(NAMES)} wrote {writer} {'word ' * 120}" for _ in range(3))
        names = [{"text": name} for name in generator.sample(NAMES, 3)]
        return {"content": text, "document_id": f"d{generator.randint(0, 2)}", "entities": names}

    batches = [[item(writer) for _ in range(2)] for writer in range(10)]
    async with asyncio.timeout(60):
        await asyncio.gather(*(bank.retain(*batch) for batch in batches))
    assert await exact(app, bank)
    found = await counts(app, bank)
    assert found["documents"] <= 3
    assert found["chunks"] == found["memory_units"] == found["memory_token_vectors"]
    assert found["unit_entities"] == 3 * found["memory_units"]


async def test_recalls_go_on_while_documents_change(bank: TestBank) -> None:
    await bank.retain({"content": "version 0 of the teapot", "document_id": "d"}, "a violin")

    async def write() -> None:
        for version in range(1, 15):
            await bank.retain({"content": f"version {version} of the teapot", "document_id": "d"})

    async def read() -> None:
        for _ in range(25):
            answer = await bank.recall("teapot", include={"chunks": {}})
            assert sum("teapot" in fact["text"] for fact in answer["results"]) <= 1

    await asyncio.gather(write(), *(read() for _ in range(3)))
    assert "version 14 of the teapot" in await bank.texts("teapot")


async def test_an_observation_goes_with_the_fact_it_rests_on(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "Ada has a teapot", "document_id": "d"}, "Bob has a violin")
    facts = {fact["text"]: fact["id"] for fact in await bank.results("teapot violin")}
    await add_observation(app, bank.bank_id, "Ada likes tea", [facts["Ada has a teapot"]])
    await add_observation(app, bank.bank_id, "Bob likes music", [facts["Bob has a violin"]])
    await bank.retain({"content": "Ada has a lantern", "document_id": "d"})
    assert set(await bank.texts("teapot violin lantern music tea")) == {
        "Bob has a violin",
        "Ada has a lantern",
        "Bob likes music",
    }
    assert await exact(app, bank)


async def test_deleting_a_bank_leaves_no_row(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "Ada has a teapot", "entities": [{"text": "Ada"}]}, "Ada has a teapot too")
    key = await bank_key(app, bank.bank_id)
    await bank.client.delete(bank.path)
    async with app.database.read() as connection:
        tables = await fetch(
            connection,
            "SELECT table_name FROM information_schema.columns"
            " WHERE column_name = 'bank_key' AND table_schema = 'public'",
            {},
        )
        for (table,) in tables:
            assert (
                await fetch(
                    connection, f"SELECT 1 FROM {table} WHERE bank_key = %(key)s LIMIT 1", {"key": key}
                )
                == []
            )


async def test_new_facts_are_linked_in_time_and_meaning_never_to_themselves(
    app: Application, bank: TestBank
) -> None:
    when = "2026-01-01T00:00:00Z"
    texts = ["Ada bought a red teapot", "Ada bought a red tea pot", "The quarterly budget is late"]
    await bank.retain(*({"content": text, "timestamp": when} for text in texts))
    query = (
        "SELECT source.text, target.text, link_type, weight FROM memory_links AS link"
        " JOIN memory_units AS source ON source.bank_key = link.bank_key AND source.id = from_id"
        " JOIN memory_units AS target ON target.bank_key = link.bank_key AND target.id = to_id"
        " WHERE link.bank_key = %(key)s"
    )
    async with app.database.read() as connection:
        rows = await fetch(connection, query, {"key": await bank_key(app, bank.bank_id)})
    assert all(source != target for source, target, _, _ in rows)
    semantic = {frozenset((source, target)) for source, target, kind, _ in rows if kind == "semantic"}
    assert semantic == {frozenset(texts[:2])}
    assert {weight for _, _, kind, weight in rows if kind == "temporal"} == {1.0}


@pytest.mark.parametrize("turned", ["", "turned"])
async def test_f14_causal_links_are_followed_both_ways(app: Application, bank: TestBank, turned: str) -> None:
    seed = await add_fact(app, bank.bank_id, "The bakery on the corner burned down.")
    cause = await add_fact(app, bank.bank_id, "0441 7788 9921")
    await add_fact(app, bank.bank_id, "5523 0017 4410")
    ends = (cause, seed) if turned else (seed, cause)
    await add_link(app, bank.bank_id, ends, "caused_by", 0.9)
    trace = (await bank.recall("bakery on the corner", trace=True))["trace"]
    graph = [
        r for r in trace["retrieval_results"] if r["method_name"] == "graph" and r["fact_type"] == "world"
    ]
    assert [result["node_id"] for result in graph[0]["results"]] == [cause]


async def test_f14_heavier_links_activate_more(app: Application, bank: TestBank) -> None:
    seed = await add_fact(app, bank.bank_id, "The bakery on the corner burned down.")
    weak, strong = [await add_fact(app, bank.bank_id, text) for text in ("0441 7788 9921", "5523 0017 4410")]
    await add_link(app, bank.bank_id, (seed, weak), "enables", 0.2)
    await add_link(app, bank.bank_id, (seed, strong), "enables", 0.8)
    trace = (await bank.recall("bakery on the corner", trace=True))["trace"]
    graph = [
        r for r in trace["retrieval_results"] if r["method_name"] == "graph" and r["fact_type"] == "world"
    ]
    assert [result["node_id"] for result in graph[0]["results"]] == [strong, weak]
