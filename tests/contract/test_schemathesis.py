"""Whatever our OpenAPI document allows or forbids, a running server answers as the document says.

``RECALLD_TEST_EXAMPLES`` changes how many requests are tried in all; a release is held to the default.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.contract import walk

EXAMPLES = int(os.environ.get("RECALLD_TEST_EXAMPLES", "2000"))
RECALL = "/v1/default/banks/{bank_id}/memories/recall"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
"""Without those that want refused what is wrong on paper: numbers may come as text, for one."""
SENSIBLE = st.fixed_dictionaries(
    {
        "query": st.sampled_from(
            ["What did Alice do last month?", "bees or bread", "Paris 昨天", walk.MOVED]
        ),
        "types": st.sampled_from([None, [], ["world"], ["observation", "experience"]]),
        "query_timestamp": st.sampled_from([None, walk.NOW, "2026-07-11T00:00:00+02:00"]),
    }
)
"""What the generator never guesses; without it hardly a request would find a fact."""


@pytest.fixture(scope="module")
def operation(server: str) -> Any:
    """Recall, as the running server describes it."""
    return schemathesis.openapi.from_url(f"{server}/openapi.json")[RECALL]["POST"]


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """One connection for all requests."""
    with requests.Session() as opened:
        yield opened


def send(session: requests.Session, strategy: st.SearchStrategy[Any], share: float) -> Counter[int]:
    """Send a share of all examples; how often each status came."""
    seen: Counter[int] = Counter()

    @settings(max_examples=max(1, round(EXAMPLES * share)), suppress_health_check=list(HealthCheck))
    @given(strategy)
    def one(case: Any) -> None:
        seen[case.call_and_validate(session=session, checks=CHECKS, timeout=10).status_code] += 1

    one()
    return seen


def made_sensible(case: Any, fields: dict[str, Any]) -> Any:
    case.body = {**case.body, **fields}
    return case


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_a_bank_that_exists(
    operation: Any, session: requests.Session, walked: str, mode: GenerationMode
) -> None:
    strategy = operation.as_strategy(mode, path_parameters={"bank_id": walked})
    assert send(session, strategy, 0.2)[422]


@pytest.mark.timeout(600)
def test_sensible_questions_with_any_options(operation: Any, session: requests.Session, walked: str) -> None:
    strategy = operation.as_strategy(path_parameters={"bank_id": walked})
    seen = send(session, st.builds(made_sensible, strategy, SENSIBLE), 0.4)
    assert seen[200] > seen.total() / 4


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_any_bank(operation: Any, session: requests.Session, mode: GenerationMode) -> None:
    send(session, operation.as_strategy(mode), 0.1)
