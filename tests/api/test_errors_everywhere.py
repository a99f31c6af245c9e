"""Every route, asked for what is not there and with what cannot be, gives one of the documented refusals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from fastapi.routing import APIRoute

from recalld.api.app import create_app
from recalld.settings import Settings
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.contract import operations, own_document
from tests.fixtures.stock import STUBS, Stock, routes, stocked

WEB = create_app(Settings(database_url="postgresql://none"))
ROUTES = [(method, route) for method, route in routes(WEB) if "{" in route.path]
OF_BANKS = [(method, route) for method, route in ROUTES if "{bank_id}" in route.path]
DOCUMENTED = operations(own_document())
CREATE = {"create_or_update_bank", "retain_memories", "update_bank_config"}
"""What makes the bank it names."""
NOTHING_TO_DO = {"delete_bank", "clear_bank_memories", "get_operation_status"}
"""What is content with a bank that is not there."""
STUBBORN = {
    "create_mental_model": 501,
    "create_directive": 501,
    "create_webhook": 501,
    "knowledge_base": 501,
    "reflect": 400,
    "set_profile": 410,
    "regenerate_entity": 410,
    "export_documents_at_once": 410,
    "import_bank_transfer": 422,
    "import_documents": 422,
    "clone_bank": 422,
}
"""What is refused whichever bank is named, or needs a file or a target besides."""
POISONS = {
    "NUL": "%00",
    "NUL inside": "a%00b",
    "escape": "%1B",
    "high surrogate": "%ED%A0%BD",
    "low surrogate": "%ED%B0%80",
    "no UTF-8": "%FF%FE",
    "overlong": "%C0%80",
    "noncharacter": "%EF%BF%BF",
    "emoji": "%F0%9F%98%80",
    "newline": "%0D%0A",
    "quotes": "%27%22%60%3B--",
    "pattern": "%25_%5C",
    "format": "%25s%7B0%7D",
    "dots": "%2E%2E",
    "long": "x" * 5000,
}
NUMBERS = ["10000000000000000000", "9223372036854775807", "2147483648", "1e3", "", "0x1", "1.5", "NaN", "%00"]
BAD_IDS = ["nope", "0", NOT_HEX := "g" * 32, "0" * 31, "0" * 33, f"{NOT_HEX}%00", "%00", "%ED%A0%BD", "null"]
UUIDS = ("memory_id", "entity_id", "operation_id")


def name_of(route: APIRoute) -> str:
    return str(route.operation_id or route.name)


def named(found: list[tuple[str, APIRoute]]) -> list[Any]:
    return [pytest.param(m, r, id=f"{m} {r.path_format.rpartition('/default')[2]}") for m, r in found]


def queries(method: str, route: APIRoute) -> list[str]:
    """Names in the query string, in our document."""
    return [one["name"] for one in described(method, route) if one["in"] == "query"]


def described(method: str, route: APIRoute) -> list[Json]:
    """The parameters in our document."""
    found: list[Json] = DOCUMENTED.get((method.lower(), route.path_format), {}).get("parameters", [])
    return found


def counted() -> Iterator[Any]:
    """Routes that answer with a page, with the smallest page they allow."""
    for method, route in routes(WEB):
        for schema in (one["schema"] for one in described(method, route) if one["name"] == "limit"):
            yield pytest.param(route, schema["minimum"], id=f"{method} {route.path_format}")


PAGES = list(counted())


@pytest.fixture(scope="module")
async def bank(client: httpx.AsyncClient) -> TestBank:
    """A bank for all tests here, whatever they leave of it."""
    return TestBank(client, f"errors-{uuid4()}")


@pytest.fixture(scope="module")
async def stock(bank: TestBank) -> Stock:
    """What is in it."""
    return await stocked(bank)


def address(route: APIRoute, stock: Stock, **raw: str) -> str:
    """The route's path with parameters that find something, but for those given."""
    path = route.path_format
    for name in {part.partition("}")[0] for part in path.split("{")[1:]}:
        value = raw[name] if name in raw else quote(stock.first(name), safe="/")
        path = path.replace("{" + name + "}", value)
    return path


async def send(client: httpx.AsyncClient, method: str, route: APIRoute, url: str) -> httpx.Response:
    """A request without a body, or with an empty or a wrong one: nothing may change."""
    body = {"items": None, "updates": None} if route.body_field else None
    return await client.request(method, url, json=body)


