"""Curating: edit a memory, set it aside, bring it back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recalld.bootstrap import Application
from recalld.domain.memory import FactType
from recalld.store.engine import fetch
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask, assert_exact, id_of, listed
from tests.fixtures.encoders import bundled
from tests.fixtures.facts import add_fact, add_link, add_observation, bank_key

LETTER = "Alice moved to Paris."
DIARY = "Bob keeps bees on the roof."
PEARL = "Zubrowka distilled near Bialystok."


@pytest.fixture
async def full(bank: TestBank) -> TestBank:
    """A bank with two memories."""
    await bank.retain(
        {
            "content": LETTER,
            "document_id": "letter",
            "timestamp": "2026-05-04T10:00:00Z",
            "tags": ["alice"],
            "metadata": {"source": "post"},
            "entities": [{"text": "Alice"}],
        },
        {"content": DIARY, "document_id": "diary", "timestamp": "2026-06-01T00:00:00Z"},
    )
    return bank


async def curate(bank: TestBank, of: str, /, **body: Any) -> Json:
    """Change the memory that has this text."""
    return await answer(bank, "PATCH", f"/memories/{await id_of(bank, of)}", json=body)


async def links(app: Application, bank: TestBank, kinds: tuple[str, ...]) -> set[tuple[str, str, str]]:
    query = """
        SELECT from_id::text, to_id::text, link_type FROM memory_links
        WHERE bank_key = %(key)s AND link_type = ANY(%(kinds)s)
    """
    params = {"key": await bank_key(app, bank.bank_id), "kinds": list(kinds)}
    async with app.database.read() as connection:
        return {(row[0], row[1], row[2]) for row in await fetch(connection, query, params)}


async def test_an_edited_text_is_found_by_its_new_words_only(app: Application, full: TestBank) -> None:
    before = await id_of(full, LETTER)
    edited = await curate(full, LETTER, text=PEARL, context="a postcard")
    assert (edited["id"], edited["text"], edited["context"]) == (before, PEARL, "a postcard")
    assert edited["edited_at"] is not None
    assert (edited["tags"], edited["metadata"], edited["document_id"]) == (
        ["alice"],
        {"source": "post"},
        "letter",
    )
    found = await full.results("Zubrowka postcard")
    assert (found[0]["id"], found[0]["text"]) == (before, PEARL)
    assert found[0]["scores"]["keyword"] > 0
    for fact in await full.results("Where did somebody move, to Paris?"):
        assert fact["scores"]["keyword"] is None
    await assert_exact(app, full)


async def test_an_edit_makes_the_vectors_anew(app: Application, full: TestBank) -> None:
    await curate(full, LETTER, text=PEARL)
    (embedding,) = bundled(app).embed_passages([f"{PEARL} (Alice)"])
    query = """
        SELECT 1 - (unit.embedding::halfvec(384) <=> %(vector)s::halfvec(384)), token.vectors
        FROM memory_units AS unit JOIN memory_token_vectors AS token ON token.unit_id = unit.id
        WHERE unit.bank_key = %(key)s AND unit.id = %(id)s AND token.bank_key = %(key)s
    """
    params = {
        "key": await bank_key(app, full.bank_id),
        "id": await id_of(full, PEARL),
        "vector": str(embedding.vector.tolist()),
    }
    async with app.database.read() as connection:
        ((similarity, tokens),) = await fetch(connection, query, params)
    assert similarity > 0.999
    assert tokens == embedding.tokens.tobytes()


async def test_dates_can_be_set_and_cleared(full: TestBank) -> None:
    edited = await curate(
        full, LETTER, occurred_start="2026-04-01", occurred_end="2026-04-30T12:00:00+02:00", mentioned_at=""
    )
    assert (edited["occurred_start"], edited["occurred_end"]) == (
        "2026-04-01T00:00:00+00:00",
        "2026-04-30T10:00:00+00:00",
    )
    assert (edited["date"], edited["mentioned_at"]) == ("2026-04-01T00:00:00+00:00", None)
    cleared = await curate(full, LETTER, occurred_start=None, occurred_end="")
    assert (cleared["date"], cleared["occurred_start"], cleared["occurred_end"]) == ("", None, None)


async def test_a_date_that_was_set_is_found_by_a_window(full: TestBank) -> None:
    window = {"start": "2020-02-01T00:00:00Z", "end": "2020-02-28T00:00:00Z"}

    async def in_window() -> list[str]:
        body = {"temporal_window": window, "trace": True}
        runs = (await full.recall("Where did Alice move?", **body))["trace"]["retrieval_results"]
        return [fact["text"] for run in runs if run["method_name"] == "temporal" for fact in run["results"]]

    assert await in_window() == []
    await curate(full, LETTER, occurred_start="2020-02-10")
    assert await in_window() == [LETTER]


async def test_a_type_can_be_changed(app: Application, full: TestBank) -> None:
    await curate(full, LETTER, fact_type="experience")
    assert await full.texts("Alice", types=["experience"]) == [LETTER]
    assert LETTER not in await full.texts("Alice", types=["world"])
    await assert_exact(app, full)


async def test_new_names_replace_the_old_in_lists_and_in_the_index(app: Application, full: TestBank) -> None:
    edited = await curate(full, DIARY, entities=["Apiary Guild", " apiary  guild ", "Bob"])
    assert sorted(edited["entities"]) == ["Apiary Guild", "Bob"]
    assert (await full.texts("Guild"))[0] == DIARY
    renamed = await curate(full, LETTER, entities=["Alicia"])
    assert renamed["entities"] == ["Alicia"]
    names = {row["canonical_name"] for row in await listed(full, "/entities")}
    assert names == {"Apiary Guild", "Bob", "Alicia"}
    assert (await curate(full, LETTER, entities=[]))["entities"] == []
    await assert_exact(app, full)


async def test_an_edit_drops_what_rests_on_the_memory(app: Application, full: TestBank) -> None:
    sources = [await id_of(full, LETTER), await id_of(full, DIARY)]
    seen = await add_observation(app, full.bank_id, "Alice and Bob are settled.", sources)
    await curate(full, LETTER, context="a postcard")
    assert (await ask(full, "GET", f"/memories/{seen}")).status_code == 404
    assert await full.texts("Who is settled?", types=["observation"]) == []
    await assert_exact(app, full)


async def test_j6_an_invalidated_memory_is_out_of_sight_and_kept(app: Application, full: TestBank) -> None:
    gone = await curate(full, LETTER, state="invalidated", reason="it was Rome")
    assert (gone["state"], gone["invalidation_reason"]) == ("invalidated", "it was Rome")
    assert gone["invalidated_at"] is not None
    assert LETTER not in await full.texts("Alice moved to Paris in May 2026")
    assert [row["text"] for row in await listed(full)] == [DIARY]
    assert await listed(full, "/entities") == []
    assert await listed(full, "/tags") == []
    (row,) = await listed(full, state="invalidated")
    assert (row["text"], row["state"], row["entities"]) == (LETTER, "invalidated", "Alice")
    shown = await answer(full, "GET", f"/memories/{row['id']}")
    assert (shown["state"], shown["entities"], shown["mentioned_at"]) == (
        "invalidated",
        ["Alice"],
        "2026-05-04T10:00:00+00:00",
    )
    await assert_exact(app, full)


async def test_j6_a_restored_memory_is_back_as_it_was(app: Application, full: TestBank) -> None:
    query = "Where did Alice move?"
    before = await full.results(query)
    row = (await listed(full, q="Paris"))[0]
    await curate(full, LETTER, state="invalidated")
    back = await curate(full, LETTER, state="valid")
    assert (back["state"], back["invalidated_at"], back["entities"]) == ("valid", None, ["Alice"])
    after = await full.results(query)
    assert [fact["id"] for fact in after] == [fact["id"] for fact in before]
    assert after[0]["scores"]["semantic"] == pytest.approx(before[0]["scores"]["semantic"], abs=1e-3)
    assert after[0]["scores"]["keyword"] == pytest.approx(before[0]["scores"]["keyword"], rel=0.1)
    (restored,) = await listed(full, q="Paris")
    changed = {name for name in row if row[name] != restored[name]}
    assert changed == {"updated_at"}
    await assert_exact(app, full)


async def test_links_come_back_with_a_restored_memory(app: Application, full: TestBank) -> None:
    cause, effect = await id_of(full, LETTER), await id_of(full, DIARY)
    await add_link(app, full.bank_id, (effect, cause), "caused_by", 0.75)
    made = await links(app, full, ("temporal", "semantic", "caused_by"))
    assert (effect, cause, "caused_by") in made
    await curate(full, LETTER, state="invalidated")
    assert await links(app, full, ("temporal", "semantic", "caused_by")) == set()
    await curate(full, LETTER, state="valid")
    assert await links(app, full, ("caused_by",)) == {(effect, cause, "caused_by")}
    between = {frozenset(link[:2]) for link in await links(app, full, ("temporal",))}
    assert between == {frozenset({cause, effect})}


async def test_a_causal_link_survives_both_its_ends_being_set_aside(app: Application, full: TestBank) -> None:
    cause, effect = await id_of(full, LETTER), await id_of(full, DIARY)
    await add_link(app, full.bank_id, (effect, cause), "caused_by", 0.75)
    await curate(full, LETTER, state="invalidated")
    await curate(full, DIARY, state="invalidated")
    await curate(full, LETTER, state="valid")
    assert await links(app, full, ("caused_by",)) == set()
    await curate(full, DIARY, state="valid")
    assert await links(app, full, ("caused_by",)) == {(effect, cause, "caused_by")}


async def test_an_edit_keeps_causal_links(app: Application, full: TestBank) -> None:
    cause, effect = await id_of(full, LETTER), await id_of(full, DIARY)
    await add_link(app, full.bank_id, (effect, cause), "caused_by", 0.75)
    await curate(full, LETTER, text="Alice moved to Rome.")
    assert await links(app, full, ("caused_by",)) == {(effect, cause, "caused_by")}


async def test_a_memory_can_be_edited_while_it_is_restored_but_not_while_set_aside(full: TestBank) -> None:
    id_ = await id_of(full, LETTER)
    await curate(full, LETTER, state="invalidated", reason="it was Rome")
    refused = await ask(full, "PATCH", f"/memories/{id_}", json={"text": "Alice moved to Rome."})
    assert refused.status_code == 409
    body = {"state": "valid", "text": "Alice moved to Rome."}
    await answer(full, "PATCH", f"/memories/{id_}", json=body)
    assert (await full.texts("Where did Alice move?"))[0] == "Alice moved to Rome."


async def test_a_memory_can_be_edited_while_it_is_set_aside(full: TestBank) -> None:
    gone = await curate(full, LETTER, text="Alice moved to Rome.", entities=["Rome"], state="invalidated")
    assert (gone["text"], gone["entities"], gone["state"]) == (
        "Alice moved to Rome.",
        ["Rome"],
        "invalidated",
    )
    assert await listed(full, "/entities") == []


async def test_saying_the_same_state_again_changes_nothing_but_the_reason(full: TestBank) -> None:
    (before,) = await listed(full, q="Paris")
    await curate(full, LETTER, state="valid")
    assert await listed(full, q="Paris") == [before]
    await curate(full, LETTER, state="invalidated", reason="one")
    again = await curate(full, LETTER, state="invalidated", reason="two")
    assert again["invalidation_reason"] == "two"


async def test_storing_the_same_text_again_does_not_bring_an_invalidated_memory_back(full: TestBank) -> None:
    await curate(full, LETTER, state="invalidated")
    await full.retain({"content": LETTER, "document_id": "letter"})
    assert LETTER not in await full.texts("Where did Alice move?")
    await full.retain({"content": "Alice moved to Rome.", "document_id": "letter"})
    assert await listed(full, state="invalidated") == []
    assert (await full.texts("Where did Alice move?"))[0] == "Alice moved to Rome."


async def test_a_document_takes_its_invalidated_memories_along(full: TestBank) -> None:
    await curate(full, LETTER, state="invalidated")
    await answer(full, "DELETE", "/documents/letter")
    assert await listed(full, state="invalidated") == []


async def test_a_memory_without_a_document_can_be_curated(app: Application, bank: TestBank) -> None:
    await add_fact(app, bank.bank_id, "I planted a walnut.", fact_type=FactType.EXPERIENCE, entities=["Eva"])
    await curate(bank, "I planted a walnut.", state="invalidated")
    await curate(bank, "I planted a walnut.", state="valid", text="I planted a chestnut.")
    (fact,) = await bank.results("chestnut")
    assert (fact["text"], fact["type"], fact["document_id"]) == ("I planted a chestnut.", "experience", None)
    await assert_exact(app, bank)


async def test_an_observation_is_changed_through_its_sources(app: Application, full: TestBank) -> None:
    seen = await add_observation(app, full.bank_id, "Settled.", [await id_of(full, LETTER)])
    refused = await ask(full, "PATCH", f"/memories/{seen}", json={"state": "invalidated"})
    assert refused.status_code == 400
    assert "derived" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"text": None, "context": None, "entities": None, "state": None}, 422),
        ({"reason": "because"}, 422),
        ({"resolve_entities": False}, 422),
        ({"text": "?!"}, 422),
        ({"text": "word " * 5000}, 422),
        ({"text": 7}, 422),
        ({"fact_type": "observation"}, 422),
        ({"fact_type": "opinion"}, 422),
        ({"entities": [f"name {i}" for i in range(201)]}, 422),
        ({"state": "gone"}, 400),
        ({"mentioned_at": "yesterday"}, 400),
        ({"mentioned_at": "9999-12-31"}, 400),
        ({"occurred_start": "2026-05-02", "occurred_end": "2026-05-01"}, 400),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_what_cannot_be(full: TestBank, body: Json, status: int) -> None:
    id_ = await id_of(full, LETTER)
    assert (await ask(full, "PATCH", f"/memories/{id_}", json=body)).status_code == status
    assert await id_of(full, LETTER) == id_


async def test_forbidden_characters_are_dropped(full: TestBank) -> None:
    edited = await curate(full, LETTER, text="Alice\x00 moved", context="a\x07 card", entities=["A\x00da"])
    assert (edited["text"], edited["context"], edited["entities"]) == ("Alice moved", "a card", ["Ada"])


@pytest.mark.parametrize("name", ["not-a-uuid", "00000000-0000-4000-8000-000000000000"])
async def test_a_memory_that_is_none(full: TestBank, bank: TestBank, name: str) -> None:
    response = await ask(full, "PATCH", f"/memories/{name}", json={"text": "new"})
    assert response.status_code == (400 if name == "not-a-uuid" else 404)
    missing = TestBank(bank.client, f"{bank.bank_id}-missing")
    assert (await ask(missing, "PATCH", f"/memories/{name}", json={"text": "new"})).status_code in {400, 404}


async def test_many_curators_and_writers_at_once_leave_statistics_exact(
    app: Application, full: TestBank
) -> None:
    id_ = await id_of(full, LETTER)

    async def edit(place: int) -> int:
        body: Json = {"text": f"Alice moved {place} times.", "entities": ["Alice", f"Place {place}"]}
        if place % 3 == 0:
            body = {"state": "invalidated" if place % 2 else "valid"}
        return (await ask(full, "PATCH", f"/memories/{id_}", json=body)).status_code

    async def store(place: int) -> None:
        names = [{"text": "Alice"}, {"text": "Bob"}]
        text = f"Alice met Bob {place} times."
        await full.retain({"content": text, "document_id": f"d{place % 2}", "entities": names})

    async with asyncio.timeout(60):
        writing = asyncio.gather(*(store(place) for place in range(6)))
        statuses = await asyncio.gather(*(edit(place) for place in range(8)))
        await writing
    assert set(statuses) <= {200, 409}
    await assert_exact(app, full)
