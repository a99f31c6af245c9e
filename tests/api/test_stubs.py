"""What needs a language model or is retired: empty lists and plain refusals (D23)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.bank import TestBank
from tests.fixtures.catalog import answer, ask

LISTS = ("mental-models", "directives", "webhooks", "audit-logs", "llm-requests")
ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
async def known(bank: TestBank) -> TestBank:
    """A bank that exists."""
    await bank.client.put(bank.path, json={})
    return bank


@pytest.mark.parametrize("name", LISTS)
async def test_d23_lists_are_empty_pages(known: TestBank, name: str) -> None:
    page = await answer(known, "GET", f"/{name}", params={"limit": 3, "offset": 2})
    assert (page["items"], page["total"], page["limit"], page["offset"]) == ([], 0, 3, 2)


@pytest.mark.parametrize(
    ("name", "least", "most"), [("mental-models", 1, 1000), ("webhooks", 0, 1000), ("audit-logs", 1, 500)]
)
async def test_pages_have_the_published_bounds(known: TestBank, name: str, least: int, most: int) -> None:
    for limit, status in ((least, 200), (most, 200), (least - 1, 422), (most + 1, 422)):
        assert (await ask(known, "GET", f"/{name}", params={"limit": limit})).status_code == status


@pytest.mark.parametrize("name", LISTS)
async def test_lists_of_an_unknown_bank_are_404(bank: TestBank, name: str) -> None:
    assert (await ask(bank, "GET", f"/{name}")).json() == {"detail": f"Bank '{bank.bank_id}' not found"}


@pytest.mark.parametrize("name", ["audit-logs", "llm-requests"])
async def test_statistics_have_no_buckets(known: TestBank, name: str) -> None:
    stats = await answer(known, "GET", f"/{name}/stats", params={"period": "1d"})
    assert (stats["bank_id"], stats["period"], stats["buckets"]) == (known.bank_id, "1d", [])
    assert (await ask(known, "GET", f"/{name}/stats", params={"period": "ever"})).status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "word"),
    [
        ("POST", "mental-models", {"name": "x", "source_query": "y"}, 501, "language model"),
        ("POST", "directives", {"name": "x", "content": "y"}, 501, "language model"),
        ("POST", "webhooks", {"url": "https://example.org"}, 501, "webhooks"),
        ("GET", "knowledge-base/tree", None, 501, "knowledge base"),
        ("POST", "knowledge-base/pages", {}, 501, "knowledge base"),
        ("PATCH", "knowledge-base/nodes/x", {}, 501, "knowledge base"),
        ("GET", "knowledge-base/search", None, 501, "knowledge base"),
        ("POST", "reflect", {"query": "what?"}, 400, "needs a language model"),
        ("PUT", "profile", {"disposition": {}}, 410, "retired"),
        ("POST", "background", {"content": "x"}, 410, "retired"),
        ("POST", f"entities/{ID}/regenerate", None, 410, "retired"),
        ("GET", f"mental-models/{ID}", None, 404, "Mental model"),
        ("GET", f"mental-models/{ID}/history", None, 404, "Mental model"),
        ("POST", f"mental-models/{ID}/refresh", None, 404, "Mental model"),
        ("DELETE", f"directives/{ID}", None, 404, "Directive"),
        ("PATCH", f"webhooks/{ID}", {}, 404, "Webhook"),
        ("GET", f"webhooks/{ID}/deliveries", None, 404, "Webhook"),
        ("GET", f"audit-logs/{ID}", None, 404, "Audit log"),
    ],
)
async def test_d23_the_rest_is_refused_in_plain_words(
    known: TestBank, method: str, path: str, body: Any, status: int, word: str
) -> None:
    response = await ask(known, method, f"/{path}", json=body)
    assert response.status_code == status
    assert word in response.json()["detail"]


async def test_d23_the_profile_is_still_answered(known: TestBank, bank: TestBank) -> None:
    assert await answer(known, "GET", "/profile") == {
        "bank_id": known.bank_id,
        "name": known.bank_id,
        "disposition": {"skepticism": 3, "literalism": 3, "empathy": 3},
        "mission": "",
        "background": "",
    }
    missing = TestBank(bank.client, f"{bank.bank_id}-missing")
    assert (await ask(missing, "GET", "/profile")).status_code == 404
