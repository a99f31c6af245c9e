"""Documents and chunks: list, look at one, change, delete."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from recalld.bootstrap import Application
from tests.fixtures.bank import TestBank
from tests.fixtures.catalog import answer, ask, assert_exact, id_of, listed
from tests.fixtures.facts import add_observation

LETTER = "Alice moved to Paris."
DIARY = "Bob keeps bees."


@pytest.fixture
async def full(bank: TestBank) -> TestBank:
    """A bank with two documents, the diary changed last."""
    await bank.retain(
        {
            "content": LETTER,
            "document_id": "mail/2026/letter",
            "tags": ["alice"],
            "context": "a letter",
            "timestamp": "2026-05-04T10:00:00+00:00",
            "metadata": {"source": "post"},
            "entities": [{"text": "Alice"}],
        }
    )
    await bank.retain({"content": DIARY, "document_id": "diary"})
    return bank


def path_of(document_id: str) -> str:
    return f"/documents/{quote(document_id)}"


async def ids(bank: TestBank, **params: Any) -> list[str]:
    return [row["id"] for row in await listed(bank, "/documents", **params)]


async def test_a_row_tells_about_a_document_without_its_text(full: TestBank) -> None:
    row = (await listed(full, "/documents"))[1]
    assert (row["id"], row["bank_id"], row["tags"]) == ("mail/2026/letter", full.bank_id, ["alice"])
    assert row["content_hash"] == hashlib.sha256(LETTER.encode()).hexdigest()
    assert (row["text_length"], row["memory_unit_count"], row["matched_fields"]) == (len(LETTER), 1, [])
    assert row["retain_params"]["context"] == "a letter"
    assert not {"content", "tags", "document_id"} & set(row["retain_params"])
    assert row["document_metadata"] == {"source": "post"}
    assert row["updated_at"] >= row["created_at"]
    assert "total_is_estimate" not in await answer(full, "GET", "/documents")


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({}, ["diary", "mail/2026/letter"]),
        ({"limit": 1}, ["diary"]),
        ({"limit": 1, "offset": 1}, ["mail/2026/letter"]),
        ({"q": "PARIS"}, ["mail/2026/letter"]),
        ({"q": "2026"}, ["mail/2026/letter"]),
        ({"q": "_"}, []),
        ({"tags": "alice"}, ["mail/2026/letter"]),
        ({"tags": "alice", "tags_match": "any"}, ["diary", "mail/2026/letter"]),
        ({"tags_match": "exact"}, ["diary"]),
        ({"time_field": "created_at", "start_date": "2020-01-01"}, ["diary", "mail/2026/letter"]),
        ({"end_date": "2020-01-01"}, []),
    ],
    ids=str,
)
async def test_a_list_can_be_narrowed(full: TestBank, params: dict[str, Any], wanted: list[str]) -> None:
    assert await ids(full, **params) == wanted


async def test_a_search_says_where_it_matched(full: TestBank) -> None:
    for search, fields in (("letter", ["id"]), ("paris", ["original_text"]), ("a", ["id", "original_text"])):
        rows = await listed(full, "/documents", q=search)
        (row,) = (row for row in rows if row["id"] == "mail/2026/letter")
        assert row["matched_fields"] == fields


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"start_date": "x"}, 400),
        ({"limit": -1}, 422),
        ({"time_field": "mentioned_at"}, 422),
        ({"q": "\x00"}, 200),
    ],
    ids=str,
)
async def test_odd_values_never_fail(full: TestBank, params: dict[str, Any], status: int) -> None:
    assert (await ask(full, "GET", "/documents", params=params)).status_code == status


async def test_one_document_shows_its_text(app: Application, full: TestBank) -> None:
    await add_observation(app, full.bank_id, "Alice has settled.", [await id_of(full, LETTER)])
    document = await answer(full, "GET", path_of("mail/2026/letter"))
    assert (document["original_text"], document["memory_unit_count"]) == (LETTER, 1)
    assert document["nodes_by_fact_type"] == {"world": 1, "experience": 0, "observation": 0}
    assert (document["tags"], document["observation_scopes"]) == (["alice"], None)
    assert "attachments" not in document


async def test_chunks_come_in_their_order_and_by_their_id(full: TestBank) -> None:
    text = "\n\n".join(f"Day {day}. " + "A line about the weather. " * 15 for day in range(12))
    await full.retain({"content": text, "document_id": "log/book"})
    page = await answer(full, "GET", "/documents/log/book/chunks", params={"limit": 3, "offset": 1})
    assert [chunk["chunk_index"] for chunk in page["items"]] == [1, 2, 3]
    assert page["total"] > 10
    chunk = page["items"][0]
    assert (chunk["document_id"], chunk["bank_id"]) == ("log/book", full.bank_id)
    assert chunk["chunk_text"] in text
    response = await full.client.get(f"/v1/default/chunks/{quote(chunk['chunk_id'])}")
    assert response.json() == chunk


@pytest.mark.parametrize("params", [{"limit": 0}, {"limit": 1001}, {"offset": -1}], ids=str)
async def test_pages_of_chunks_have_their_own_bounds(full: TestBank, params: dict[str, int]) -> None:
    assert (await ask(full, "GET", "/documents/diary/chunks", params=params)).status_code == 422


@pytest.mark.parametrize("document_id", ["unknown", "mail/2026", "diary/chunks/x", "a%00b", "%01"])
@pytest.mark.parametrize("suffix", ["", "/chunks"])
async def test_a_document_that_is_none_is_404(full: TestBank, document_id: str, suffix: str) -> None:
    response = await ask(full, "GET", f"/documents/{document_id}{suffix}")
    assert (response.status_code, response.json()) == (404, {"detail": "Document not found"})


@pytest.mark.parametrize("chunk_id", ["x", "a_b_0", "a%00_b_0", "no/such_chunk_1", "~7E_x_0"])
async def test_a_chunk_that_is_none_is_404(client: httpx.AsyncClient, chunk_id: str) -> None:
    response = await client.get(f"/v1/default/chunks/{chunk_id}")
    assert (response.status_code, response.json()) == (404, {"detail": "Chunk not found"})


async def test_an_unknown_bank_is_404(bank: TestBank) -> None:
    assert (await ask(bank, "GET", "/documents")).json() == {"detail": f"Bank '{bank.bank_id}' not found"}
    for method in ("GET", "DELETE"):
        assert (await ask(bank, method, "/documents/diary")).json() == {"detail": "Document not found"}


async def test_new_tags_reach_the_memories_and_drop_what_rests_on_them(
    app: Application, full: TestBank
) -> None:
    seen = await add_observation(app, full.bank_id, "Alice has settled.", [await id_of(full, LETTER)])
    changed = await answer(full, "PATCH", path_of("mail/2026/letter"), json={"tags": ["moving", "alice"]})
    assert changed == {"success": True}
    assert (await answer(full, "GET", path_of("mail/2026/letter")))["tags"] == ["moving", "alice"]
    assert await full.texts("Alice", tags=["moving"], tags_match="any_strict") == [LETTER]
    assert (await ask(full, "GET", f"/memories/{seen}")).status_code == 404
    await assert_exact(app, full)


async def test_new_scopes_are_kept_with_the_document_and_its_memories(full: TestBank) -> None:
    for scopes in ("per_tag", [["alice"], []]):
        await answer(full, "PATCH", path_of("mail/2026/letter"), json={"observation_scopes": scopes})
        document = await answer(full, "GET", path_of("mail/2026/letter"))
        assert (document["observation_scopes"], document["tags"]) == (scopes, ["alice"])
        memory = await answer(full, "GET", f"/memories/{await id_of(full, LETTER)}")
        assert memory["observation_scopes"] == scopes


@pytest.mark.parametrize(
    "body", [{}, {"tags": None}, {"tags": "x"}, {"tags": ["\x00"]}, {"observation_scopes": "some"}], ids=str
)
async def test_a_change_of_nothing_is_422(full: TestBank, body: dict[str, Any]) -> None:
    assert (await ask(full, "PATCH", "/documents/diary", json=body)).status_code == 422


async def test_changing_a_document_that_is_none_is_404(full: TestBank) -> None:
    assert (await ask(full, "PATCH", "/documents/unknown", json={"tags": []})).status_code == 404


async def test_j6_a_deleted_document_leaves_no_trace(app: Application, full: TestBank) -> None:
    source = await id_of(full, LETTER)
    other = await id_of(full, DIARY)
    seen = await add_observation(app, full.bank_id, "Alice and Bob moved.", [source, other])
    gone = await answer(full, "DELETE", path_of("mail/2026/letter"))
    assert (gone["success"], gone["document_id"]) == (True, "mail/2026/letter")
    assert gone["memory_units_deleted"] == 1
    assert await full.texts("Alice moved to Paris in May 2026") in ([], [DIARY])
    assert [row["text"] for row in await listed(full)] == [DIARY]
    assert await listed(full, "/entities") == []
    assert await listed(full, "/tags") == []
    for id_ in (source, seen):
        assert (await ask(full, "GET", f"/memories/{id_}")).status_code == 404
    assert (await ask(full, "DELETE", path_of("mail/2026/letter"))).status_code == 404
    await assert_exact(app, full)


async def test_what_else_a_dropped_observation_rested_on_waits_anew(app: Application, full: TestBank) -> None:
    sources = [await id_of(full, LETTER), await id_of(full, DIARY)]
    await add_observation(app, full.bank_id, "Alice and Bob moved.", sources)
    async with app.database.write() as connection:
        await connection.exec_driver_sql(
            "UPDATE memory_units SET consolidated_at = now() WHERE id = ANY(%s::uuid[])", (sources,)
        )
    assert await listed(full, consolidation_state="pending") == []
    await answer(full, "DELETE", path_of("mail/2026/letter"))
    assert [row["text"] for row in await listed(full, consolidation_state="pending")] == [DIARY]


async def test_the_same_happens_when_a_document_is_replaced(app: Application, full: TestBank) -> None:
    sources = [await id_of(full, LETTER), await id_of(full, DIARY)]
    await add_observation(app, full.bank_id, "Alice and Bob moved.", sources)
    async with app.database.write() as connection:
        await connection.exec_driver_sql(
            "UPDATE memory_units SET consolidated_at = now() WHERE id = ANY(%s::uuid[])", (sources,)
        )
    await full.retain({"content": "Alice moved to Rome.", "document_id": "mail/2026/letter"})
    pending = {row["text"] for row in await listed(full, consolidation_state="pending")}
    assert pending == {"Alice moved to Rome.", DIARY}
    await assert_exact(app, full)
