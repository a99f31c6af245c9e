"""Retain: what is stored, what is kept on the next send, what is refused."""

from __future__ import annotations

import asyncio
import json
import warnings
from datetime import UTC, datetime
from typing import Any

import pytest

from recalld.api.hindsight.convert_writes import retain_items
from recalld.api.hindsight.schemas.retain import RetainRequest
from recalld.bootstrap import Application
from recalld.store.engine import fetch
from tests.fixtures.bank import TestBank
from tests.fixtures.facts import bank_key

PARAGRAPHS = ["First part. " * 30, "Second part. " * 30, "Third part. " * 30]


async def document(app: Application, bank: TestBank, document_id: str) -> dict[str, Any]:
    key = await bank_key(app, bank.bank_id)
    query = (
        "SELECT original_text, tags, document_metadata, created_at, updated_at FROM documents"
        " WHERE bank_key = %(key)s AND id = %(id)s"
    )
    async with app.database.read() as connection:
        ((text, tags, metadata, created, updated),) = await fetch(
            connection, query, {"key": key, "id": document_id}
        )
    return {"text": text, "tags": tags, "metadata": metadata, "created": created, "updated": updated}


async def facts(bank: TestBank, **body: Any) -> dict[str, dict[str, Any]]:
    found = await bank.results("part", max_tokens=100_000, **body)
    return {fact["text"]: fact for fact in found}


async def test_the_answer(bank: TestBank) -> None:
    answer = await bank.retain("one", "two")
    assert answer == {
        "success": True,
        "bank_id": bank.bank_id,
        "items_count": 2,
        "async": False,
        "operation_id": None,
        "operation_ids": None,
        "usage": dict.fromkeys(
            ["input_tokens", "output_tokens", "total_tokens", "cached_tokens", "thoughts_tokens"], 0
        ),
    }


async def test_no_items_are_fine(bank: TestBank) -> None:
    assert (await bank.retain())["items_count"] == 0


async def test_what_is_acknowledged_can_be_recalled_at_once(bank: TestBank) -> None:
    for i in range(5):
        await bank.retain(f"note number {i}")
        assert len(await bank.results("note number")) == i + 1


async def test_a_short_content_is_kept_byte_for_byte(bank: TestBank) -> None:
    text = "  \tspaced  out \r\n"
    await bank.retain(text)
    assert await bank.texts("spaced out") == [text]


async def test_control_characters_and_surrogates_are_scrubbed(bank: TestBank) -> None:
    await bank.retain({"content": "nul\x00 and \ud83d here", "context": "c\x00"})
    (fact,) = await bank.results("nul")
    assert (fact["text"], fact["context"]) == ("nul and  here", "c")


@pytest.mark.parametrize("bad", ["\x00", "\ud83d"])
async def test_metadata_and_entities_are_scrubbed(bank: TestBank, bad: str) -> None:
    await bank.retain(
        {"content": "x", "metadata": {f"k{bad}": f"v{bad}"}, "entities": [{"text": f"Ada{bad}"}]}
    )
    (fact,) = await bank.results("x")
    assert (fact["metadata"], fact["entities"]) == ({"k": "v"}, ["Ada"])


@pytest.mark.parametrize("content", ["", "   ", "\n\t", [], [{"type": "text", "text": " "}], None, 5])
async def test_blank_content_is_422(bank: TestBank, content: Any) -> None:
    assert (await bank.post_items({"content": content})).status_code == 422


async def test_blocks_of_text_are_joined(bank: TestBank) -> None:
    await bank.retain(
        {"content": [{"type": "text", "text": "block one"}, {"type": "text", "text": "block two"}]}
    )
    assert await bank.texts("block") == ["block one\nblock two"]


@pytest.mark.parametrize("given", [None, ""])
async def test_no_timestamp_means_now(bank: TestBank, given: str | None) -> None:
    before = datetime.now(UTC)
    await bank.retain({"content": "dated", "timestamp": given})
    (fact,) = await bank.results("dated")
    assert before <= datetime.fromisoformat(fact["mentioned_at"]) <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("unset", None),
        ("2024-02-29", "2024-02-29T00:00:00+00:00"),
        ("2024-02-29T10:00:00", "2024-02-29T10:00:00+00:00"),
        ("2024-02-29T10:00:00.5+02:00", "2024-02-29T08:00:00.500000+00:00"),
        ("2024-02-29T10:00:00Z", "2024-02-29T10:00:00+00:00"),
    ],
)
async def test_timestamps(bank: TestBank, given: str, expected: str | None) -> None:
    await bank.retain({"content": "dated", "timestamp": given})
    (fact,) = await bank.results("dated")
    assert fact["mentioned_at"] == expected


