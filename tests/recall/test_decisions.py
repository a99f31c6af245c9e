"""Decisions that have their test nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from recalld.bootstrap import Application
from tests.fixtures.bank import TestBank
from tests.fixtures.encoders import bundled
from tests.fixtures.facts import add_fact, add_link, add_observation

WINDOW = 256 - 2
"""Tokens the bundled encoder reads at once."""


async def test_d13_a_fact_reached_over_a_link_is_as_whole_as_any_other(
    app: Application, bank: TestBank
) -> None:
    seed = await add_fact(app, bank.bank_id, "The bakery on the corner burned down.")
    effect = await add_fact(
        app, bank.bank_id, "0441 7788 9921", metadata={"kind": "number"}, tags=["phone"], context="calls"
    )
    await add_link(app, bank.bank_id, (effect, seed), "caused_by", 0.9)
    (reached,) = [fact for fact in await bank.results("bakery on the corner") if fact["id"] == effect]
    assert (reached["scores"]["semantic"], reached["scores"]["keyword"]) == (None, None)
    assert (reached["metadata"], reached["tags"], reached["context"]) == (
        {"kind": "number"},
        ["phone"],
        "calls",
    )


async def test_d4_an_entity_spends_its_budget_once_however_many_facts_name_it(
    app: Application, bank: TestBank
) -> None:
    await bank.retain(*({"content": f"Ada plays game {i}.", "entities": [{"text": "Ada"}]} for i in range(5)))
    facts = await bank.results("Ada plays")
    text = "Ada plays one game after another. " * 30
    await add_observation(app, bank.bank_id, text, [fact["id"] for fact in facts])
    cost = app.tokens.count(text)
    assert 2 * cost < 500
    answer = await bank.recall("Ada plays", types=["world"])
    assert len(answer["results"]) == 5
    assert [one["text"] for one in answer["entities"]["Ada"]["observations"]] == [text]


async def test_d21_a_whole_chunk_of_prose_lies_inside_the_window_of_the_encoder(
    app: Application, bank: TestBank
) -> None:
    await bank.retain("The weather report said that it would rain again. " * 60)
    found = await bank.results("weather report", max_tokens=100_000)
    assert len(found) > 1
    for fact in found:
        (embedded,) = bundled(app).embed_passages([fact["text"]])
        assert 0 < len(embedded.tokens) <= WINDOW


@pytest.mark.parametrize("piece", ["x1 = f(y2); ", "我住在北京 ", "नमस्ते "])
async def test_d21_of_a_chunk_with_more_tokens_nothing_is_left_out(
    app: Application, bank: TestBank, piece: str
) -> None:
    await bank.retain(piece * (1200 // len(piece)))
    cost = len(bundled(app).embed_query(piece).spans)
    found = await bank.results("x1 我住在北京", max_tokens=100_000, min_scores={"semantic": -1})
    assert len(found) > 1
    for fact in found:
        (embedded,) = bundled(app).embed_passages([fact["text"]])
        assert len(embedded.tokens) == cost * fact["text"].count(piece.strip())


async def test_d21_a_bank_may_want_chunks_of_another_size(bank: TestBank) -> None:
    text = "The weather report said that it would rain again. " * 20
    counts: list[Any] = []
    for size in (200, 2000):
        await bank.client.put(bank.path, json={"retain_chunk_size": size})
        await bank.retain({"content": text, "document_id": f"d{size}"})
        found = await bank.results("weather report", max_tokens=100_000)
        counts.append([fact["text"] for fact in found if fact["document_id"] == f"d{size}"])
    assert len(counts[0]) >= 5
    assert all(len(chunk) <= 200 for chunk in counts[0])
    assert [chunk.strip() for chunk in counts[1]] == [text.strip()]
