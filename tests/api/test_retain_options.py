"""Retain's finer points: strategies, what an append keeps, names that mean a known entity, unkept texts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recalld.bootstrap import Application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.operations import submit, work_off

PROSE = "One sentence of some length stands here. " * 60


async def configure(bank: TestBank, **updates: Any) -> None:
    response = await bank.client.patch(f"{bank.path}/config", json={"updates": updates})
    assert response.status_code == 200, response.text


async def document(bank: TestBank, id_: str) -> Json:
    response = await bank.client.get(f"{bank.path}/documents/{id_}")
    assert response.status_code == 200
    answer: Json = response.json()
    return answer


async def chunks(bank: TestBank, id_: str) -> list[str]:
    answer = (await bank.client.get(f"{bank.path}/documents/{id_}/chunks")).json()
    return [chunk["chunk_text"] for chunk in answer["items"]]


async def test_an_append_keeps_entities_context_metadata_and_tags(bank: TestBank) -> None:
    first = {
        "content": "Alice keeps bees.",
        "context": "a chat",
        "entities": [{"text": "Alice"}],
        "metadata": {"a": "1"},
        "tags": ["x"],
    }
    second = {"content": "And honey.", "entities": [{"text": "Honey"}], "metadata": {"b": "2"}, "tags": ["y"]}
    await bank.retain({**first, "document_id": "d"})
    await bank.retain({**second, "document_id": "d", "update_mode": "append"})
    (fact,) = await bank.results("bees honey")
    assert fact["text"] == "Alice keeps bees.\nAnd honey."
    assert (sorted(fact["entities"]), fact["context"]) == (["Alice", "Honey"], "a chat")
    assert (fact["metadata"], sorted(fact["tags"])) == ({"a": "1", "b": "2"}, ["x", "y"])
    stored = await document(bank, "d")
    assert (stored["document_metadata"], sorted(stored["tags"])) == ({"a": "1", "b": "2"}, ["x", "y"])


async def test_a_replacement_keeps_nothing(bank: TestBank) -> None:
    await bank.retain(
        {"content": "Bees.", "document_id": "d", "tags": ["x"], "entities": [{"text": "Alice"}]}
    )
    await bank.retain({"content": "Honey bees.", "document_id": "d"})
    (fact,) = await bank.results("bees")
    assert (fact["entities"], fact["tags"]) == (None, [])


async def test_a_strategy_sets_how_its_items_are_cut(app: Application, bank: TestBank) -> None:
    await configure(bank, retain_strategies={"fine": {"retain_chunk_size": 100}, "odd": 3})
    for strategy, size in (("fine", 100), (None, 500), ("unknown", 500), ("odd", 500)):
        id_ = f"doc-{strategy}"
        await bank.retain({"content": PROSE, "document_id": id_, "strategy": strategy})
        lengths = [len(text) for text in await chunks(bank, id_)]
        assert size / 2 < max(lengths) <= size
    await submit(bank, {"content": PROSE, "document_id": "later", "strategy": "fine"})
    await work_off(app)
    assert max(len(text) for text in await chunks(bank, "later")) <= 100


async def test_a_bank_may_have_a_usual_strategy(bank: TestBank) -> None:
    await configure(
        bank, retain_strategies={"fine": {"retain_chunk_size": 100}}, retain_default_strategy="fine"
    )
    await bank.retain({"content": PROSE, "document_id": "d"})
    assert max(len(text) for text in await chunks(bank, "d")) <= 100


async def test_d20_a_strategy_that_names_an_llm_mode_falls_back_to_chunks(bank: TestBank) -> None:
    await configure(bank, retain_strategies={"git": {"retain_extraction_mode": "verbose"}})
    await bank.retain({"content": "a fact", "strategy": "git"})
    assert await bank.texts("fact") == ["a fact"]


async def test_a_single_json_object_stays_whole_up_to_its_own_size(bank: TestBank) -> None:
    content = json.dumps({f"key{i}": f"value {i}" for i in range(60)})
    await configure(bank, retain_structured_chunk_size=len(content))
    await bank.retain({"content": content, "document_id": "whole"})
    assert await chunks(bank, "whole") == [content]
    await configure(bank, retain_structured_chunk_size=None)
    await bank.retain({"content": content, "document_id": "cut"})
    assert len(await chunks(bank, "cut")) > 1


async def test_a_bank_may_keep_no_document_texts_and_append_all_the_same(bank: TestBank) -> None:
    await configure(bank, store_document_text=False)
    await bank.retain({"content": "Bees.", "document_id": "d"})
    assert (await document(bank, "d"))["original_text"] is None
    await bank.retain({"content": "Honey.", "document_id": "d", "update_mode": "append"})
    assert await bank.texts("bees") == ["Bees.\nHoney."]
    assert (await document(bank, "d"))["original_text"] is None
    answer = await bank.recall("bees", include={"chunks": {}})
    assert [chunk["text"] for chunk in answer["chunks"].values()] == ["Bees.\nHoney."]


@pytest.mark.parametrize(("resolve", "expected"), [(True, {"Katherine Johnson"}), (False, None)])
async def test_a_misspelt_name_means_the_known_entity_unless_told_otherwise(
    bank: TestBank,
    resolve: bool,  # noqa: FBT001
    expected: set[str] | None,
) -> None:
    await bank.retain({"content": "She computes orbits.", "entities": [{"text": "Katherine Johnson"}]})
    await bank.retain(
        {
            "content": "She computes trajectories.",
            "entities": [{"text": "Katherine Johnson,"}],
            "resolve_entities": resolve,
        }
    )
    entities = set((await bank.recall("computes"))["entities"])
    assert entities == (expected or {"Katherine Johnson", "Katherine Johnson,"})


async def test_mentions_are_counted_and_dated(bank: TestBank) -> None:
    for day in ("2026-03-01", "2026-01-01", "2026-02-01"):
        await bank.retain({"content": f"Ada on {day}.", "timestamp": day, "entities": [{"text": "ADA"}]})
    (ada,) = (await bank.client.get(f"{bank.path}/entities")).json()["items"]
    assert (ada["canonical_name"], ada["mention_count"]) == ("ADA", 3)
    assert (ada["first_seen"][:10], ada["last_seen"][:10]) == ("2026-01-01", "2026-03-01")
