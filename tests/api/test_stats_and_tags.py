"""Counts of what a bank holds, and its tags."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert

from recalld.bootstrap import Application
from recalld.domain.memory import FactType
from recalld.store.tables import operations
from tests.fixtures.bank import TestBank
from tests.fixtures.catalog import answer, ask, listed
from tests.fixtures.facts import add_fact, add_link, add_observation, bank_key

WHEN = "2026-02-03T04:05:06+00:00"


async def test_a_new_bank_counts_nothing(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={})
    stats = await answer(bank, "GET", "/stats")
    assert (stats["bank_id"], stats["total_nodes"], stats["total_documents"]) == (bank.bank_id, 0, 0)
    assert (stats["nodes_by_fact_type"], stats["links_breakdown"], stats["total_links"]) == ({}, {}, 0)
    assert (stats["last_memory_write_at"], stats["last_consolidated_at"]) == (None, None)


async def test_facts_and_links_are_counted_by_kind(app: Application, bank: TestBank) -> None:
    await bank.retain("Alice moved to Paris.", "Bob keeps bees.")
    one = await add_fact(app, bank.bank_id, "I booked a train.", fact_type=FactType.EXPERIENCE)
    two = await add_fact(app, bank.bank_id, "I packed.", fact_type=FactType.EXPERIENCE, consolidated_at=WHEN)
    await add_fact(app, bank.bank_id, "Unclear.", consolidation_failed_at=WHEN)
    await add_observation(app, bank.bank_id, "A trip.", [one])
    await add_link(app, bank.bank_id, (one, two), "caused_by", 1)
    stats = await answer(bank, "GET", "/stats", params={"refresh": True})
    assert stats["nodes_by_fact_type"] == {"experience": 2, "observation": 1, "world": 3}
    assert (stats["total_nodes"], stats["total_observations"], stats["total_documents"]) == (6, 1, 2)
    assert stats["links_breakdown"]["experience"] == {"caused_by": 1}
    by_kind: dict[str, int] = {}
    for kinds in stats["links_breakdown"].values():
        for kind, count in kinds.items():
            by_kind[kind] = by_kind.get(kind, 0) + count
    assert stats["links_by_link_type"] == by_kind
    assert stats["links_by_fact_type"]["experience"] == 1
    assert stats["total_links"] == sum(by_kind.values()) == sum(stats["links_by_fact_type"].values())
    assert (stats["pending_consolidation"], stats["failed_consolidation"]) == (3, 1)
    assert stats["last_consolidated_at"] == WHEN
    assert stats["last_memory_write_at"] is not None


async def test_operations_are_counted_by_status(app: Application, bank: TestBank) -> None:
    key = await bank_key(app, bank.bank_id)
    async with app.database.write() as connection:
        for status in ("pending", "failed", "failed", "completed"):
            row = {"bank_key": key, "id": uuid4(), "type": "retain", "status": status}
            await connection.execute(insert(operations).values(row))
    stats = await answer(bank, "GET", "/stats")
    assert (stats["pending_operations"], stats["failed_operations"]) == (1, 2)
    assert stats["operations_by_status"] == {"completed": 1, "failed": 2, "pending": 1}


async def test_banks_do_not_count_for_each_other(bank: TestBank) -> None:
    other = TestBank(bank.client, f"{bank.bank_id}-other")
    await bank.retain({"content": "one", "tags": ["mine"]})
    await other.retain("two", "three")
    assert (await answer(bank, "GET", "/stats"))["total_nodes"] == 1
    assert await listed(other, "/tags") == []


@pytest.fixture
async def tagged(bank: TestBank) -> TestBank:
    """A bank with tags of several kinds."""
    await bank.retain(
        {"content": "one", "tags": ["user:ada", "red_wine"]},
        {"content": "two", "tags": ["user:ada", "user:bob"]},
        {"content": "three", "tags": ["user:ada", "User:Bob", "redxwine"]},
        "four",
    )
    return bank


async def test_the_most_frequent_tag_comes_first(tagged: TestBank) -> None:
    page = await answer(tagged, "GET", "/tags", params={"limit": 1})
    assert (page["items"], page["total"]) == ([{"tag": "user:ada", "count": 3}], 5)
    assert len(await listed(tagged, "/tags", offset=1)) == 4
    assert (await answer(tagged, "GET", "/tags", params={"limit": 0}))["total"] == 5


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("user:*", {"user:ada", "user:bob", "User:Bob"}),
        ("*:bob", {"user:bob", "User:Bob"}),
        ("*E*", {"user:ada", "user:bob", "User:Bob", "red_wine", "redxwine"}),
        ("user:ada", {"user:ada"}),
        ("user", set()),
        ("red_wine", {"red_wine"}),
        ("red%", set()),
        ("*", {"user:ada", "user:bob", "User:Bob", "red_wine", "redxwine"}),
        ("a\x00b", set()),
    ],
)
async def test_an_asterisk_stands_for_anything(tagged: TestBank, pattern: str, wanted: set[str]) -> None:
    page = await answer(tagged, "GET", "/tags", params={"q": pattern})
    assert {row["tag"] for row in page["items"]} == wanted
    assert page["total"] == len(wanted)


async def test_mental_models_carry_no_tags(tagged: TestBank, bank: TestBank) -> None:
    page = await answer(tagged, "GET", "/tags", params={"source": "mental_models", "limit": 7})
    assert page == {"items": [], "total": 0, "limit": 7, "offset": 0}


@pytest.mark.parametrize("params", [{"source": "dreams"}, {"limit": -1}, {"offset": "x"}], ids=str)
async def test_bad_parameters_are_422(tagged: TestBank, params: dict[str, Any]) -> None:
    assert (await ask(tagged, "GET", "/tags", params=params)).status_code == 422


@pytest.mark.parametrize("path", ["/stats", "/tags", "/tags?source=mental_models"])
async def test_l1_an_unknown_bank_is_404_and_stays_unknown(bank: TestBank, path: str) -> None:
    for _ in range(2):
        response = await ask(bank, "GET", path)
        assert (response.status_code, response.json()["detail"]) == (404, f"Bank '{bank.bank_id}' not found")
