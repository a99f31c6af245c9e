"""Our OpenAPI document names every status and header an answer can have."""

from __future__ import annotations

import pytest

from tests.fixtures.contract import Json, operations, own_document, references

OURS = own_document()
ROUTES = sorted(route for route in operations(OURS) if route[1].startswith("/v1/"))
RECALL = ("post", "/v1/default/banks/{bank_id}/memories/recall")


def shapes(response: Json) -> list[Json]:
    """The objects a body may be, components looked up."""
    schema = response["content"]["application/json"]["schema"]
    components = OURS["components"]["schemas"]
    return [components[name] for name in references(schema)] + [
        part for part in schema.get("anyOf", [schema]) if "$ref" not in part
    ]


def test_every_reference_leads_somewhere() -> None:
    assert set(references(OURS)) == OURS["components"]["schemas"].keys()


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_d9_every_failure_is_a_detail_in_json(route: tuple[str, str]) -> None:
    responses = operations(OURS)[route]["responses"]
    for status in (status for status in responses if not status.startswith("2")):
        assert all(shape["properties"].keys() == {"detail"} for shape in shapes(responses[status])), status


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_what_any_route_can_answer_is_named(route: tuple[str, str]) -> None:
    operation = operations(OURS)[route]
    assert {"401", "403", "422", "503", "504"} <= operation["responses"].keys()
    (success,) = (status for status in operation["responses"] if status.startswith("2"))
    if "application/json" in operation["responses"][success]["content"]:
        assert "X-Ignored-Params" in operation["responses"][success]["headers"]
    assert operation["responses"]["503"]["headers"].keys() == {"Retry-After"}
    if "requestBody" in operation:
        assert {"400", "413"} <= operation["responses"].keys()


def test_what_recall_can_answer_is_named() -> None:
    responses = operations(OURS)[RECALL]["responses"]
    assert responses.keys() == {"200", "400", "401", "403", "404", "413", "422", "503", "504"}
    assert responses["200"]["headers"].keys() == {
        "X-Ignored-Params",
        "X-Recall-Degraded",
        "X-Recall-Fallback",
        "X-Recall-Query-Truncated",
        "X-Recall-Window",
    }
