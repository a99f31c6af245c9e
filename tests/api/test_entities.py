"""Entities: list, look at one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recalld.bootstrap import Application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask, id_of, listed
from tests.fixtures.facts import add_fact, add_observation

MOVED: Json = {
    "content": "Alice moved to Paris.",
    "timestamp": "2026-05-04T10:00:00Z",
    "tags": ["travel"],
    "entities": [{"text": "Alice"}, {"text": "Paris"}],
}
CAT: Json = {
    "content": "Alice adopted a cat.",
    "timestamp": "2026-07-10T00:00:00Z",
    "tags": ["pets"],
    "entities": [{"text": "alice"}],
}
BEES: Json = {"content": "Bob keeps bees.", "entities": [{"text": "Bob"}], "timestamp": "unset"}


@pytest.fixture
async def full(bank: TestBank) -> TestBank:
    """A bank where Alice is mentioned twice."""
    for item in (MOVED, CAT, BEES):
        await bank.retain(item)
    return bank


async def counts(bank: TestBank, **params: Any) -> dict[str, int]:
    return {row["canonical_name"]: row["mention_count"] for row in await listed(bank, "/entities", **params)}


async def entity_id(bank: TestBank, name: str) -> str:
    (found,) = (row["id"] for row in await listed(bank, "/entities") if row["canonical_name"] == name)
    return str(found)


async def test_the_most_mentioned_comes_first_with_its_dates(full: TestBank) -> None:
    page = await answer(full, "GET", "/entities")
    assert (page["total"], page["limit"], page["offset"]) == (3, 100, 0)
    first, *others = page["items"]
    assert (first["canonical_name"], first["mention_count"], first["metadata"]) == ("Alice", 2, {})
    assert (first["first_seen"], first["last_seen"]) == (
        "2026-05-04T10:00:00+00:00",
        "2026-07-10T00:00:00+00:00",
    )
    assert [row["canonical_name"] for row in others] == ["Bob", "Paris"]
    assert (others[0]["first_seen"], others[0]["last_seen"]) == (None, None)


async def test_dates_follow_what_happened_not_what_was_stored(app: Application, bank: TestBank) -> None:
    await add_fact(
        app, bank.bank_id, "Eva was born.", entities=["Eva"], occurred_start="1990-02-03T00:00:00Z"
    )
    (row,) = await listed(bank, "/entities")
    assert row["first_seen"] == row["last_seen"] == "1990-02-03T00:00:00+00:00"


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"limit": 1}, {"Alice": 2}),
        ({"limit": 1, "offset": 2}, {"Paris": 1}),
        ({"limit": 0}, {}),
        ({"tags": "pets"}, {"Alice": 1, "Bob": 1}),
        ({"tags": "pets", "tags_match": "any_strict"}, {"Alice": 1}),
        ({"tags": ["pets", "travel"], "tags_match": "any_strict"}, {"Alice": 2, "Paris": 1}),
        ({"tags": "petz", "tags_match": "any_strict"}, {}),
        ({"tag_groups": json.dumps([{"tags": ["travel"]}])}, {"Alice": 1, "Paris": 1}),
        ({"tag_groups": json.dumps([{"not": {"tags": ["travel"]}}])}, {"Alice": 1, "Bob": 1}),
        ({"tag_groups": json.dumps([{"tags": ["travell"], "resolve": "fuzzy"}])}, {"Alice": 1, "Paris": 1}),
        ({"tag_groups": "[]"}, {"Alice": 2, "Bob": 1, "Paris": 1}),
    ],
    ids=str,
)
async def test_a_list_counts_memories_that_pass_a_filter(
    full: TestBank, params: dict[str, Any], wanted: dict[str, int]
) -> None:
    assert await counts(full, **params) == wanted


async def test_the_total_is_that_of_the_filter(full: TestBank) -> None:
    params = {"tags": "pets", "tags_match": "any_strict", "limit": 0}
    assert (await answer(full, "GET", "/entities", params=params))["total"] == 1


async def test_one_entity_shows_what_was_concluded_about_it(app: Application, full: TestBank) -> None:
    alice = await entity_id(full, "Alice")
    assert (await answer(full, "GET", f"/entities/{alice}"))["observations"] == []
    source = await id_of(full, MOVED["content"])
    await add_observation(app, full.bank_id, "Alice has settled.", [source], tags=["travel"])
    shown = await answer(full, "GET", f"/entities/{alice.upper()}")
    assert (shown["canonical_name"], shown["mention_count"]) == ("Alice", 2)
    assert [seen["text"] for seen in shown["observations"]] == ["Alice has settled."]
    params = {"tags": "pets", "tags_match": "any_strict"}
    other = await answer(full, "GET", f"/entities/{alice}", params=params)
    assert (other["mention_count"], other["observations"]) == (1, [])
    paris = await entity_id(full, "Paris")
    assert (await ask(full, "GET", f"/entities/{paris}", params=params)).status_code == 404


@pytest.mark.parametrize(
    ("path", "params", "status"),
    [
        ("", {"tag_groups": "["}, 400),
        ("", {"tag_groups": '[{"tags": "x"}]'}, 400),
        ("", {"tag_groups": "{}"}, 400),
        ("", {"tag_groups": "[" * 5000}, 400),
        ("", {"tag_groups": '[{"tags": ["\\u0000"]}]'}, 400),
        ("", {"tags_match": "some"}, 422),
        ("", {"tags": "\x00"}, 422),
        ("", {"limit": -1}, 422),
        ("/Alice", {}, 400),
        ("/00000000-0000-4000-8000-000000000000", {}, 404),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_odd_values_never_fail(full: TestBank, path: str, params: dict[str, Any], status: int) -> None:
    assert (await ask(full, "GET", f"/entities{path}", params=params)).status_code == status


async def test_an_unknown_bank_is_404(bank: TestBank) -> None:
    assert (await ask(bank, "GET", "/entities")).json() == {"detail": f"Bank '{bank.bank_id}' not found"}
    one = await ask(bank, "GET", "/entities/00000000-0000-4000-8000-000000000000")
    assert one.status_code == 404
