"""API keys: what they close, what stays open, and that a key for some banks opens no other."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import SecretStr

from recalld.api.app import create_app
from recalld.api.auth import ApiKey, may_open, read_keys
from recalld.bootstrap import Application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask
from tests.fixtures.contract import operations, reachable
from tests.fixtures.facts import add_observation
from tests.fixtures.stock import Stock, routes, stocked
from tests.fixtures.variants import client_of, variant

WIDE = {"include_payload": True, "refresh": True, "limit": 100}
OWNER, TENANT = "owner-key", "tenant-key"
SECRET = "xyzzy-plugh"


@pytest.fixture(scope="module")
async def web(app: Application) -> AsyncIterator[FastAPI]:
    """A server with a key for everything and one for the banks of a tenant."""
    keys = SecretStr(f"{OWNER}, {TENANT}@tenant-a-")
    made = create_app(running=variant(app, {"api_keys": keys}))
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture
async def closed(web: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client of that server."""
    async with client_of(web) as client:
        yield client


def bearing(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer wrong", "wrong", f"Basic {OWNER}", "Bearer é"]
)
async def test_without_a_right_key_v1_is_closed_before_the_body_is_read(
    closed: httpx.AsyncClient, header: str | None
) -> None:
    headers = [] if header is None else [(b"authorization", header.encode())]
    for content in (b'{"query": "x"}', b"{bad", b"x" * 3_000_000):
        response = await closed.post(
            "/v1/default/banks/b/memories/recall", content=content, headers=httpx.Headers(headers)
        )
        assert response.status_code == 401
        assert response.json() == {"detail": "Authentication failed: Invalid API key"}


@pytest.mark.parametrize("header", [f"Bearer {OWNER}", f"bearer  {OWNER} ", OWNER])
async def test_a_right_key_opens_bearer_or_bare(closed: httpx.AsyncClient, header: str) -> None:
    response = await closed.get("/v1/default/banks", headers={"Authorization": header})
    assert response.status_code == 200


@pytest.mark.parametrize(
    "path", ["/health", "/health/live", "/version", "/v1/version", "/metrics", "/docs", "/openapi.json"]
)
async def test_health_version_metrics_and_docs_stay_open(closed: httpx.AsyncClient, path: str) -> None:
    assert (await closed.get(path)).status_code == 200


async def test_a_bound_key_lists_its_own_banks_only(closed: httpx.AsyncClient) -> None:
    for name in ("tenant-a-1", "tenant-b-1"):
        await closed.put(f"/v1/default/banks/{name}", json={}, headers=bearing(OWNER))
    page = (await closed.get("/v1/default/banks?limit=1000", headers=bearing(TENANT))).json()
    names = {bank["bank_id"] for bank in page["banks"]}
    assert "tenant-a-1" in names
    assert all(name.startswith("tenant-a-") for name in names)
    assert page["total"] == len(page["banks"])