@pytest.mark.parametrize("given", ["yesterday", "0001-01-01", "9999-12-31T00:00:00", "2024-13-01"])
async def test_timestamps_that_are_none(bank: TestBank, given: str) -> None:
    assert (await bank.post_items({"content": "dated", "timestamp": given})).status_code == 422


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b", "a"], ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("a", ["a"]),
        ("[broken", ["[broken"]),
        (None, []),
    ],
)
async def test_tags_may_come_as_text(bank: TestBank, given: Any, expected: list[str]) -> None:
    await bank.retain({"content": "tagged", "tags": given})
    (fact,) = await bank.results("tagged")
    assert fact["tags"] == expected


async def test_document_tags_join_every_items_tags(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "tagged", "tags": ["a"], "document_id": "d"}, document_tags=["b", "a"])
    (fact,) = await bank.results("tagged")
    assert fact["tags"] == ["a", "b"]
    assert (await document(app, bank, "d"))["tags"] == ["a", "b"]


def test_document_tags_are_read_without_a_warning() -> None:
    request = RetainRequest.model_validate({"items": [{"content": "x"}]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(retain_items(request)) == 1


@pytest.mark.parametrize("bad", ["a\x00b", pytest.param("\ud83d")])
async def test_f21_tags_and_ids_hold_no_control_characters(bank: TestBank, bad: str) -> None:
    for item in ({"tags": [bad]}, {"document_id": bad}):
        assert (await bank.post_items({"content": "x", **item})).status_code == 422


async def test_metadata_drops_nulls_and_refuses_numbers(bank: TestBank) -> None:
    await bank.retain({"content": "with metadata", "metadata": {"a": "1", "b": None}})
    (fact,) = await bank.results("metadata")
    assert fact["metadata"] == {"a": "1"}
    assert (await bank.post_items({"content": "x", "metadata": {"a": 1}})).status_code == 422


async def test_entities_are_names_whatever_their_case(bank: TestBank) -> None:
    names = ["  Ada   Lovelace ", "ada lovelace", " "]
    await bank.retain({"content": "met her", "entities": [{"text": name} for name in names]})
    await bank.retain({"content": "met again", "entities": [{"text": "ADA LOVELACE", "type": "PERSON"}]})
    answer = await bank.recall("met")
    assert [fact["entities"] for fact in answer["results"]] == [["Ada Lovelace"]] * 2
    assert list(answer["entities"]) == ["Ada Lovelace"]
    assert (await bank.post_items({"content": "x", "entities": ["Ada"]})).status_code == 422


async def test_d20_entities_feed_the_keyword_index(bank: TestBank) -> None:
    await bank.retain({"content": "met her at noon", "entities": [{"text": "Lovelace"}]}, "met nobody")
    found = await bank.results("Lovelace")
    assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == ["met her at noon"]


async def test_the_context_is_found_by_keyword(bank: TestBank) -> None:
    await bank.retain({"content": "met her at noon", "context": "astronomy club"}, "met nobody")
    found = await bank.results("astronomy")
    assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == ["met her at noon"]


async def test_the_same_content_twice_without_an_id_is_two_documents(bank: TestBank) -> None:
    await bank.retain("twin", "twin")
    assert len({fact["document_id"] for fact in await bank.results("twin")}) == 2


async def test_items_that_share_an_id_are_one_document(app: Application, bank: TestBank) -> None:
    await bank.retain(
        {"content": "part one", "document_id": "d"}, {"content": "part two", "document_id": "d"}
    )
    assert (await document(app, bank, "d"))["text"] == "part one\npart two"
    assert set(await facts(bank)) == {"part one", "part two"}


async def test_a_long_content_becomes_chunks_that_fit(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "\n\n".join(PARAGRAPHS), "document_id": "d"})
    found = await facts(bank)
    assert set(found) == {paragraph.strip() for paragraph in PARAGRAPHS}
    assert {fact["chunk_id"] for fact in found.values()} == {f"{bank.bank_id}_d_{i}" for i in range(3)}
    assert all(len(text) <= app.settings.retain_chunk_size for text in found)


async def test_an_upsert_keeps_the_ids_of_unchanged_chunks(app: Application, bank: TestBank) -> None:
    first = {"content": "\n\n".join(PARAGRAPHS), "document_id": "d", "tags": ["old"], "metadata": {"v": "1"}}
    await bank.retain(first)
    before, stored = await facts(bank), await document(app, bank, "d")
    changed = "Changed part. " * 25
    second = "\n\n".join([PARAGRAPHS[0], changed, PARAGRAPHS[2]])
    await bank.retain({"content": second, "document_id": "d", "tags": ["new"], "metadata": {"v": "2"}})
    after, again = await facts(bank), await document(app, bank, "d")
    assert set(after) == {PARAGRAPHS[0].strip(), changed.strip(), PARAGRAPHS[2].strip()}
    for text in set(before) & set(after):
        assert after[text]["id"] == before[text]["id"]
    assert {tuple(fact["tags"]) for fact in after.values()} == {("new",)}
    assert {fact["metadata"]["v"] for fact in after.values()} == {"2"}
    assert again["created"] == stored["created"]
    assert again["updated"] > stored["updated"]
    assert (again["tags"], again["metadata"]) == (["new"], {"v": "2"})


async def test_an_upsert_that_shortens_drops_the_rest(bank: TestBank) -> None:
    await bank.retain({"content": "\n\n".join(PARAGRAPHS), "document_id": "d"})
    await bank.retain({"content": PARAGRAPHS[0], "document_id": "d"})
    assert [text.strip() for text in await facts(bank)] == [PARAGRAPHS[0].strip()]


async def test_append_adds_to_the_stored_text(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "part one", "document_id": "d"})
    await bank.retain({"content": "part two", "document_id": "d", "update_mode": "append"})
    assert (await document(app, bank, "d"))["text"] == "part one\npart two"
    assert list(await facts(bank)) == ["part one\npart two"]


