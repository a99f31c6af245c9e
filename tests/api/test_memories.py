"""The memories of a bank: list, look at one, clear."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest

from recalld.bootstrap import Application
from recalld.domain.memory import FactType
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask, assert_exact, id_of, listed
from tests.fixtures.facts import add_fact, add_observation

PARIS: Json = {
    "content": "Alice moved to Paris.",
    "timestamp": "2026-05-04T10:00:00Z",
    "context": "a letter",
    "tags": ["alice", "travel"],
    "entities": [{"text": "Alice"}, {"text": "Paris"}],
    "metadata": {"source": "post"},
    "document_id": "letter",
}
CAT: Json = {
    "content": "Alice adopted a grey cat.",
    "timestamp": "2026-07-10T00:00:00Z",
    "tags": ["alice"],
    "entities": [{"text": "Alice"}],
}
BEES: Json = {
    "content": "Bob keeps bees.",
    "timestamp": "2026-06-01T00:00:00Z",
    "entities": [{"text": "Bob"}],
}
UNDATED: Json = {"content": "Bread is baked on the corner.", "timestamp": "unset"}


@pytest.fixture
async def full(bank: TestBank) -> TestBank:
    """A bank with four memories."""
    await bank.retain(PARIS, CAT, BEES, UNDATED)
    return bank


async def texts(bank: TestBank, **params: Any) -> list[str]:
    return [row["text"] for row in await listed(bank, **params)]


async def test_a_row_tells_all_about_a_memory(full: TestBank) -> None:
    (row,) = await listed(full, q="moved to PARIS")
    assert (row["text"], row["context"], row["fact_type"]) == ("Alice moved to Paris.", "a letter", "world")
    assert row["date"] == row["mentioned_at"] == "2026-05-04T10:00:00+00:00"
    assert set(row["entities"].split(", ")) == {"Alice", "Paris"}
    assert (row["tags"], row["metadata"]) == (["alice", "travel"], {"source": "post"})
    assert (row["document_id"], row["proof_count"], row["state"]) == ("letter", 1, "valid")
    assert row["chunk_id"].endswith("_letter_0")
    empty = ("occurred_start", "consolidated_at", "invalidated_at", "invalidation_reason", "edited_at")
    assert {row[name] for name in empty} == {None}
    assert row["source_memory_ids"] == []


async def test_the_newest_comes_first_and_the_undated_last(full: TestBank) -> None:
    assert await texts(full) == [item["content"] for item in (CAT, BEES, PARIS, UNDATED)]
    (last,) = await listed(full, offset=3)
    assert (last["date"], last["mentioned_at"]) == ("", None)


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"type": "world"}, 4),
        ({"type": "experience"}, 0),
        ({"type": "nonsense"}, 0),
        ({"q": "letter"}, 1),
        ({"q": "%"}, 0),
        ({"document_id": "letter"}, 1),
        ({"document_id": "unknown"}, 0),
        ({"tags": "travel"}, 3),
        ({"tags": "travel", "tags_match": "any_strict"}, 1),
        ({"tags": ["alice", "travel"], "tags_match": "any_strict"}, 2),
        ({"tags": ["alice", "travel"], "tags_match": "all_strict"}, 1),
        ({"tags": "alice", "tags_match": "exact"}, 1),
        ({"tags_match": "exact"}, 2),
        ({"consolidation_state": "pending"}, 4),
        ({"consolidation_state": "done"}, 0),
        ({"consolidation_state": "failed"}, 0),
        ({"state": "valid"}, 4),
        ({"state": "invalidated"}, 0),
        ({"start_date": "2026-06-01"}, 2),
        ({"end_date": "2026-06-01"}, 1),
        ({"start_date": "2026-05-04T10:00:00Z", "end_date": "2026-05-04T10:00:01Z"}, 1),
        ({"time_field": "occurred_start"}, 0),
        ({"time_field": "mentioned_at"}, 3),
        ({"time_field": "created_at", "start_date": "2020-01-01"}, 4),
    ],
    ids=str,
)
async def test_a_list_can_be_narrowed(full: TestBank, params: dict[str, Any], wanted: int) -> None:
    page = await answer(full, "GET", "/memories/list", params=params)
    assert (page["total"], len(page["items"])) == (wanted, wanted)


async def test_a_list_can_be_narrowed_to_an_entity_and_what_was_concluded_about_it(
    app: Application, full: TestBank
) -> None:
    await add_observation(app, full.bank_id, "Alice has settled.", [await id_of(full, CAT["content"])])
    (alice,) = (row for row in await listed(full, "/entities") if row["canonical_name"] == "Alice")
    found = await listed(full, entity_id=alice["id"].upper())
    assert {row["text"] for row in found} == {PARIS["content"], CAT["content"], "Alice has settled."}
    assert {row["entities"] for row in found if row["fact_type"] == "observation"} == {"Alice"}


async def test_consolidation_states_tell_facts_apart(app: Application, bank: TestBank) -> None:
    when = "2026-01-01T00:00:00Z"
    await add_fact(app, bank.bank_id, "done", consolidated_at=when)
    await add_fact(app, bank.bank_id, "failed", consolidation_failed_at=when)
    source = await add_fact(app, bank.bank_id, "pending")
    await add_observation(app, bank.bank_id, "seen", [source])
    for state in ("done", "failed", "pending"):
        assert await texts(bank, consolidation_state=state) == [state]


async def test_pages_follow_each_other_and_a_limit_of_zero_counts(full: TestBank) -> None:
    whole = await texts(full)
    paged = [text for offset in range(4) for text in await texts(full, limit=1, offset=offset)]
    assert paged == whole
    empty = await answer(full, "GET", "/memories/list", params={"limit": 0})
    assert empty == {"items": [], "total": 4, "limit": 0, "offset": 0}
    huge = await answer(full, "GET", "/memories/list", params={"limit": 10**20, "offset": 10**20})
    assert (huge["items"], huge["total"]) == ([], 4)


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"state": "gone"}, 400),
        ({"consolidation_state": "maybe"}, 400),
        ({"start_date": "yesterday"}, 400),
        ({"entity_id": "Alice"}, 400),
        ({"time_field": "event_date"}, 422),
        ({"tags_match": "some"}, 422),
        ({"limit": -1}, 422),
        ({"tags": "a\x00b"}, 422),
        ({"q": "a\x00b"}, 200),
        ({"type": "a\x00b"}, 200),
        ({"document_id": "a\x00b"}, 200),
    ],
    ids=str,
)
async def test_odd_values_never_fail(full: TestBank, params: dict[str, Any], status: int) -> None:
    assert (await ask(full, "GET", "/memories/list", params=params)).status_code == status


async def test_names_that_nothing_reads_are_reported_and_the_others_are_not(full: TestBank) -> None:
    response = await ask(full, "GET", "/memories/list", params={"q": "x", "limit": 1, "colour": "red"})
    assert response.headers["X-Ignored-Params"] == "colour"


async def test_an_unknown_bank_is_404_for_lists_and_for_one(bank: TestBank) -> None:
    missing = await ask(bank, "GET", "/memories/list")
    assert (missing.status_code, missing.json()) == (404, {"detail": f"Bank '{bank.bank_id}' not found"})
    assert (await ask(bank, "GET", f"/memories/{uuid4()}")).status_code == 404


async def test_one_memory_shows_its_type_and_its_entities(full: TestBank) -> None:
    shown = await answer(full, "GET", f"/memories/{await id_of(full, PARIS['content'])}")
    assert (shown["text"], shown["type"], shown["state"]) == (PARIS["content"], "world", "valid")
    assert sorted(shown["entities"]) == ["Alice", "Paris"]
    assert shown["observation_scopes"] is None
    assert not {"fact_type", "history", "source_memories"} & set(shown)


async def test_an_observation_shows_what_it_rests_on(app: Application, full: TestBank) -> None:
    sources = [await id_of(full, item["content"]) for item in (CAT, PARIS)]
    seen = await add_observation(app, full.bank_id, "Alice has settled.", sources)
    shown = await answer(full, "GET", f"/memories/{seen}")
    assert (shown["type"], shown["history"], shown["source_memory_ids"]) == ("observation", [], sources)
    assert [source["text"] for source in shown["source_memories"]] == [CAT["content"], PARIS["content"]]
    assert set(shown["source_memories"][0]) == {
        "id",
        "text",
        "type",
        "context",
        "occurred_start",
        "mentioned_at",
    }
    assert sorted(shown["entities"]) == ["Alice", "Paris"]


@pytest.mark.parametrize(
    ("name", "status"),
    [("recall", 400), ("7", 400), ("a\x00", 400), ("00000000-0000-4000-8000-000000000000", 404)],
)
async def test_a_memory_that_is_none(full: TestBank, name: str, status: int) -> None:
    path = httpx.URL(f"http://recalld.test{full.path}/memories/{name.replace(chr(0), '%00')}")
    assert (await full.client.get(path)).status_code == status


async def test_clearing_a_type_leaves_the_others_and_exact_statistics(
    app: Application, full: TestBank
) -> None:
    await add_fact(app, full.bank_id, "I booked a train.", fact_type=FactType.EXPERIENCE)
    source = await id_of(full, CAT["content"])
    await add_observation(app, full.bank_id, "Alice has settled.", [source])
    gone = await answer(full, "DELETE", "/memories", params={"type": "world"})
    assert (gone["success"], gone["deleted_count"]) == (True, 4)
    assert await texts(full) == ["I booked a train."]
    assert await full.texts("Alice and the cat in Paris") in ([], ["I booked a train."])
    assert await listed(full, "/entities") == []
    await assert_exact(app, full)


async def test_what_was_cleared_can_be_stored_again(full: TestBank) -> None:
    await answer(full, "DELETE", "/memories", params={"type": "world"})
    await full.retain(PARIS)
    assert await texts(full) == [PARIS["content"]]
    assert await full.texts("Where did Alice move?") == [PARIS["content"]]


async def test_clearing_everything_empties_the_bank_and_keeps_it(app: Application, full: TestBank) -> None:
    await answer(full, "PATCH", "/config", json={"updates": {"enable_reranking": False}})
    gone = await answer(full, "DELETE", "/memories")
    assert gone["deleted_count"] == 4
    for path in ("/memories/list", "/documents", "/entities", "/tags"):
        assert await listed(full, path) == []
    assert (await answer(full, "GET", "/config"))["overrides"] == {"enable_reranking": False}
    assert await full.texts("Alice") == []
    await assert_exact(app, full)


async def test_clearing_a_bank_that_is_not_there_creates_none(bank: TestBank) -> None:
    assert (await answer(bank, "DELETE", "/memories"))["deleted_count"] == 0
    assert (await ask(bank, "GET", "/stats")).status_code == 404
