"""Workers killed at any moment: every operation ends completed, and nothing is applied twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from recalld.bootstrap import Application
from recalld.store.engine import fetch
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.facts import bank_key
from tests.fixtures.operations import status_of, submit, work_off
from tests.fixtures.workers import kill_a_worker

KILLS = 50
OPERATIONS = 25
DOCUMENTS = 5

_TEXTS = "SELECT id, original_text FROM documents WHERE bank_key = %(key)s"
_COUNTS = "SELECT status, count(*) FROM operations WHERE bank_key = %(key)s GROUP BY 1"


def items(number: int) -> list[Json]:
    """An append to every document, and a document of its own."""
    appends = [
        {"content": f"mark{number:03}x{d}.", "document_id": f"d{d}", "update_mode": "append"}
        for d in range(DOCUMENTS)
    ]
    return [*appends, {"content": f"own{number:03}. " + "word " * 200, "document_id": f"own{number}"}]


@pytest.mark.timeout(400)
async def test_fifty_killed_workers_lose_and_repeat_nothing(
    app: Application, bank: TestBank, database_url: str
) -> None:
    await bank.retain(*({"content": f"start{d}.", "document_id": f"d{d}"} for d in range(DOCUMENTS)))
    await work_off(app)
    randomness = random.Random(50)
    ids = [await submit(bank, *items(number)) for number in range(OPERATIONS)]
    for _ in range(KILLS):
        await kill_a_worker(database_url, randomness.uniform(0.0, 0.12))
    async with asyncio.timeout(120):
        while {(await status_of(bank, id_))["status"] for id_ in ids} != {"completed"}:
            await work_off(app)
            await asyncio.sleep(0.1)

    key = await bank_key(app, bank.bank_id)
    async with app.database.read() as connection:
        texts: dict[str, str] = dict(await fetch(connection, _TEXTS, {"key": key}))
        counts: dict[str, int] = dict(await fetch(connection, _COUNTS, {"key": key}))
    assert counts == {"completed": 2 * OPERATIONS}
    for d in range(DOCUMENTS):
        marks = Counter(texts[f"d{d}"].replace("\n", "").split("."))
        expected = [f"start{d}", *(f"mark{number:03}x{d}" for number in range(OPERATIONS)), ""]
        assert marks == Counter(expected)
    assert {f"own{number}" for number in range(OPERATIONS)} <= texts.keys()
    for number in (0, OPERATIONS - 1):
        found = await bank.texts(f"own{number:03} mark{number:03}x0", max_tokens=100_000)
        assert any(f"own{number:03}" in text for text in found)
        assert any(f"mark{number:03}x0" in text for text in found)


REPEATED = 60
_OBSERVATIONS = """
    SELECT text, source_memory_ids::text[], proof_count FROM memory_units
    WHERE bank_key = %(key)s AND fact_type = 'observation'
"""
_SOURCES = """
    SELECT id::text, text, consolidated_at IS NULL FROM memory_units
    WHERE bank_key = %(key)s AND fact_type = 'world'
"""


@pytest.mark.timeout(300)
async def test_consolidation_killed_twenty_times_loses_and_repeats_nothing(
    app: Application, bank: TestBank, database_url: str
) -> None:
    for _ in range(3):
        await bank.retain(*(f"Statement number {number} holds." for number in range(REPEATED)))
    await bank.client.post(f"{bank.path}/consolidate")
    randomness = random.Random(20)
    for _ in range(20):
        await kill_a_worker(database_url, randomness.uniform(0.0, 0.05))
    async with asyncio.timeout(60):
        while not await work_off(app):  # noqa: ASYNC110 - until the lease of the last one has run out
            await asyncio.sleep(0.1)

    key = await bank_key(app, bank.bank_id)
    async with app.database.read() as connection:
        observed = await fetch(connection, _OBSERVATIONS, {"key": key})
        facts = await fetch(connection, _SOURCES, {"key": key})
    assert len(observed) == REPEATED
    assert {proofs for _, _, proofs in observed} == {3}
    by_id = {id_: text for id_, text, _ in facts}
    for text, sources, _ in observed:
        assert {by_id[id_] for id_ in sources} == {text}
    assert len({id_ for _, sources, _ in observed for id_ in sources}) == 3 * REPEATED
    assert not any(pending for _, _, pending in facts)
