"""Whatever is sent to any route, a running server answers as our OpenAPI document says.

``RECALLD_TEST_EXAMPLES`` changes how many requests are tried in all; a release is held to the default.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance

from tests.contract.test_schemathesis import CHECKS
from tests.fixtures.bank import TestBank
from tests.fixtures.contract import Json, operations, own_document
from tests.fixtures.fuzzing import chosen
from tests.fixtures.stock import QUERIES, Stock, stocked

EXAMPLES = int(os.environ.get("RECALLD_TEST_EXAMPLES", "1000"))
ENOUGH = 40
"""Examples of a route among which one succeeds unless something is wrong."""
ROUTES = {operation["operationId"]: route for route, operation in operations(own_document()).items()}
OTHER_TYPES = {"get_bank_attachment", "metrics_endpoint_metrics_get"}
"""Published with one content type and sent with another, here as there."""


def takes_anything(operation: Json) -> bool:
    """Whether no request can be wrong: all that can be sent is text of any kind."""
    shapes = [p["schema"] for p in operation.get("parameters", []) if p["in"] == "query"]
    kinds = {str(kind.get("type", "")) for shape in shapes for kind in shape.get("anyOf", [shape])}
    enums = any("enum" in shape for shape in shapes)
    return "requestBody" not in operation and not enums and kinds <= {"string", "null"}


CASES = [
    pytest.param(operation["operationId"], mode, id=f"{operation['operationId']}-{mode}")
    for operation in operations(own_document()).values()
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or not takes_anything(operation)
]


@pytest.fixture(scope="module")
def schema(server: str) -> Any:
    """Our document, as the running server hands it out."""
    return schemathesis.openapi.from_url(f"{server}/openapi.json")


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """One connection for all requests."""
    with requests.Session() as opened:
        yield opened


@pytest.fixture
async def stock(http: httpx.AsyncClient) -> Stock:
    """A bank of this test's own that holds something of every kind."""
    return await stocked(TestBank(http, f"stock-{uuid4()}"))


def asked(stock: Stock, operation: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Parameters in the query that make sense."""
    known = {**QUERIES, **stock.ids}
    names = [parameter.name for parameter in operation.query if parameter.name in known]
    return st.just({}) | st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(known[name]) for name in names}
    )


def sent(bodies: list[Any]) -> st.SearchStrategy[Any]:
    """A body that makes sense, or none to put in place of the generated one."""
    return st.none() | st.sampled_from(bodies) if bodies else st.none()


def fed(case: Any, path: dict[str, Any], query: dict[str, Any], body: Any) -> Any:
    """The case with what makes sense in place of what was generated."""
    case.path_parameters = {**case.path_parameters, **path}
    case.query = {**case.query, **query}
    if body is not None:
        case.body, case.media_type = body, "application/json"
    return case


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "mode"), CASES)
def test_a_route(
    schema: Any, session: requests.Session, stock: Stock, name: str, mode: GenerationMode
) -> None:
    method, path = ROUTES[name]
    operation = schema[path][method.upper()]
    checks = [one for one in CHECKS if name not in OTHER_TYPES or one is not content_type_conformance]
    seen: Counter[int] = Counter()
    examples = max(1, EXAMPLES // len(CASES))

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(
        st.builds(
            fed,
            operation.as_strategy(mode),
            chosen(operation.path_parameters, stock.ids),
            asked(stock, operation),
            sent(stock.bodies.get(name, [])),
        )
    )
    def one(case: Any) -> None:
        seen[case.call_and_validate(session=session, checks=checks, timeout=10).status_code] += 1

    one()
    if mode is GenerationMode.POSITIVE and examples >= ENOUGH:
        assert any(status < 300 for status in seen), seen
