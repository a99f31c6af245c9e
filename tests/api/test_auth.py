"""API keys: what they close, what stays open, and that a key for some banks opens no other."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from recalld.api.app import create_app
from recalld.api.auth import ApiKey, may_open, read_keys
from recalld.bootstrap import Application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.variants import client_of, variant

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


def operations(document: Json) -> Iterator[tuple[str, str]]:
    for path, methods in document["paths"].items():
        for method in methods:
            if path.startswith("/v1/"):
                yield method, path


def filled(path: str, bank_id: str, values: dict[str, str]) -> str:
    for name, value in {**values, "bank_id": bank_id}.items():
        path = path.replace("{" + name + "}", quote(value, safe=""))
    assert "{" not in path, f"no value for a parameter of {path}"
    return path


async def test_a_bound_key_opens_no_route_of_another_tenants_bank(
    closed: httpx.AsyncClient, web: FastAPI
) -> None:
    other = TestBank(httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://x"), "tenant-b-2")
    async with other.client:
        other.client.headers.update(bearing(OWNER))
        await other.retain(
            {"content": SECRET, "document_id": "d", "entities": [{"text": SECRET}], "tags": [SECRET]}
        )
        (fact,) = await other.results(SECRET)
    entity = next(iter(fact["entities"]))
    values = {
        "memory_id": fact["id"],
        "document_id": "d",
        "chunk_id": fact["chunk_id"],
        "entity_id": entity,
        "attachment_id": "0" * 16,
    }
    document = (await closed.get("/openapi.json")).json()
    tried = 0
    for method, path in operations(document):
        if path == "/v1/default/banks":
            continue
        known = {**dict.fromkeys(parameters(path), fact["id"]), **values}
        response = await closed.request(
            method,
            filled(path, other.bank_id, known),
            content=json.dumps({"query": SECRET, "items": [], "updates": {}}),
            headers={**bearing(TENANT), "Content-Type": "application/json"},
        )
        assert response.status_code == 403, (method, path)
        assert SECRET not in response.text
        tried += 1
    assert tried >= 5


def parameters(path: str) -> list[str]:
    return [part[1:].rstrip("}").partition(":")[0] for part in path.split("/") if part.startswith("{")]


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
    ],
)
def test_a_bound_key_opens_paths_below_its_prefix(path: str, expected: bool) -> None:  # noqa: FBT001
    assert may_open(ApiKey("k", "a_"), path) is expected


def test_a_key_shows_nowhere() -> None:
    assert "secret-word" not in repr(read_keys("secret-word@p"))
