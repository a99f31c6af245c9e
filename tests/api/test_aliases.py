"""Other names of a bank, which every path takes."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from recalld.api.app import create_app
from recalld.bootstrap import Application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask, listed
from tests.fixtures.variants import client_of, variant


async def add(bank: TestBank, alias: str, **body: Any) -> Json:
    return await answer(bank, "POST", "/aliases", json={"alias": alias, **body})


@pytest.fixture
async def named(bank: TestBank) -> TestBank:
    """A bank with a memory, and its other name."""
    await bank.retain("Alice moved to Paris.")
    await add(bank, f"{bank.bank_id}-also")
    return bank


@pytest.fixture
def also(named: TestBank) -> TestBank:
    """The same bank by its other name."""
    return TestBank(named.client, f"{named.bank_id}-also")


async def test_aliases_are_listed_in_the_order_they_came(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={})
    assert await answer(bank, "GET", "/aliases") == {"bank_id": bank.bank_id, "aliases": []}
    first, second = f"{bank.bank_id}-b", f"{bank.bank_id}-a"
    await add(bank, first)
    assert await add(bank, second, primary=True) == {
        "bank_id": bank.bank_id,
        "aliases": [{"alias": first, "primary": False}, {"alias": second, "primary": True}],
    }


async def test_every_kind_of_path_takes_an_alias(named: TestBank, also: TestBank) -> None:
    assert await also.texts("Where did Alice move?") == ["Alice moved to Paris."]
    await also.retain({"content": "Bob keeps bees.", "document_id": "diary"})
    assert {row["text"] for row in await listed(named)} == {"Alice moved to Paris.", "Bob keeps bees."}
    for path in ("/memories/list", "/documents", "/entities", "/tags", "/stats", "/config", "/aliases"):
        assert await answer(also, "GET", path) == await answer(named, "GET", path)
    assert (await answer(also, "GET", "/documents/diary"))["bank_id"] == named.bank_id
    await also.client.put(also.path, json={"name": "Ours"})
    profile = await answer(named, "GET", "/profile")
    assert (profile["bank_id"], profile["name"]) == (named.bank_id, "Ours")
    await also.client.patch(also.path, json={"mission": "remember"})
    assert (await answer(named, "GET", "/profile"))["mission"] == "remember"
    await answer(also, "PATCH", "/config", json={"updates": {"enable_reranking": False}})
    assert (await answer(named, "GET", "/config"))["overrides"]["enable_reranking"] is False


async def test_writing_under_an_alias_makes_no_second_bank(named: TestBank, also: TestBank) -> None:
    await also.client.put(also.path, json={})
    await also.retain("Bob keeps bees.")
    page = (await named.client.get("/v1/default/banks", params={"q": named.bank_id})).json()
    assert [row["bank_id"] for row in page["banks"]] == [named.bank_id]


async def test_deleting_under_an_alias_deletes_the_bank_and_its_names(
    named: TestBank, also: TestBank
) -> None:
    assert (await also.client.delete(also.path)).json()["deleted_count"] == 2
    for bank in (named, also):
        assert (await bank.post_recall("Alice")).status_code == 404


async def test_the_bank_list_searches_aliases_and_shows_the_primary_one(
    named: TestBank, also: TestBank
) -> None:
    async def row(search: str) -> Json:
        page = (await named.client.get("/v1/default/banks", params={"q": search})).json()
        assert page["total"] == 1
        found: Json = page["banks"][0]
        return found

    plain = await row(f"{also.bank_id.upper()}")
    assert (plain["bank_id"], plain["matched_aliases"]) == (named.bank_id, [also.bank_id])
    assert "display_alias" not in plain
    await answer(named, "PATCH", f"/aliases/{also.bank_id}", json={"primary": True})
    assert (await row(named.bank_id))["display_alias"] == also.bank_id


async def test_one_alias_at_most_is_the_primary_one(named: TestBank, also: TestBank) -> None:
    await add(named, f"{named.bank_id}-third", primary=True)
    changed = await answer(named, "PATCH", f"/aliases/{also.bank_id}", json={"primary": True})
    assert {entry["alias"]: entry["primary"] for entry in changed["aliases"]} == {
        also.bank_id: True,
        f"{named.bank_id}-third": False,
    }
    changed = await answer(named, "PATCH", f"/aliases/{also.bank_id}", json={"primary": False})
    assert not any(entry["primary"] for entry in changed["aliases"])


async def test_a_deleted_alias_names_nothing_any_more(named: TestBank, also: TestBank) -> None:
    left = await answer(also, "DELETE", f"/aliases/{also.bank_id}")
    assert left == {"bank_id": named.bank_id, "aliases": []}
    assert (await also.post_recall("Alice")).status_code == 404
    assert (await ask(named, "DELETE", f"/aliases/{also.bank_id}")).status_code == 404


async def test_adding_an_alias_twice_is_fine_and_taking_anothers_name_is_409(
    named: TestBank, also: TestBank
) -> None:
    assert len((await add(named, also.bank_id))["aliases"]) == 1
    other = TestBank(named.client, f"{named.bank_id}-other")
    await other.client.put(other.path, json={})
    for name in (also.bank_id, named.bank_id, other.bank_id):
        response = await ask(other, "POST", "/aliases", json={"alias": name})
        assert (response.status_code, response.json()) == (409, {"detail": f"'{name}' is taken"})


@pytest.mark.parametrize("alias", ["", "_hidden", "a\x00b", "é" * 97])
async def test_an_alias_is_a_name_that_a_bank_could_have(named: TestBank, alias: str) -> None:
    assert (await ask(named, "POST", "/aliases", json={"alias": alias})).status_code == 400


async def test_what_is_not_there_is_404(bank: TestBank, named: TestBank) -> None:
    missing = TestBank(bank.client, f"{bank.bank_id}-missing")
    assert (await ask(missing, "GET", "/aliases")).status_code == 404
    assert (await ask(missing, "POST", "/aliases", json={"alias": "x"})).status_code == 404
    for name in ("unknown", "%00"):
        path = f"/aliases/{name}"
        assert (await ask(named, "PATCH", path, json={"primary": True})).status_code == 404
        assert (await ask(named, "DELETE", path)).status_code == 404


async def test_making_an_unknown_alias_primary_leaves_the_primary_one(
    named: TestBank, also: TestBank
) -> None:
    await answer(named, "PATCH", f"/aliases/{also.bank_id}", json={"primary": True})
    await ask(named, "PATCH", "/aliases/unknown", json={"primary": True})
    assert (await answer(named, "GET", "/aliases"))["aliases"][0]["primary"] is True


async def test_a_key_for_some_banks_takes_no_name_outside_them(app: Application, bank: TestBank) -> None:
    limited = variant(app, {"api_keys": SecretStr("secret@bank-")})
    web = create_app(running=limited)
    headers = {"authorization": "Bearer secret"}
    async with web.router.lifespan_context(web), client_of(web) as client:
        await client.put(bank.path, json={}, headers=headers)

        async def take(alias: str) -> httpx.Response:
            return await client.post(f"{bank.path}/aliases", json={"alias": alias}, headers=headers)

        assert (await take("theirs")).status_code == 400
        assert (await take(f"{bank.bank_id}-too")).status_code == 201
