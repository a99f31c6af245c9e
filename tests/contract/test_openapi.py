"""Our OpenAPI document says what the published one says, wherever we serve a published route.

Without the published document beside the checkout there is nothing to compare with, and these tests skip.
Where it has to be there, set ``RECALLD_TEST_CONTRACT``: then its absence is an error.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.fixtures.contract import PUBLISHED, Json, operations, own_document, reachable, wordless

if not PUBLISHED.exists() and "RECALLD_TEST_CONTRACT" not in os.environ:
    pytest.skip("the published document is not beside the checkout", allow_module_level=True)

THEIRS: Json = json.loads(PUBLISHED.read_text(encoding="utf-8"))
OURS = own_document()
ROUTES = sorted(operations(OURS).keys() & operations(THEIRS).keys())
COMPONENTS = sorted(reachable(OURS, *(operations(OURS)[route] for route in ROUTES)))
BOUNDED = {
    ("get", "/v1/default/banks"): {"limit", "offset"},
    ("get", "/v1/default/banks/{bank_id}/operations"): {"offset"},
}
"""Parameters with an upper bound of ours: what PostgreSQL can count."""


def parameters(operation: Json, bounded: set[str]) -> list[Any]:
    found = wordless(operation.get("parameters", []))
    for parameter in found:
        if parameter["name"] in bounded:
            parameter["schema"].pop("maximum", None)
    return sorted(found, key=lambda parameter: (parameter["in"], parameter["name"]))


def schemas(message: Json) -> Json:
    return {kind: wordless(body.get("schema")) for kind, body in message.get("content", {}).items()}


def test_no_route_under_v1_is_unknown_to_the_contract() -> None:
    ours = {route for route in operations(OURS) if route[1].startswith("/v1/")}
    assert ours <= operations(THEIRS).keys()


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_a_route_is_as_published(route: tuple[str, str]) -> None:
    ours, theirs = operations(OURS)[route], operations(THEIRS)[route]
    assert ours["operationId"] == theirs["operationId"]
    assert ours.get("tags") == theirs.get("tags")
    assert parameters(ours, BOUNDED.get(route, set())) == parameters(theirs, set())


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_bodies_are_as_published(route: tuple[str, str]) -> None:
    ours, theirs = operations(OURS)[route], operations(THEIRS)[route]
    sent, expected = ours.get("requestBody", {}), theirs.get("requestBody", {})
    assert schemas(sent) == schemas(expected)
    assert sent.get("required") == expected.get("required")
    (success,) = (status for status in theirs["responses"] if status.startswith("2"))
    assert schemas(ours["responses"][success]) == schemas(theirs["responses"][success])
    assert theirs["responses"].keys() <= ours["responses"].keys()


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_a_route_speaks_of_the_published_components(route: tuple[str, str]) -> None:
    ours, theirs = operations(OURS)[route], operations(THEIRS)[route]
    assert reachable(OURS, ours) == reachable(THEIRS, theirs)


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_is_as_published(name: str) -> None:
    assert wordless(OURS["components"]["schemas"][name]) == wordless(THEIRS["components"]["schemas"][name])