async def test_append_joins_conversations(app: Application, bank: TestBank) -> None:
    turns = [[{"role": "user", "text": "part one"}], [{"role": "bot", "text": "part two"}]]
    for turn in turns:
        await bank.retain({"content": json.dumps(turn), "document_id": "d", "update_mode": "append"})
    assert json.loads((await document(app, bank, "d"))["text"]) == turns[0] + turns[1]


async def test_append_without_an_id_is_400(bank: TestBank) -> None:
    assert (await bank.post_items({"content": "x", "update_mode": "append"})).status_code == 400


async def test_concurrent_appends_are_never_lost(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "start", "document_id": "d"})
    lines = [f"part number {i}" for i in range(8)]
    items = [{"content": line, "document_id": "d", "update_mode": "append"} for line in lines]
    await asyncio.gather(*(bank.retain(item) for item in items))
    stored = (await document(app, bank, "d"))["text"].splitlines()
    assert stored[0] == "start"
    assert sorted(stored[1:]) == sorted(lines)


async def test_concurrent_retains_into_a_new_bank_are_all_stored(bank: TestBank) -> None:
    await asyncio.gather(
        *(bank.retain({"content": f"part {i}", "entities": [{"text": "Ada"}]}) for i in range(10))
    )
    assert len(await facts(bank)) == 10


async def test_punctuation_alone_is_no_fact(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "?!...", "document_id": "d"})
    assert await bank.results("anything") == []
    assert (await document(app, bank, "d"))["text"] == "?!..."


async def test_d20_an_unknown_strategy_is_ignored(bank: TestBank) -> None:
    await bank.retain(
        {"content": "part", "strategy": "verbose", "resolve_entities": False, "observation_scopes": "per_tag"}
    )
    assert len(await facts(bank)) == 1


async def test_a_bank_may_have_its_own_chunk_size(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={"retain_chunk_size": 100})
    await bank.retain("A part of a sentence. " * 20)
    assert max(map(len, await facts(bank))) <= 100


@pytest.mark.parametrize("bank_id", ["_hidden", "x" * 193, "a\nb"])
async def test_a_bank_that_may_not_be_is_refused(bank: TestBank, bank_id: str) -> None:
    response = await TestBank(bank.client, bank_id).post_items({"content": "x"})
    assert response.status_code == 400
    assert "bank_id must" in response.json()["detail"]


@pytest.mark.parametrize(
    "body", [{}, {"items": None}, {"items": {"content": "x"}}, {"items": [{}]}, {"items": ["x"]}]
)
async def test_a_body_that_is_no_retain_is_422(bank: TestBank, body: dict[str, Any]) -> None:
    assert (await bank.client.post(f"{bank.path}/memories", json=body)).status_code == 422
