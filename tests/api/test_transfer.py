"""Archives: what a bank holds goes out and comes in elsewhere, once, however often it is sent."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.domain.memory import FactType
from recalld.store.engine import fetch
from tests.fixtures.archives import (
    MANIFEST,
    archive_of,
    export,
    exported,
    finished,
    imported,
    lasting,
    packed,
    refused,
    send,
    unpacked,
)
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask, assert_exact, id_of, listed
from tests.fixtures.facts import add_link, bank_key
from tests.fixtures.operations import status_of, work_off
from tests.fixtures.variants import client_of, variant

PNG = "iVBORw0KGgo="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
MINIMAL = {
    "id": "people",
    "tags": ["team"],
    "facts": [
        {
            "text": "Priya was made head of operations.",
            "fact_type": "experience",
            "occurred_start": "2026-03-02T09:00:00Z",
            "mentioned_at": "2026-03-05T09:00:00Z",
            "entities": ["Priya"],
            "metadata": {"source": "minutes"},
        },
        {
            "text": "The night shift got a second engineer.",
            "fact_type": "world",
            "tags": ["rota"],
            "causal_relations": [{"relation_type": "caused_by", "target_fact_index": 0}],
        },
        {"text": "The kettle is blue.", "fact_type": "world", "tags": []},
    ],
}
OBSERVED = {
    "text": "Priya runs operations and enlarged the night shift.",
    "tags": ["team"],
    "sources": [{"document_id": "people", "fact_index": 0}, {"document_id": "people", "fact_index": 1}],
}


@pytest.fixture(autouse=True)
async def _nothing_left_over(app: Application) -> None:
    """Operations of other tests are done before this one counts its own."""
    await work_off(app)


@pytest.fixture
def other(bank: TestBank) -> TestBank:
    """Another bank nobody knows."""
    return TestBank(bank.client, f"{bank.bank_id}-copy")


async def total(bank: TestBank, **params: Any) -> int:
    return int((await answer(bank, "GET", "/memories/list", params=params))["total"])


async def furnished(app: Application, bank: TestBank) -> None:
    """A bank with something of every kind in it."""
    await answer(bank, "PUT", "", json={"name": "A name", "mission": "A mission", "disposition_empathy": 5})
    await answer(bank, "PATCH", "/config", json={"updates": {"retain_chunk_size": 700}})
    await bank.retain(
        {
            "content": [{"type": "text", "text": "The harbour froze over."}, IMAGE],
            "document_id": "harbour",
            "timestamp": "2026-01-10T08:00:00Z",
            "tags": ["port", "winter"],
            "entities": [{"text": "Harbour"}],
            "metadata": {"source": "log"},
            "context": "a log book",
            "observation_scopes": "per_tag",
        },
        {"content": "First untold words. " * 40, "document_id": "long", "timestamp": "unset"},
        {"content": "The ferry was cancelled.", "document_id": "harbour", "tags": ["port"]},
        {"content": "It will be put right.", "document_id": "wrong", "timestamp": "2026-02-01T00:00:00Z"},
        {"content": "It stays.", "document_id": "wrong", "entities": [{"text": "Ada"}]},
    )
    for text in ("The tea is cold.", "the tea is cold!", "The tea is COLD"):
        await bank.retain({"content": text, "entities": [{"text": "tea"}]})
    found = {row["text"]: row["id"] for row in await listed(bank)}
    frozen = next(id_ for text, id_ in found.items() if text.startswith("The harbour"))
    await add_link(app, bank.bank_id, (found["The ferry was cancelled."], frozen), "caused_by", 1.0)
    await add_link(app, bank.bank_id, (found["It will be put right."], found["It stays."]), "causes", 1.0)
    path = f"/memories/{found['It will be put right.']}"
    await answer(bank, "PATCH", path, json={"state": "invalidated", "reason": "hearsay"})
    await answer(bank, "POST", "/consolidate")
    await work_off(app)
    assert await total(bank, type="observation") == 1


async def test_what_goes_out_comes_in_and_goes_out_the_same(
    app: Application, bank: TestBank, other: TestBank
) -> None:
    await furnished(app, bank)
    first = await exported(app, bank)
    counts = await imported(app, other, first, mode="restore")
    assert counts["documents_imported"] == 6
    assert counts["facts_imported"] == (await total(bank)) - 1
    assert (counts["observations_imported"], counts["observations_skipped"]) == (1, 0)
    assert (counts["invalidated_imported"], counts["attachments_imported"]) == (1, 1)
    assert counts["members_skipped"] == {}
    again = await export(app, other)
    before = unpacked(first)
    assert list(again) == list(before)
    for name, member in before.items():
        assert lasting(again[name]) == lasting(member), name
    await assert_exact(app, other)
    names = ("total_nodes", "nodes_by_fact_type", "total_documents", "pending_consolidation")
    mine, copied = [await answer(one, "GET", "/stats", params={"refresh": True}) for one in (bank, other)]
    assert {name: copied[name] for name in names} == {name: mine[name] for name in names}
    assert copied["links_by_link_type"]["caused_by"] == 1
    assert copied["links_by_link_type"]["semantic"] > 0
    entities = [await listed(one, "/entities") for one in (bank, other)]
    told = [
        {(e["canonical_name"], e["mention_count"], e["first_seen"], e["last_seen"]) for e in found}
        for found in entities
    ]
    assert told[0] == told[1]
    config = await answer(other, "GET", "/config")
    assert config["overrides"] == (await answer(bank, "GET", "/config"))["overrides"]
    assert (await answer(other, "GET", "/profile"))["name"] == "A name"


async def test_a_recall_finds_in_the_copy_what_it_found_before(
    app: Application, bank: TestBank, other: TestBank
) -> None:
    await furnished(app, bank)
    await imported(app, other, await exported(app, bank), mode="restore")
    anchor = {"query_timestamp": "2026-09-16T12:00:00Z", "include": {"entities": {}}}
    for query in (
        "Why was there no ferry?",
        "log book harbour",
        "cold tea",
        "What happened in January 2026?",
    ):
        assert await bank.texts(query, **anchor) == await other.texts(query, **anchor)
    (fact,) = [f for f in await other.results("harbour", **anchor) if f.get("attachments")]
    (file,) = fact["attachments"]
    response = await other.client.get(file["url"])
    assert (response.status_code, response.headers["content-type"]) == (200, "image/png")
    assert response.content == b"\x89PNG\r\n\x1a\n"


async def test_the_same_archive_adds_nothing_the_second_time_whatever_the_policy(
    app: Application, bank: TestBank, other: TestBank
) -> None:
    await furnished(app, bank)
    data = await exported(app, bank)
    await imported(app, other, data)
    ids = {row["id"] for row in await listed(other)}
    for policy in ("skip", "replace", "new-id"):
        counts = await imported(app, other, data, document_conflict=policy)
        assert (counts["documents_imported"], counts["documents_skipped"]) == (0, 6)
        assert (counts["facts_imported"], counts["remapped_document_ids"]) == (0, {})
        assert (counts["observations_imported"], counts["observations_skipped"]) == (0, 1)
        assert {row["id"] for row in await listed(other)} == ids
    assert await total(other, state="invalidated") == 1
    await assert_exact(app, other)


async def test_into_its_own_bank_an_archive_adds_nothing(app: Application, bank: TestBank) -> None:
    await furnished(app, bank)
    before = {row["id"] for row in await listed(bank)}
    counts = await imported(app, bank, await exported(app, bank), document_conflict="replace")
    assert (counts["documents_imported"], counts["observations_imported"]) == (0, 0)
    assert {row["id"] for row in await listed(bank)} == before


async def test_a_minimal_archive_is_a_bulk_loader(app: Application, bank: TestBank) -> None:
    counts = await imported(app, bank, archive_of(MINIMAL, observations=[OBSERVED]))
    assert (counts["facts_imported"], counts["observations_imported"]) == (3, 1)
    rows = {row["text"]: row for row in await listed(bank)}
    made, shift, kettle = (rows[fact["text"]] for fact in MINIMAL["facts"])  # type: ignore[index]
    assert (made["fact_type"], made["entities"], made["metadata"]) == (
        "experience",
        "Priya",
        {"source": "minutes"},
    )
    assert made["occurred_start"] == "2026-03-02T09:00:00+00:00"
    assert [row["tags"] for row in (made, shift, kettle)] == [["team"], ["rota"], []]
    for row in (shift, kettle):
        assert (row["mentioned_at"], row["occurred_start"], row["date"]) == (None, None, "")
    chunks = (await answer(bank, "GET", "/documents/people/chunks"))["items"]
    assert [chunk["chunk_text"] for chunk in chunks] == [fact["text"] for fact in MINIMAL["facts"]]  # type: ignore[index]
    observed = rows[OBSERVED["text"]]
    assert set(observed["source_memory_ids"]) == {made["id"], shift["id"]}
    assert (observed["proof_count"], observed["tags"]) == (2, ["team"])
    (entity,) = await listed(bank, "/entities")
    assert (entity["canonical_name"], entity["mention_count"]) == ("Priya", 1)
    assert entity["first_seen"] == "2026-03-02T09:00:00+00:00"
    assert "Priya was made head of operations." in await bank.texts("operations in March 2026")
    assert OBSERVED["text"] in await bank.texts("night shift", types=["observation"])
    stats = await answer(bank, "GET", "/stats", params={"refresh": True})
    assert stats["links_by_link_type"]["caused_by"] == 1
    assert stats["pending_consolidation"] == 1
    await assert_exact(app, bank)


async def test_names_are_taken_for_known_ones_by_spelling_only(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "Anna sails.", "entities": [{"text": "Anna"}]})
    facts = [{"text": f"{name} swims.", "entities": [name]} for name in ("ANNA", "Ana", " Anna ")]
    await imported(app, bank, archive_of({"id": "d", "facts": facts}))
    names = {row["canonical_name"]: row["mention_count"] for row in await listed(bank, "/entities")}
    assert names == {"Anna": 3, "Ana": 1}


def changed(text: str = "Priya left the company.") -> Json:
    return {**MINIMAL, "facts": [{"text": text, "fact_type": "world"}]}


async def test_a_document_whose_id_is_taken_is_skipped(app: Application, bank: TestBank) -> None:
    await imported(app, bank, archive_of(MINIMAL))
    counts = await imported(app, bank, archive_of(changed()))
    assert (counts["documents_imported"], counts["documents_skipped"]) == (0, 1)
    assert await total(bank) == 3


async def test_or_replaced_with_all_that_rested_on_it(app: Application, bank: TestBank) -> None:
    await imported(app, bank, archive_of(MINIMAL, observations=[OBSERVED]))
    counts = await imported(app, bank, archive_of(changed()), document_conflict="replace")
    assert (counts["documents_imported"], counts["facts_imported"]) == (1, 1)
    assert [row["text"] for row in await listed(bank)] == ["Priya left the company."]
    assert await listed(bank, "/entities") == []
    await assert_exact(app, bank)


async def test_or_kept_beside_under_an_id_of_its_own(app: Application, bank: TestBank) -> None:
    await imported(app, bank, archive_of(MINIMAL))
    observed = {**OBSERVED, "sources": [{"document_id": "people", "fact_index": 0}]}
    second = archive_of(changed(), observations=[observed])
    counts = await imported(app, bank, second, document_conflict="new-id")
    (new,) = counts["remapped_document_ids"].values()
    rows = {row["text"]: row for row in await listed(bank)}
    assert rows["Priya left the company."]["document_id"] == new
    assert rows[OBSERVED["text"]]["source_memory_ids"] == [rows["Priya left the company."]["id"]]
    assert await total(bank) == 5
    again = await imported(app, bank, second, document_conflict="new-id")
    assert (again["documents_imported"], again["observations_imported"]) == (0, 0)
    assert await total(bank) == 5


async def test_an_observation_without_one_of_its_sources_is_left_out(
    app: Application, bank: TestBank
) -> None:
    sources = [
        [{"document_id": "people", "fact_index": 3}],
        [{"document_id": "nobody", "fact_index": 0}],
        [*OBSERVED["sources"], {"document_id": "nobody", "fact_index": 0}],
        [],
    ]
    lost = [{**OBSERVED, "sources": one} for one in sources]
    counts = await imported(app, bank, archive_of(MINIMAL, observations=[*lost, OBSERVED, OBSERVED]))
    assert (counts["observations_imported"], counts["observations_skipped"]) == (1, 5)


async def test_observations_come_later_to_documents_that_are_there(app: Application, bank: TestBank) -> None:
    await imported(app, bank, archive_of(MINIMAL))
    counts = await imported(app, bank, archive_of(MINIMAL, observations=[OBSERVED]))
    assert (counts["documents_skipped"], counts["observations_imported"]) == (1, 1)


async def test_an_imported_observation_goes_with_its_source(app: Application, bank: TestBank) -> None:
    second = {"id": "b", "facts": [{"text": "The night shift is Omar's."}]}
    resting = {**OBSERVED, "sources": [*OBSERVED["sources"], {"document_id": "b", "fact_index": 0}]}
    await imported(app, bank, archive_of(MINIMAL, second, observations=[resting]))
    assert await total(bank, type="observation") == 1
    await answer(bank, "DELETE", "/documents/b")
    assert await total(bank, type="observation") == 0
    stats = await answer(bank, "GET", "/stats", params={"refresh": True})
    assert stats["pending_consolidation"] == 3
    await assert_exact(app, bank)


async def test_a_fact_set_aside_stays_aside_and_comes_back_with_its_link(
    app: Application, bank: TestBank, other: TestBank
) -> None:
    await furnished(app, bank)
    await imported(app, other, await exported(app, bank), mode="restore")
    (row,) = await listed(other, state="invalidated")
    assert (row["text"], row["invalidation_reason"]) == ("It will be put right.", "hearsay")
    assert "It will be put right." not in await other.texts("put right")
    await answer(other, "PATCH", f"/memories/{row['id']}", json={"state": "valid"})
    ends = {"from": row["id"], "to": await id_of(other, "It stays.")}
    query = "SELECT 1 FROM memory_links WHERE from_id = %(from)s AND to_id = %(to)s AND link_type = 'causes'"
    async with app.database.read() as connection:
        assert await fetch(connection, query, ends) == [(1,)]
    await assert_exact(app, other)


async def test_a_restore_is_refused_where_there_is_a_bank(app: Application, bank: TestBank) -> None:
    await answer(bank, "PUT", "", json={})
    own = archive_of(MINIMAL, manifest={**MANIFEST, "source_bank_id": bank.bank_id})
    for data, params in ((own, {}), (archive_of(MINIMAL), {"target_bank_id": bank.bank_id})):
        response = await send(bank, data, **params)
        assert response.status_code == 400
        assert "exists already" in response.json()["detail"]
    alias = f"{bank.bank_id}-also"
    await answer(bank, "POST", "/aliases", json={"alias": alias})
    response = await send(bank, archive_of(MINIMAL), target_bank_id=alias)
    assert response.status_code == 400


async def test_a_restore_that_failed_can_be_sent_again(app: Application, bank: TestBank) -> None:
    broken = archive_of(MINIMAL, {"id": "b", "facts": [{"text": 7}]})
    status = await finished(app, bank, await send(bank, broken))
    assert status["status"] == "failed"
    assert status["error_message"] == ("documents/000001.json: facts.0.text: Input should be a valid string")
    assert await total(bank) == 0
    counts = await imported(app, bank, archive_of(MINIMAL), mode="restore")
    assert counts["documents_imported"] == 1


async def test_a_restore_may_name_another_bank(app: Application, bank: TestBank, other: TestBank) -> None:
    response = await send(bank, archive_of(MINIMAL), target_bank_id=other.bank_id)
    status = await finished(app, other, response)
    assert status["result_metadata"]["bank_id"] == other.bank_id
    assert await total(other) == 3
    assert (await ask(bank, "GET", "/memories/list")).status_code == 404


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"mode": "both"}, "mode must be one of: restore, merge"),
        ({"mode": "merge", "document_conflict": "ask"}, "document_conflict must be one of"),
        ({"mode": "merge", "include_data": True}, "include_data: only for mode=restore"),
        ({"mode": "merge", "include_bank_config": False}, "include_bank_config: only for mode=restore"),
        ({"mode": "merge", "include_history": False}, "include_history: only for mode=restore"),
        ({"mode": "merge", "target_bank_id": "x"}, "target_bank_id: only for mode=restore"),
        ({"target_bank_id": "_x"}, "bank_id must not start with"),
    ],
)
async def test_words_that_make_no_sense_are_refused(bank: TestBank, params: Json, reason: str) -> None:
    response = await send(bank, archive_of(MINIMAL), **params)
    assert response.status_code == 400
    assert reason in response.json()["detail"]
    assert (await ask(bank, "GET", "/stats")).status_code == 404


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip", archive_of(MINIMAL)[:-40], archive_of()[30:]])
async def test_what_is_no_zip_is_refused_at_once(bank: TestBank, data: bytes) -> None:
    response = await send(bank, data)
    assert response.status_code == 400
    assert "damaged" in response.json()["detail"]


async def test_a_request_without_a_file_is_422(bank: TestBank) -> None:
    assert (await ask(bank, "POST", "/transfer/import")).status_code == 422
    assert (await ask(bank, "POST", "/document-transfer", json={})).status_code == 422


async def test_a_restore_from_a_bank_that_exists_is_followed_there(
    app: Application, bank: TestBank, other: TestBank
) -> None:
    await answer(bank, "PUT", "", json={})
    manifest = {**MANIFEST, "source_bank_id": other.bank_id}
    broken = archive_of({"id": "d", "facts": [{}]}, manifest=manifest)
    assert (await finished(app, bank, await send(bank, broken)))["status"] == "failed"
    response = await send(bank, archive_of(MINIMAL, manifest=manifest))
    status = await finished(app, bank, response)
    assert status["result_metadata"]["bank_id"] == other.bank_id
    assert (await total(bank), await total(other)) == (0, 3)
    assert (await send(bank, broken)).status_code == 400


async def test_settings_come_with_a_restore_only(app: Application, bank: TestBank, other: TestBank) -> None:
    row = {
        "bank_id": "elsewhere",
        "name": "Elsewhere",
        "mission": "To remember",
        "disposition": '{"empathy": 4, "skepticism": 9}',
        "config": '{"retain_chunk_size": 900, "text_search_language": "german", "no_such": 1, '
        '"recall_budget_min": "x"}',
    }
    data = archive_of(MINIMAL, banks=[row], directives=[{}, {}], webhooks=[])
    counts = await imported(app, bank, data)
    assert (await answer(bank, "GET", "/config"))["overrides"] == {}
    assert counts["members_skipped"] == {"directives": 2}
    counts = await imported(app, other, data, mode="restore")
    assert counts["settings_skipped"] == ["no_such", "recall_budget_min"]
    assert (await answer(other, "GET", "/config"))["overrides"] == {
        "retain_chunk_size": 900,
        "disposition_empathy": 4,
        "reflect_mission": "To remember",
    }
    assert (await answer(other, "GET", "/config"))["config"]["text_search_language"] == "german"
    again = await export(app, other)
    assert again["banks.json"][0]["config"] == {"retain_chunk_size": 900, "text_search_language": "german"}


async def test_flags_choose_what_goes_out_and_comes_in(
    app: Application, bank: TestBank, other: TestBank
) -> None:
    await furnished(app, bank)
    bare = await export(app, bank, include_data=False)
    assert set(bare) == {"banks.json", "manifest.json"}
    assert bare["manifest.json"]["scope"] == {"data": False, "bank_config": True, "history": False}
    assert "banks.json" not in await export(app, bank, include_bank_config=False, include_history=True)
    data = await exported(app, bank)
    await imported(app, other, data, mode="restore", include_data=False)
    assert await total(other) == 0
    assert (await answer(other, "GET", "/config"))["overrides"]["retain_chunk_size"] == 700
    third = TestBank(bank.client, f"{other.bank_id}-3")
    await imported(app, third, data, mode="restore", include_bank_config=False)
    assert (await answer(third, "GET", "/config"))["overrides"] == {}


async def test_some_documents_go_out_alone(app: Application, bank: TestBank) -> None:
    await furnished(app, bank)
    members = await export(app, bank, document_id=["long", "harbour"])
    assert [members[f"documents/00000{i}.json"]["id"] for i in (0, 1)] == ["harbour", "long"]
    assert "observations.json" not in members
    (file,) = members["attachments.json"]
    assert file["document_id"] == "harbour"
    assert hashlib.sha256(members[f"blobs/{file['hash']}"]).hexdigest() == file["hash"]
    response = await ask(bank, "POST", "/transfer/export", params={"document_id": ["long", "none"]})
    assert (response.status_code, response.json()["detail"]) == (404, "Document 'none' not found")
    assert (await ask(bank, "POST", "/transfer/export", params={"document_id": "\x00"})).status_code == 404


async def test_the_older_names_are_served(app: Application, bank: TestBank, other: TestBank) -> None:
    await furnished(app, bank)
    path = "/document-transfer/export"
    plain = await export(app, bank, path)
    assert plain["manifest.json"]["archive_type"] == "documents"
    assert not {"banks.json", "observations.json", "data/invalidated_memory_units.json"} & set(plain)
    assert plain["documents/000000.json"]["facts"][0]["consolidated_at"] is None
    params = {"include_observations": True, "document_id": "long"}
    assert (await ask(bank, "POST", path, params=params)).status_code == 400
    data = await exported(app, bank, path, include_observations=True)
    response = await send(other, data, "/document-transfer", on_conflict="replace")
    status = await finished(app, other, response)
    assert status["operation_type"] == "import_documents"
    assert status["result_metadata"]["observations_imported"] == 1
    gone = await ask(bank, "GET", "/document-transfer")
    assert (gone.status_code, "retired" in gone.json()["detail"]) == (410, True)


async def test_a_bank_is_copied_by_its_name(app: Application, bank: TestBank, other: TestBank) -> None:
    await furnished(app, bank)
    params = {"target_bank_id": other.bank_id}
    status = await finished(app, bank, await ask(bank, "POST", "/clone", params=params))
    assert status["status"] == "completed"
    assert status["result_metadata"]["observations_imported"] == 1
    mine, copied = await export(app, bank), await export(app, other)
    assert {name: lasting(member) for name, member in copied.items()} == {
        name: lasting(member) for name, member in mine.items()
    }
    assert (await ask(bank, "POST", "/clone", params=params)).status_code == 400
    assert (await ask(TestBank(bank.client, "none"), "POST", "/clone", params=params)).status_code == 404
    assert (await ask(bank, "POST", "/clone")).status_code == 422


async def test_an_import_is_followed_and_its_upload_forgotten(app: Application, bank: TestBank) -> None:
    second = {"id": "b", "facts": [{"text": "b"}]}
    response = await send(bank, archive_of(MINIMAL, second), mode="merge")
    id_ = response.json()["operation_id"]
    status = await status_of(bank, id_)
    assert (status["status"], status["operation_type"]) == ("pending", "import_bank")
    assert status["progress"]["total"] == 2
    key = {"key": await bank_key(app, bank.bank_id)}
    count = "SELECT count(*)::integer FROM transfer_pieces WHERE bank_key = %(key)s"
    async with app.database.read() as connection:
        assert await fetch(connection, count, key) == [(1,)]
        await work_off(app)
        assert await fetch(connection, count, key) == [(0,)]
    status = await status_of(bank, id_)
    assert status["progress"]["processed"] == 2
    assert status["result_metadata"]["facts_committed"] == 4


async def test_an_import_that_was_cancelled_can_be_taken_up_again(app: Application, bank: TestBank) -> None:
    response = await send(bank, archive_of(MINIMAL), mode="merge")
    path = f"/operations/{response.json()['operation_id']}"
    await answer(bank, "DELETE", path)
    assert await work_off(app) == 0
    await answer(bank, "POST", f"{path}/retry")
    await work_off(app)
    assert await total(bank) == 3


async def test_only_an_export_is_downloaded_and_only_for_a_day(app: Application, bank: TestBank) -> None:
    await bank.retain("a fact")
    response = await send(bank, archive_of(MINIMAL), mode="merge")
    shown = await status_of(bank, response.json()["operation_id"], include_payload=True)
    assert shown["task_payload"]["mode"] == "merge"
    for key in (shown["task_payload"]["file"], "unknown", "a/b", "%00", "é"):
        assert (await bank.client.get(f"/v1/default/files/download/{key}")).status_code == 404
    status = await finished(app, bank, await ask(bank, "POST", "/transfer/export"))
    told = status["result_metadata"]
    assert told["filename"] == f"{bank.bank_id}-documents.zip"
    answered = await bank.client.get(told["download_url"])
    assert answered.headers["content-type"] == "application/zip"
    assert told["filename"] in answered.headers["content-disposition"]
    old = "UPDATE transfer_files SET expires_at = now() WHERE key = %(key)s"
    async with app.database.read() as connection:
        await connection.execute(old, {"key": told["storage_key"]})
    assert (await bank.client.get(told["download_url"])).status_code == 404


async def test_nothing_of_an_unknown_bank_goes_out(bank: TestBank) -> None:
    for path in ("/transfer/export", "/document-transfer/export"):
        assert (await ask(bank, "POST", path)).status_code == 404


@pytest.fixture
async def closed(app: Application) -> AsyncIterator[httpx.AsyncClient]:
    """A server with a key for everything and one for the banks of a tenant."""
    web = create_app(running=variant(app, {"api_keys": SecretStr("owner, tenant@ten_a-")}))
    async with web.router.lifespan_context(web), client_of(web) as client:
        yield client


async def test_a_bound_key_reaches_no_bank_of_another_tenant(
    app: Application, closed: httpx.AsyncClient
) -> None:
    mark = uuid4().hex
    mine, theirs = (TestBank(closed, f"{prefix}{mark}") for prefix in ("ten_a-", "ten_b-"))
    closed.headers["Authorization"] = "Bearer owner"
    urls = []
    for one in (mine, theirs):
        await one.retain("a fact")
        status = await finished(app, one, await ask(one, "POST", "/transfer/export"))
        urls.append(status["result_metadata"]["download_url"])
    closed.headers["Authorization"] = "Bearer tenant"
    assert [(await closed.get(url)).status_code for url in urls] == [200, 403]
    source = archive_of(MINIMAL, manifest={**MANIFEST, "source_bank_id": f"ten_b-{mark}-new"})
    assert (await send(mine, source)).status_code == 403
    for target in (f"ten_b-{mark}-new", theirs.bank_id, ""):
        params = {"target_bank_id": target}
        assert (await ask(mine, "POST", "/clone", params=params)).status_code == 403
        assert (await send(mine, archive_of(MINIMAL), **params)).status_code == 403
    assert (
        await ask(mine, "POST", "/clone", params={"target_bank_id": f"ten_a-{mark}-new"})
    ).status_code == 202
    closed.headers["Authorization"] = "Bearer owner"
    assert (await closed.get(f"/v1/default/banks/ten_b-{mark}-new/stats")).status_code == 404
    await work_off(app)


async def test_older_exports_with_columns_as_text_are_read(app: Application, bank: TestBank) -> None:
    fact = {
        "text": "The boiler was serviced.",
        "fact_type": "world",
        "event_date": "2020-01-01T00:00:00Z",
        "metadata": '{"by": "Omar", "cost": 12, "none": null}',
        "observation_scopes": '"per_tag"',
        "tags": ["house"],
        "chunk_index": 0,
        "unheard_of": [1],
    }
    aside = {
        "bank_id": "elsewhere",
        "document_id": "boiler",
        "chunk_index": 0,
        "text": "The boiler exploded.",
        "fact_type": "world",
        "metadata": "{}",
        "tags": ["house"],
        "observation_scopes": None,
        "causal_links": "[]",
        "entities": ["Boiler"],
        "invalidation_reason": "untrue",
        "invalidated_at": "2026-01-02T00:00:00+00:00",
        "attachment_ids": None,
    }
    document = {
        "id": "boiler",
        "original_text": "The boiler was serviced. The boiler exploded.",
        "retain_params": '{"metadata": {"by": "Omar"}}',
        "chunks": [{"chunk_index": 0, "chunk_text": "The boiler was serviced. The boiler exploded."}],
        "facts": [fact],
    }
    data = packed(
        {
            "documents/000000.json": document,
            "data/invalidated_memory_units.json": [aside, {**aside, "document_id": "elsewhere"}],
            "data/async_operations.json": [{}, {}, {}],
            "audit_log.json": [{}],
            "knowledge_pages.json": [],
            "something/else.bin": b"\x00",
            "manifest.json": {**MANIFEST, "bank_rows_json_encoding": "serialized", "extra": True},
        }
    )
    counts = await imported(app, bank, data)
    assert counts["members_skipped"] == {"async_operations": 3, "audit_log": 1, "unknown": 1}
    assert (counts["invalidated_imported"], counts["invalidated_skipped"]) == (1, 1)
    row = (await listed(bank))[0]
    assert (row["metadata"], row["mentioned_at"]) == ({"by": "Omar", "cost": "12"}, None)
    assert (await answer(bank, "GET", f"/memories/{row['id']}"))["observation_scopes"] == "per_tag"
    found = await answer(bank, "GET", "/documents/boiler")
    assert (found["document_metadata"], found["original_text"]) == ({"by": "Omar"}, document["original_text"])
    (gone,) = await listed(bank, state="invalidated")
    assert (gone["chunk_id"], gone["entities"]) == (row["chunk_id"], "Boiler")


async def test_the_text_is_kept_only_where_the_bank_keeps_texts(app: Application, bank: TestBank) -> None:
    await answer(bank, "PATCH", "/config", json={"updates": {"store_document_text": False}})
    data = archive_of({**MINIMAL, "original_text": "Secret."})
    await imported(app, bank, data)
    assert (await answer(bank, "GET", "/documents/people"))["original_text"] is None
    assert (await imported(app, bank, data, document_conflict="replace"))["documents_skipped"] == 1


async def test_facts_of_any_type_are_counted_by_it(app: Application, bank: TestBank) -> None:
    await imported(app, bank, archive_of(MINIMAL, observations=[OBSERVED]))
    stats = await answer(bank, "GET", "/stats", params={"refresh": True})
    assert stats["nodes_by_fact_type"] == {
        FactType.WORLD: 2,
        FactType.EXPERIENCE: 1,
        FactType.OBSERVATION: 1,
    }


async def test_a_word_of_why_for_whatever_cannot_be_read(app: Application, bank: TestBank) -> None:
    reason = await refused(app, bank, archive_of({"id": "d", "facts": [{"text": "x"}]}, observations={}))
    assert reason == "observations.json: Input should be a valid list"
