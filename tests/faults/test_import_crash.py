"""Workers killed in the middle of an import: nothing comes twice, nothing is lost, nothing hangs loose."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import random
from collections import Counter
from contextlib import suppress

import pytest

from recalld.bootstrap import Application
from recalld.store.engine import fetch
from tests.fixtures.archives import MANIFEST, packed, send
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import assert_exact, listed
from tests.fixtures.facts import bank_key
from tests.fixtures.operations import status_of, work_off
from tests.fixtures.workers import kill_a_worker

DOCUMENTS, FACTS, OBSERVATIONS = 200, 3, 300
PNG = base64.b64decode("iVBORw0KGgo=")
HASH = hashlib.sha256(PNG).hexdigest()

_LOOSE = """
    SELECT unit.id FROM memory_units AS unit
    CROSS JOIN unnest(unit.source_memory_ids) AS source(id)
    LEFT JOIN memory_units AS held ON held.bank_key = unit.bank_key AND held.id = source.id
    WHERE unit.bank_key = %(key)s AND held.id IS NULL
    UNION ALL
    SELECT unit_id FROM unlinked_units WHERE bank_key = %(key)s
    UNION ALL
    SELECT entity.id FROM entities AS entity
    WHERE entity.bank_key = %(key)s AND entity.mention_count <> (
        SELECT count(*) FROM unit_entities AS mention
        WHERE mention.bank_key = entity.bank_key AND mention.entity_id = entity.id)
"""
_CAUSAL = """
    SELECT start.text, finish.text FROM memory_links AS link
    JOIN memory_units AS start ON start.bank_key = link.bank_key AND start.id = link.from_id
    JOIN memory_units AS finish ON finish.bank_key = link.bank_key AND finish.id = link.to_id
    WHERE link.bank_key = %(key)s AND link.link_type = 'caused_by'
"""


def fact(document: int, place: int, word: str) -> Json:
    relations = [{"relation_type": "caused_by", "target_fact_index": place - 1}] if place else []
    return {
        "text": f"{word} {place} of document {document}.",
        "fact_type": "world",
        "entities": [f"Thing {document % 7}", f"Place {place}"],
        "mentioned_at": "2026-03-01T00:00:00Z",
        "causal_relations": relations,
    }


def documents(word: str) -> dict[str, Json]:
    return {
        f"documents/{d:06}.json": {
            "id": f"d{d}",
            "original_text": f"{word} [image:{HASH[:16]}]",
            "facts": [fact(d, place, word) for place in range(FACTS)],
        }
        for d in range(DOCUMENTS)
    }


def sources_of(number: int) -> set[tuple[int, int]]:
    return {(number % DOCUMENTS, number % FACTS), ((number * 7 + 1) % DOCUMENTS, 0)}


def archive(word: str) -> bytes:
    observations = [
        {
            "text": f"Observation {number}.",
            "sources": [
                {"document_id": f"d{d}", "fact_index": place} for d, place in sorted(sources_of(number))
            ],
        }
        for number in range(OBSERVATIONS)
    ]
    aside = [{"document_id": f"d{d}", "text": f"Untrue {d}.", "fact_type": "world"} for d in range(DOCUMENTS)]
    return packed(
        {
            **documents(word),
            "observations.json": observations,
            "data/invalidated_memory_units.json": aside,
            "attachments.json": [
                {"document_id": f"d{d}", "hash": HASH, "kind": "image"} for d in range(DOCUMENTS)
            ],
            f"blobs/{HASH}": PNG,
            "manifest.json": MANIFEST,
        }
    )


async def progressed(bank: TestBank, id_: str, documents: int) -> None:
    """Wait until a worker has written so many documents more, or has come to what rests on them."""
    start = (await status_of(bank, id_))["progress"]["processed"]
    with suppress(TimeoutError):
        async with asyncio.timeout(10):
            while True:
                done = (await status_of(bank, id_))["progress"]["processed"]
                if done >= min(start + documents, DOCUMENTS):
                    return
                await asyncio.sleep(0.01)


async def killed_often(bank: TestBank, app: Application, url: str, id_: str, kills: int) -> Json:
    """Kill workers over an import, most of them part of the way, then let it end."""
    randomness = random.Random(kills)
    done = []
    for _ in range(kills):
        moment = progressed(bank, id_, randomness.choice([0, 1, 2 * DOCUMENTS // kills]))
        await kill_a_worker(url, randomness.uniform(0.0, 0.3), moment)
        done.append((await status_of(bank, id_))["progress"]["processed"])
    assert len(set(done)) > 3, f"the kills came at few places: {done}"
    async with asyncio.timeout(120):
        while (await status_of(bank, id_))["status"] not in {"completed", "failed"}:
            await work_off(app)
            await asyncio.sleep(0.1)
    return await status_of(bank, id_)


async def assert_whole(app: Application, bank: TestBank, word: str) -> None:
    """Every document of the archive is there once, with all that belongs to it."""
    rows = await listed(bank, limit=10_000)
    facts = {row["id"]: row["text"] for row in rows if row["fact_type"] == "world"}
    every = {
        (d, place): f"{word} {place} of document {d}." for d in range(DOCUMENTS) for place in range(FACTS)
    }
    assert Counter(facts.values()) == Counter(every.values())
    observed = {row["text"]: row for row in rows if row["fact_type"] == "observation"}
    assert len(rows) == len(facts) + len(observed) == DOCUMENTS * FACTS + OBSERVATIONS
    for number in range(OBSERVATIONS):
        row = observed[f"Observation {number}."]
        sources = {every[place] for place in sources_of(number)}
        assert {facts[id_] for id_ in row["source_memory_ids"]} == sources
        assert row["proof_count"] == len(sources)
    aside = await listed(bank, state="invalidated", limit=10_000)
    assert Counter(row["text"] for row in aside) == Counter(f"Untrue {d}." for d in range(DOCUMENTS))
    assert len(await listed(bank, "/documents", limit=1000)) == DOCUMENTS
    key = {"key": await bank_key(app, bank.bank_id)}
    async with app.database.read() as connection:
        assert await fetch(connection, _LOOSE, key) == []
        causal = set(await fetch(connection, _CAUSAL, key))
    assert causal == {(text, every[d, place - 1]) for (d, place), text in every.items() if place}
    response = await bank.client.get(f"{bank.path}/attachments/{HASH[:16]}")
    assert response.content == PNG
    await assert_exact(app, bank)


@pytest.mark.timeout(300)
async def test_an_import_killed_twenty_times_is_whole(
    app: Application, bank: TestBank, database_url: str
) -> None:
    response = await send(bank, archive("Fact"), mode="restore")
    status = await killed_often(bank, app, database_url, response.json()["operation_id"], 20)
    counts = status["result_metadata"]
    assert (counts["documents_imported"], counts["documents_skipped"]) == (DOCUMENTS, 0)
    assert counts["facts_imported"] == counts["facts_committed"] == DOCUMENTS * FACTS
    assert (counts["observations_imported"], counts["observations_skipped"]) == (OBSERVATIONS, 0)
    await assert_whole(app, bank, "Fact")


@pytest.mark.timeout(300)
async def test_replacing_killed_ten_times_leaves_nothing_of_what_was_replaced(
    app: Application, bank: TestBank, database_url: str
) -> None:
    await send(bank, archive("Former"), mode="merge")
    await work_off(app)
    response = await send(bank, archive("Later"), mode="merge", document_conflict="replace")
    status = await killed_often(bank, app, database_url, response.json()["operation_id"], 10)
    assert status["result_metadata"]["documents_imported"] == DOCUMENTS
    await assert_whole(app, bank, "Later")
