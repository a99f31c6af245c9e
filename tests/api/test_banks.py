"""Banks: create, change, list, delete."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.fixtures.bank import TestBank

NEUTRAL = {"skepticism": 3, "literalism": 3, "empathy": 3}


async def put(bank: TestBank, **body: Any) -> dict[str, Any]:
    response = await bank.client.put(bank.path, json=body)
    assert response.status_code == 200, response.text
    profile: dict[str, Any] = response.json()
    return profile


async def test_a_new_bank_is_named_after_its_id(bank: TestBank) -> None:
    assert await put(bank) == {
        "bank_id": bank.bank_id,
        "name": bank.bank_id,
        "disposition": NEUTRAL,
        "mission": "",
        "background": "",
    }


async def test_null_leaves_a_value_as_it_is(bank: TestBank) -> None:
    traits = {"skepticism": 1, "literalism": 2, "empathy": 5}
    await put(bank, name="Mine", mission="remember", disposition=traits)
    profile = await put(bank, name=None, mission=None, disposition_empathy=4)
    assert (profile["name"], profile["mission"], profile["background"]) == ("Mine", "remember", "remember")
    assert profile["disposition"] == {**traits, "empathy": 4}


@pytest.mark.parametrize("field", ["mission", "background", "reflect_mission"])
async def test_a_mission_has_three_names(bank: TestBank, field: str) -> None:
    assert (await put(bank, **{field: "remember"}))["mission"] == "remember"


async def test_patch_changes_only_a_bank_that_exists(bank: TestBank) -> None:
    missing = await bank.client.patch(bank.path, json={"name": "x"})
    assert (missing.status_code, missing.json()) == (404, {"detail": f"Bank '{bank.bank_id}' not found"})
    await put(bank)
    changed = await bank.client.patch(bank.path, json={"name": "x"})
    assert changed.json()["name"] == "x"


@pytest.mark.parametrize(
    "body",
    [
        {"disposition": {"skepticism": 6, "literalism": 1, "empathy": 1}},
        {"disposition_empathy": 0},
        {"name": 5},
    ],
)
async def test_bad_values_are_422(bank: TestBank, body: dict[str, Any]) -> None:
    assert (await bank.client.put(bank.path, json=body)).status_code == 422


@pytest.mark.parametrize("size", [1, 99, 20_001])
async def test_a_chunk_size_out_of_bounds_is_400(bank: TestBank, size: int) -> None:
    assert (await bank.client.put(bank.path, json={"retain_chunk_size": size})).status_code == 400


@pytest.mark.parametrize("bank_id", ["_hidden", "é" * 97])
async def test_an_id_that_may_not_be_is_400(client: httpx.AsyncClient, bank_id: str) -> None:
    response = await client.put(TestBank(client, bank_id).path, json={})
    assert response.status_code == 400
    assert "bank_id must" in response.json()["detail"]


async def test_the_list_counts_searches_and_pages(client: httpx.AsyncClient, bank: TestBank) -> None:
    names = [f"{bank.bank_id}-{i}" for i in range(3)]
    for name in names:
        await TestBank(client, name).retain("a fact", "and another")
    page = (await client.get("/v1/default/banks", params={"q": bank.bank_id, "limit": 2})).json()
    assert (page["total"], page["limit"], page["offset"]) == (3, 2, 0)
    assert [one["bank_id"] for one in page["banks"]] == names[:0:-1]
    assert {one["fact_count"] for one in page["banks"]} == {2}
    rest = (await client.get("/v1/default/banks", params={"q": bank.bank_id.upper(), "offset": 2})).json()
    assert [one["bank_id"] for one in rest["banks"]] == names[:1]
    row = rest["banks"][0]
    assert row["last_write_at"].endswith("+00:00")
    assert not {"display_alias", "matched_aliases"} & set(row)


async def test_a_search_takes_its_text_literally(client: httpx.AsyncClient, bank: TestBank) -> None:
    await put(bank, name=f"100%_{bank.bank_id}")
    for pattern, total in (
        (f"100%_{bank.bank_id}", 1),
        (f"1%{bank.bank_id}", 0),
        (f"100%-{bank.bank_id}", 0),
    ):
        found = await client.get("/v1/default/banks", params={"q": pattern})
        assert found.json()["total"] == total


async def test_a_limit_of_zero_counts_only_and_negative_ones_are_422(
    client: httpx.AsyncClient, bank: TestBank
) -> None:
    await put(bank)
    empty = (await client.get("/v1/default/banks", params={"limit": 0, "q": bank.bank_id})).json()
    assert (empty["banks"], empty["total"]) == ([], 1)
    for name in ("limit", "offset"):
        assert (await client.get("/v1/default/banks", params={name: -1})).status_code == 422


async def test_delete_takes_everything_and_says_how_much(bank: TestBank) -> None:
    await bank.retain({"content": "one", "entities": [{"text": "Ada"}]}, "two")
    gone = (await bank.client.delete(bank.path)).json()
    assert (gone["success"], gone["deleted_count"]) == (True, 2 + 1 + 2)
    assert (await bank.post_recall("one")).status_code == 404
    await bank.retain("three")
    assert await bank.texts("one") == ["three"]


async def test_deleting_a_bank_that_is_not_there_is_fine(bank: TestBank) -> None:
    response = await bank.client.delete(bank.path)
    assert response.status_code == 200
    assert response.json()["deleted_count"] == 0


async def test_f21_a_search_may_hold_anything(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/default/banks", params={"q": "a\x00b"})).status_code in {200, 422}
