"""Images and files: stored with their bytes, shown with the facts and chunks they came with, served."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from recalld.bootstrap import Application
from recalld.domain.attachments import ID_LENGTH
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.facts import add_observation

PNG, PDF = b"\x89PNG not really \x00\xff", b"%PDF not really"


def block(data: bytes = PNG, media_type: str = "image/png", kind: str = "image", **fields: Any) -> Json:
    source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
    return {"type": kind, "source": source, **fields}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


REPORT = block(PDF, "application/pdf", "file", filename="my report.pdf")


def expected(bank: TestBank, data: bytes, kind: str, media_type: str, filename: str | None) -> Json:
    digest = hashlib.sha256(data).hexdigest()
    return {
        "id": digest[:ID_LENGTH],
        "hash": digest,
        "kind": kind,
        "media_type": media_type,
        "byte_size": len(data),
        "filename": filename,
        "url": f"{bank.path}/attachments/{digest[:ID_LENGTH]}",
    }


async def test_facts_and_chunks_show_their_files_and_the_bytes_are_served(bank: TestBank) -> None:
    await bank.retain(
        {"content": [text("The harbour in spring."), block(), REPORT]}, "The harbour in autumn."
    )
    answer = await bank.recall("harbour", include={"chunks": {}})
    spring, autumn = sorted(answer["results"], key=lambda fact: "autumn" in fact["text"])
    files = [
        expected(bank, PNG, "image", "image/png", None),
        expected(bank, PDF, "file", "application/pdf", "my report.pdf"),
    ]
    assert spring["attachments"] == answer["chunks"][spring["chunk_id"]]["attachments"] == files
    assert "attachments" not in autumn
    assert "attachments" not in answer["chunks"][autumn["chunk_id"]]
    image, report = [await bank.client.get(file["url"]) for file in files]
    assert (image.content, image.headers["content-type"]) == (PNG, "image/png")
    assert image.headers["content-disposition"].startswith("inline")
    assert (report.content, report.headers["content-type"]) == (PDF, "application/pdf")
    assert report.headers["content-disposition"] == "attachment; filename*=UTF-8''my%20report.pdf"
    assert report.headers["x-content-type-options"] == "nosniff"


async def test_a_file_is_found_by_its_name(bank: TestBank) -> None:
    await bank.retain({"content": [REPORT]}, "Something else entirely.")
    (fact,) = await bank.results("report", min_scores={"semantic": 2.0})
    assert fact["attachments"][0]["filename"] == "my report.pdf"


async def test_a_file_shows_only_with_the_chunk_that_holds_it(bank: TestBank) -> None:
    await bank.retain({"content": [text("Alpha word. " * 60), block(), text("Omega word. " * 60)]})
    facts = await bank.results("word", max_tokens=100_000)
    assert len(facts) > 2
    assert len([fact for fact in facts if "attachments" in fact]) == 1


async def test_a_chunk_cut_before_its_placeholder_shows_no_file(bank: TestBank) -> None:
    await bank.retain({"content": [text("The harbour in spring."), block()]})
    (chunk,) = (await bank.recall("harbour", include={"chunks": {"max_tokens": 3}}))["chunks"].values()
    assert chunk["truncated"]
    assert "attachments" not in chunk


async def test_an_observation_shows_the_files_of_its_sources_in_their_order(
    app: Application, bank: TestBank
) -> None:
    await bank.retain({"content": [text("First look at the harbour."), REPORT]})
    await bank.retain({"content": [text("Second look at the harbour."), block(), REPORT]})
    facts = await bank.results("look at the harbour")
    ids = [next(f["id"] for f in facts if f["text"].startswith(first)) for first in ("Second", "First")]
    await add_observation(app, bank.bank_id, "They keep looking at the harbour.", ids)
    (observation,) = await bank.results("harbour", types=["observation"])
    assert [file["kind"] for file in observation["attachments"]] == ["image", "file"]


async def test_replacing_a_document_drops_the_files_it_no_longer_holds(bank: TestBank) -> None:
    await bank.retain({"content": [text("With both."), block(), REPORT], "document_id": "d"})
    await bank.retain({"content": [text("With one."), REPORT], "document_id": "d"})
    (fact,) = await bank.results("one both")
    assert [file["kind"] for file in fact["attachments"]] == ["file"]
    gone = expected(bank, PNG, "image", "image/png", None)["url"]
    assert (await bank.client.get(gone)).status_code == 404


async def test_appending_keeps_the_files_that_were_there(bank: TestBank) -> None:
    await bank.retain({"content": [text("With one."), block()], "document_id": "d"})
    await bank.retain(
        {"content": [text("And another."), REPORT], "document_id": "d", "update_mode": "append"}
    )
    kinds = [file["kind"] for fact in await bank.results("one another") for file in fact["attachments"]]
    assert sorted(kinds) == ["file", "image"]


async def test_the_same_bytes_in_two_documents_outlive_one_of_them(bank: TestBank) -> None:
    await bank.retain({"content": [text("Kept."), block()], "document_id": "kept"})
    await bank.retain({"content": [text("Replaced."), block()], "document_id": "other"})
    await bank.retain({"content": "Replaced by nothing.", "document_id": "other"})
    kept = next(fact for fact in await bank.results("kept") if fact["text"].startswith("Kept."))
    assert (await bank.client.get(kept["attachments"][0]["url"])).content == PNG


async def test_a_placeholder_the_caller_wrote_shows_nothing(bank: TestBank) -> None:
    await bank.retain(f"The harbour [image:{'0' * ID_LENGTH}] is made up.")
    (fact,) = await bank.results("harbour")
    assert "attachments" not in fact


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param([text("x"), block(b"")], "1 to", id="empty"),
        pytest.param([{**block(), "source": {"media_type": "image/png", "data": "%%"}}], "base64", id="data"),
        pytest.param([block(media_type="png")], "media_type", id="type"),
        pytest.param([block(media_type="image/png\r\nX-Evil: 1")], "media_type", id="header"),
        pytest.param([block(bytes([i, 1])) for i in range(51)], "50", id="many"),
    ],
)
async def test_what_cannot_be_stored_is_422(bank: TestBank, content: list[Json], reason: str) -> None:
    response = await bank.post_items({"content": content})
    assert response.status_code == 422
    assert reason in response.json()["detail"]


@pytest.mark.parametrize("id_", ["0" * 16, "..%2F..%2Fetc", "a%00b", "%ED%A0%BD"])
async def test_an_unknown_file_is_404(bank: TestBank, id_: str) -> None:
    await bank.retain("a fact")
    assert (await bank.client.get(f"{bank.path}/attachments/{id_}")).status_code == 404


async def test_a_file_of_another_bank_is_404(bank: TestBank) -> None:
    other = TestBank(bank.client, f"{bank.bank_id}-other")
    await bank.retain({"content": [text("x"), block()]})
    await other.retain("a fact")
    id_ = expected(bank, PNG, "image", "image/png", None)["id"]
    assert (await bank.client.get(f"{other.path}/attachments/{id_}")).status_code == 404