@pytest.mark.parametrize(("method", "route"), named(OF_BANKS))
async def test_an_unknown_bank(client: httpx.AsyncClient, stock: Stock, method: str, route: APIRoute) -> None:
    name, bank_id = name_of(route), f"unknown-{uuid4()}"
    body = stock.body(name) if route.body_field else None
    response = await client.request(method, address(route, stock, bank_id=bank_id), json=body)
    known = 200 if name in CREATE | NOTHING_TO_DO else STUBBORN.get(name, 404)
    assert response.status_code == known, response.text
    if known != 200:
        assert response.json().keys() == {"detail"}
    exists = (await client.get(f"/v1/default/banks/{bank_id}/profile")).status_code == 200
    assert exists is (name in CREATE)


@pytest.mark.parametrize(
    ("method", "route"), named([one for one in ROUTES if any(id_ in one[1].path_format for id_ in UUIDS)])
)
async def test_an_id_that_is_no_uuid(
    client: httpx.AsyncClient, stock: Stock, method: str, route: APIRoute
) -> None:
    (name,) = (id_ for id_ in UUIDS if id_ in route.path_format)
    body = stock.body(name_of(route)) if route.body_field else None
    for value in BAD_IDS:
        response = await client.request(method, address(route, stock, **{name: value}), json=body)
        assert response.status_code == 400, (value, response.text)
        assert response.json() == {"detail": f"{name} must be a UUID"}


async def test_an_entity_of_a_list_that_is_no_uuid(bank: TestBank, stock: Stock) -> None:
    for value in BAD_IDS:
        response = await bank.client.get(f"{bank.path}/memories/list?entity_id={value}")
        assert response.status_code == 400, value


@pytest.mark.parametrize(("method", "route"), named(ROUTES))
async def test_a_path_with_what_no_name_can_be(
    client: httpx.AsyncClient, stock: Stock, method: str, route: APIRoute
) -> None:
    names = [name for name in (*stock.ids, *STUBS) if "{" + name + "}" in route.path_format]
    for name, (kind, poison) in product(names, POISONS.items()):
        response = await send(client, method, route, address(route, stock, **{name: poison}))
        allowed = {STUBBORN.get(name_of(route)), 200, 202, 400, 404, 409, 422}
        assert response.status_code in allowed, (name, kind, response.text)


@pytest.mark.parametrize(("method", "route"), named([one for one in routes(WEB) if queries(*one)]))
async def test_a_query_string_with_what_no_value_can_be(
    client: httpx.AsyncClient, stock: Stock, method: str, route: APIRoute
) -> None:
    unharmed = address(route, stock) if method != "DELETE" else address(route, stock, bank_id="unknown")
    for name, (kind, poison) in product((*queries(method, route), "%00", "%FF"), POISONS.items()):
        response = await send(client, method, route, f"{unharmed}?{name}={poison}")
        assert response.status_code in {200, 202, 400, 404, 422}, (name, kind, response.text)


@pytest.mark.parametrize(("route", "least"), PAGES)
async def test_a_page_counted_by_what_cannot_count(
    client: httpx.AsyncClient, stock: Stock, route: APIRoute, least: int
) -> None:
    for name, number in product(("limit", "offset"), NUMBERS):
        response = await client.get(f"{address(route, stock)}?{name}={number}")
        assert response.status_code in {200, 422}, (name, number, response.text)


@pytest.mark.parametrize(("route", "least"), PAGES)
async def test_a_page_of_nothing_has_the_right_total(
    client: httpx.AsyncClient, stock: Stock, route: APIRoute, least: int
) -> None:
    url = address(route, stock)
    if least > 0:
        assert (await client.get(url, params={"limit": 0})).status_code == 422
        return
    wanted = {} if "/banks/" in url else {"q": stock.first("bank_id")}
    all_of_it, none_of_it = [rows_of(await client.get(url, params={**wanted, "limit": n})) for n in (100, 0)]
    assert none_of_it == ([], all_of_it[1])
    assert all_of_it[1] == len(all_of_it[0])
    beyond = await client.get(url, params={**wanted, "offset": 1000})
    assert rows_of(beyond) == ([], all_of_it[1])


def rows_of(response: httpx.Response) -> tuple[list[Json], int]:
    """The rows of a page, and the total."""
    assert response.status_code == 200, response.text
    page: Json = response.json()
    (rows,) = (value for value in page.values() if isinstance(value, list))
    return rows, page["total"]


@pytest.mark.parametrize(("route", "least"), PAGES)
async def test_a_page_cannot_be_negative(
    client: httpx.AsyncClient, stock: Stock, route: APIRoute, least: int
) -> None:
    for params in ({"limit": -1}, {"offset": -1}, {"limit": "many"}):
        response = await client.get(address(route, stock), params=params)
        assert response.status_code == 422
        assert response.json()["detail"][0]["loc"] == ["query", next(iter(params))]