@pytest.fixture(scope="module")
async def owner(web: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client with the key for everything."""
    async with client_of(web) as client:
        client.headers.update(bearing(OWNER))
        yield client


@pytest.fixture(scope="module")
def other(owner: httpx.AsyncClient) -> TestBank:
    """Another tenant's bank, as its owner sees it."""
    return TestBank(owner, "tenant-b-2")


@pytest.fixture(scope="module")
async def theirs(app: Application, other: TestBank) -> Stock:
    """What is in it: the secret, everywhere."""
    stock = await stocked(other, SECRET)
    await add_observation(app, other.bank_id, f"Alice, {SECRET}.", stock.ids["memory_id"][:1])
    return stock


@pytest.fixture
async def tenant(closed: httpx.AsyncClient, owner: httpx.AsyncClient) -> TestBank:
    """The bank of the tenant whose key is bound, as that key sees it."""
    mine = TestBank(owner, "tenant-a-3")
    await mine.retain({"content": "Alice sails.", "document_id": "own", "entities": [{"text": "Alice"}]})
    closed.headers.update(bearing(TENANT))
    return TestBank(closed, mine.bank_id)


async def everything(bank: TestBank) -> dict[str, Json]:
    """All that a bank's owner can read."""
    paths = ("memories/list", "memories/list?state=invalidated", "documents", "entities", "tags", "stats")
    more = ("operations", "aliases", "config", "profile", "observations/scopes", "documents/letter")
    return {path: await answer(bank, "GET", f"/{path}") for path in (*paths, *more)}


def filled(route: APIRoute, values: Stock, **own: str) -> str:
    """The route's path with a value for each parameter."""
    path = route.path_format
    for name in {part.partition("}")[0] for part in path.split("{")[1:]}:
        value = own[name] if name in own else values.first(name)
        path = path.replace("{" + name + "}", quote(value, safe="/"))
    return path


async def send(client: httpx.AsyncClient, method: str, route: APIRoute, path: str, body: Json) -> str:
    """Send what would work for the bank's own tenant; the status and the answer in one text."""
    json = body if route.body_field else None
    response = await client.request(method, path, json=json, params=WIDE)
    assert response.status_code < 500 or response.status_code == 501, (method, path, response.text)
    headers = " ".join(response.headers.values())
    return f"{response.status_code} {response.text} {headers}"


async def test_a_bound_key_opens_no_route_of_another_tenants_bank(
    web: FastAPI, tenant: TestBank, other: TestBank, theirs: Stock
) -> None:
    before = await everything(other)
    assert {path for path, seen in before.items() if SECRET not in str(seen)} == SILENT
    tried = 0
    for method, route in routes(web):
        if "{" not in route.path:
            continue
        for named in theirs.ids["bank_id"]:
            body = theirs.body(str(route.operation_id))
            path = filled(route, theirs, bank_id=named)
            seen = await send(tenant.client, method, route, path, body)
            assert seen.startswith("403 "), (method, path, seen)
            assert SECRET not in seen
            tried += 1
    assert tried > 100
    assert await everything(other) == before


async def test_ids_of_another_tenant_lead_nowhere_from_ones_own_bank(
    web: FastAPI, owner: httpx.AsyncClient, tenant: TestBank, other: TestBank, theirs: Stock
) -> None:
    before = await everything(other)
    for method, route in routes(web):
        others = [name for name in theirs.ids if "{" + name + "}" in route.path and name != "bank_id"]
        for place in range(max((len(theirs.ids[name]) for name in others), default=0)):
            values = {name: theirs.ids[name][place % len(theirs.ids[name])] for name in others}
            path = filled(route, theirs, **{"bank_id": tenant.bank_id, **values})
            seen = await send(tenant.client, method, route, path, theirs.body(str(route.operation_id)))
            assert seen[:3] in {"200", "400", "403", "404", "409", "410"}, (method, path, seen)
            assert SECRET not in seen, (method, path)
            found = seen.startswith("200") and "not_found" not in seen
            assert not found or str(route.operation_id) in BY_ANY_ID, (method, path, seen)
    assert await everything(other) == before


SILENT = {"stats", "aliases", "operations", "observations/scopes"}
"""Where names and counts stand, no texts."""
BY_ANY_ID = {"clear_memory_observations"}
"""What may answer 200 without finding anything."""


@pytest.mark.parametrize("path", ["memories/list", "documents", "entities", "tags", "operations"])
async def test_searching_ones_own_bank_for_what_is_another_tenants(
    tenant: TestBank, theirs: Stock, path: str
) -> None:
    searches: list[dict[str, Any]] = [
        {"q": SECRET},
        {"q": "*"},
        {"tags": [SECRET], "tags_match": "any_strict"},
        {"tag_groups": f'[{{"tags": ["{SECRET}"], "resolve": "fuzzy"}}]'},
        *({"document_id": id_} for id_ in theirs.ids["document_id"]),
        *({"entity_id": id_} for id_ in theirs.ids["entity_id"]),
        {"bank_id": "tenant-b-2"},
        {"offset": 0, "limit": 100},
    ]
    for params in searches:
        response = await tenant.client.get(f"{tenant.path}/{path}", params=params)
        assert response.status_code == 200, response.text
        assert SECRET not in response.text, params


async def test_bodies_that_name_another_tenants_bank_reach_nothing_of_it(
    tenant: TestBank, other: TestBank, theirs: Stock
) -> None:
    before = await everything(other)
    for name in (*theirs.ids["bank_id"], "tenant-b-fresh", "", f" {tenant.bank_id}", "TENANT-A-x"):
        taken = await ask(tenant, "POST", "/aliases", json={"alias": name, "primary": True})
        assert (taken.status_code, taken.json()) == (400, {"detail": "alias must begin with 'tenant-a-'"})
    elsewhere = {"bank_id": other.bank_id, "target_bank_id": other.bank_id}
    assert await tenant.texts(SECRET, **elsewhere) == await tenant.texts(SECRET)
    await tenant.retain("Kept at home.", **elsewhere)
    for id_ in theirs.ids["operation_id"][:4]:
        queued = await tenant.post_items({"content": "x"}, **{"async": True, "operation_id": id_})
        assert queued.status_code == 409
        assert SECRET not in queued.text
    assert await everything(other) == before


async def test_no_other_request_names_a_bank(closed: httpx.AsyncClient) -> None:
    """What is added to this list needs a look at the key that asks."""
    document = (await closed.get("/openapi.json")).json()
    bodies = [
        schema
        for operation in operations(document).values()
        for name in reachable(document, operation.get("requestBody", {}))
        for schema in document["components"]["schemas"][name].get("properties", {})
    ]
    given = [
        parameter["name"]
        for operation in operations(document).values()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    ]
    speaking = {name for name in (*bodies, *given) if re.search("bank|target|alias|archive|url", name)}
    assert speaking == {"alias", "target_bank_id", "include_bank_config"}


async def test_lists_of_banks_and_searches_in_them_show_only_ones_own(
    owner: httpx.AsyncClient, tenant: TestBank, other: TestBank, theirs: Stock
) -> None:
    async def found(client: httpx.AsyncClient, **params: Any) -> tuple[list[str], int]:
        page = (await client.get("/v1/default/banks", params=params)).json()
        assert client is owner or SECRET not in str(page)
        return [bank["bank_id"] for bank in page["banks"]], page["total"]

    for words in (SECRET, other.bank_id, theirs.ids["alias"][0], "B-2-ALSO"):
        assert await found(owner, q=words) == ([other.bank_id], 1)
        assert await found(tenant.client, q=words) == ([], 0)
    for params in ({}, {"q": "%"}, {"q": ""}, {"q": "tenant-"}, {"limit": 1000, "offset": 0}):
        names, total = await found(tenant.client, **params)
        assert all(name.startswith("tenant-a-") for name in names)
        assert total == len(names)
    assert (await found(tenant.client, limit=0))[1] < (await found(owner, limit=0))[1]


async def test_a_bank_of_ones_own_is_not_opened_by_a_name_outside_the_prefix(
    owner: httpx.AsyncClient, tenant: TestBank
) -> None:
    outside = TestBank(tenant.client, "shared-name")
    added = await owner.post(f"{tenant.path}/aliases", json={"alias": outside.bank_id})
    assert added.status_code == 201
    assert (await outside.post_recall("Alice")).status_code == 403
    assert await tenant.texts("Alice") != []


async def test_a_name_inside_the_prefix_opens_no_bank_outside_it(
    owner: httpx.AsyncClient, tenant: TestBank, other: TestBank, theirs: Stock
) -> None:
    inside = TestBank(tenant.client, "tenant-a-window")
    added = await owner.post(f"{other.path}/aliases", json={"alias": inside.bank_id})
    try:
        assert added.status_code in {201, 409}
        assert (await inside.post_recall(SECRET)).status_code in {403, 404}
    finally:
        await owner.delete(f"{other.path}/aliases/{inside.bank_id}")


def test_keys_are_read_with_their_prefixes() -> None:
    assert read_keys(" a, b@x- ,,@y, c@d@e") == (ApiKey("a"), ApiKey("b", "x-"), ApiKey("c", "d@e"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1/default/banks", True),
        ("/v1/default/banks/a_1", True),
        ("/v1/default/banks/a_1/memories/recall", True),
        ("/v1/default/banks/b", False),
        ("/v1/default/banks/", False),
        ("/v1/default/banks//a_1", False),
        ("/v1/default/chunks/a~5F1_d_0", True),
        ("/v1/default/chunks/a_1_d_0", False),
        ("/v1/default/files/download/a_1", False),
        ("/v1/default/files/download/a~5F1_0f", True),
        ("/v1/default/files/download/a~5F", True),
        ("/v1/default/files/download/b_a~5F1", False),
    ],
)
def test_a_bound_key_opens_paths_below_its_prefix(path: str, expected: bool) -> None:  # noqa: FBT001
    assert may_open(ApiKey("k", "a_"), path) is expected


def test_a_key_shows_nowhere() -> None:
    assert "secret-word" not in repr(read_keys("secret-word@p"))
