"""Values at the far end of what a type allows are served or refused, never a 500."""

from __future__ import annotations

import json
import random
import string
from typing import Any

import httpx
import pytest

from tests.fixtures.bank import TestBank


def noise(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(random.Random(4).choices(alphabet, k=length))


@pytest.mark.parametrize(
    "body",
    [
        {"query_timestamp": "0001-01-01T00:00:00+14:00"},
        {"query_timestamp": "9999-12-31T23:59:59-14:00"},
        {"temporal_window": {"start": "0001-01-01T00:00:00+14:00", "end": "2026-01-01"}},
        {"temporal_window": {"start": "2026-01-01", "end": "9999-12-31T23:59:59-14:00"}},
    ],
)
async def test_dates_beyond_the_calendar(bank: TestBank, body: dict[str, Any]) -> None:
    await bank.retain("a fact")
    assert (await bank.post_recall("fact", **body)).status_code in {200, 400, 422}


@pytest.mark.parametrize("stamp", ["0001-01-01", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("query", ["last year", "3 days ago", "next week", "yesterday", "in 9999"])
async def test_relative_dates_at_the_edge_of_the_calendar(bank: TestBank, stamp: str, query: str) -> None:
    await bank.retain("a fact")
    assert (await bank.post_recall(query, query_timestamp=stamp)).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"include": {"chunks": {"max_tokens": 10**30}, "source_facts": {"max_tokens": 10**30}}},
        {"min_scores": {"semantic": -1e308, "keyword": -1e308}},
        {"min_scores": {"semantic": 1e308, "keyword": 1e308, "final": 1e308}},
        {"tags": ["t"] * 50_000},
        {"tags": [noise(100_000)]},
        {"temporal_window": {"start": "0001-01-01", "end": "9999-12-31"}},
    ],
    ids=lambda body: str(body)[:40],
)
async def test_large_values_are_served(bank: TestBank, body: dict[str, Any]) -> None:
    await bank.retain("a fact")
    assert (await bank.post_recall("fact", **body)).status_code == 200


@pytest.mark.parametrize("query", ["' OR 1=1 -- %s %(x)s :name", "a & b | !c <-> d:*", "\\", "{}", "100%"])
async def test_a_query_is_text_and_nothing_else(bank: TestBank, query: str) -> None:
    await bank.retain("a fact with 100% of it")
    assert (await bank.post_recall(f"fact {query}")).status_code == 200


@pytest.mark.parametrize("name", ["limit", "offset"])
async def test_pages_beyond_any_number_of_banks(client: httpx.AsyncClient, name: str) -> None:
    response = await client.get("/v1/default/banks", params={name: 10**19})
    assert response.status_code in {200, 422}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
async def test_a_bank_id_with_a_nul(client: httpx.AsyncClient, method: str) -> None:
    response = await client.request(method, "/v1/default/banks/a%00b", json={})
    assert response.status_code in {200, 400, 404, 422}


@pytest.mark.parametrize("body", [{"retain_mission": "a\x00"}, {"retain_custom_instructions": "\ud83d"}])
async def test_any_text_in_a_banks_settings(bank: TestBank, body: dict[str, str]) -> None:
    headers = {"content-type": "application/json"}
    response = await bank.client.put(bank.path, content=json.dumps(body), headers=headers)
    assert response.status_code in {200, 422}


async def test_any_text_in_observation_scopes(bank: TestBank) -> None:
    response = await bank.post_items({"content": "x", "observation_scopes": [["a\x00"]]})
    assert response.status_code in {200, 422}


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({"document_id": noise(10_000)}, id="document_id"),
        pytest.param({"tags": [noise(10_000)]}, id="tag"),
        pytest.param({"context": noise(3_000_000, string.ascii_lowercase + "   ")}, id="context"),
        pytest.param({"content": "w" * 200_000}, id="word"),
        pytest.param({"entities": [{"text": "é" * 512}]}, id="entity"),
        pytest.param({"timestamp": "9998-12-31T23:59:59-14:00"}, id="timestamp"),
        pytest.param({"strategy": "a\x00b"}, id="strategy"),
    ],
)
async def test_large_items_are_stored_or_refused(bank: TestBank, item: dict[str, Any]) -> None:
    response = await bank.post_items({"content": "x", **item})
    assert response.status_code in {200, 400, 413, 422}, response.text
