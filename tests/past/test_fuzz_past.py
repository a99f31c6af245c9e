"""Whatever is sent to the second front door, a running server answers as our OpenAPI document says.

``RECALLD_TEST_EXAMPLES`` changes how many requests are tried in all; a release is held to the default.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from recalld.api.past.app import past_api
from recalld.api.past.projects import Keyring
from tests.contract.test_schemathesis import CHECKS
from tests.fixtures.contract import Json, operations
from tests.fixtures.fuzzing import chosen
from tests.past.published import PREFIX

EXAMPLES = int(os.environ.get("RECALLD_TEST_EXAMPLES", "600"))
RECALL_SHARE, SHARE = 0.5, 0.05
"""What part of the examples recall gets, and every other route."""
ENOUGH = 15
"""Examples of a route among which one succeeds unless something is wrong."""
OPERATIONS = operations(past_api(Keyring(), 1, -1).openapi())
ROUTES = {operation["operationId"]: route for route, operation in OPERATIONS.items()}
FREE = {"getIngestion", "deleteDataPoint", "listAudiences", "getAudience"}
"""Take text of any kind or nothing: no request can be wrong."""
CASES = [
    pytest.param(name, mode, id=f"{name}-{mode}")
    for name in ROUTES
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or name not in FREE
]
HOSTILE = "alice\x00'%"
NOBODY = "00000000-0000-4000-8000-000000000000"
NOTES: list[Json] = [
    {"content": "Alice keeps bees.", "identity": "alice", "audience": "staff", "id": "letter"},
    {
        "content": "Bob lives in Paris.",
        "identity": "bob & co",
        "id": "notes/1 #?",
        "label": "Home",
        "metadata": [1, {"a": None}],
        "timestamp": "2026-05-04T10:00:00Z",
    },
    {"content": "The office has a piano. " * 200, "audience": "a/b", "id": "piano"},
]
QUESTIONS: list[Json] = [
    {"query": "Who keeps bees?", "identity": "alice"},
    {
        "query": "Where does Bob live? 昨天",
        "identity": "bob & co",
        "queryTimestamp": "2026-06-01T00:00:00+02:00",
    },
    {
        "query": "last month",
        "identity": "bob & co",
        "occurredFrom": "2026-05-04T10:00:00Z",
        "occurredTo": "2026-05-04T10:00:00Z",
    },
    {"query": "piano or bees", "identity": "nobody", "limit": 1, "sort": "chronological"},
]
BODIES: dict[str, list[Json]] = {
    "recall": QUESTIONS,
    "ingest": [*NOTES, {"content": "Carol sails.", "idempotencyKey": "once"}],
    "ingestBatch": [{"items": NOTES[:2]}, {"items": NOTES, "idempotencyKey": "once"}, {"items": []}],
}
"""What the generator never guesses, to be put over what it made."""


@dataclass(frozen=True, slots=True)
class Place:
    """A project that holds something, under its key, and what leads there."""

    headers: dict[str, str]
    path: dict[str, list[str]]
    query: dict[str, list[Any]]


@pytest.fixture(scope="module")
def schema(served: str) -> Any:
    """Our document, as the running server hands it out."""
    return schemathesis.openapi.from_url(f"{served}{PREFIX}/openapi.json")


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """One connection for all requests."""
    with requests.Session() as opened:
        yield opened


@pytest.fixture
def place(served: str, session: requests.Session, unused_keys: Iterator[str]) -> Place:
    """A project of this test's own, with all its work done."""
    headers = {"Authorization": f"Bearer {next(unused_keys)}"}
    url = f"{served}{PREFIX}/ingest"
    sent = session.post(f"{url}/batch", json={"items": NOTES}, headers=headers, timeout=10)
    assert sent.status_code == 200, sent.text
    ingestion, end = sent.json()["ingestionId"], time.monotonic() + 60
    while not session.get(f"{url}/{ingestion}", headers=headers, timeout=10).json()["settled"]:
        assert time.monotonic() < end, f"{ingestion} does not settle"
        time.sleep(0.1)
    return Place(
        headers,
        {
            "ingestion_id": [ingestion, NOBODY, "batch", HOSTILE],
            "source_id": [note["id"] for note in NOTES] + ["unknown", HOSTILE],
            "slug": ["staff", "a/b", "unknown", HOSTILE],
        },
        {"limit": [0, 1, 1000], "after": ["alice", HOSTILE, ""]},
    )


def fed(case: Any, path: dict[str, Any], query: dict[str, Any], fields: Json | None) -> Any:
    """The case with what makes sense over what was generated."""
    case.path_parameters = {**case.path_parameters, **path}
    case.query = {**case.query, **query}
    if fields is not None:
        made = case.body if isinstance(case.body, dict) else {}
        case.body, case.media_type = {**made, **fields}, "application/json"
        if {"level", "maxTokens"} <= case.body.keys():
            del case.body["level"]
    return case


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "mode"), CASES)
def test_a_route(
    schema: Any, session: requests.Session, place: Place, name: str, mode: GenerationMode
) -> None:
    method, path = ROUTES[name]
    operation, announced = schema[path][method.upper()], OPERATIONS[method, path]["responses"]
    modes = 1 if name in FREE else len(GenerationMode)
    examples = max(1, round(EXAMPLES * (RECALL_SHARE if name == "recall" else SHARE) / modes))
    seen: Counter[int] = Counter()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(
        st.builds(
            fed,
            operation.as_strategy(mode, headers=place.headers),
            chosen(operation.path_parameters, place.path),
            chosen(operation.query, place.query),
            st.none() | st.sampled_from(BODIES[name]) if name in BODIES else st.none(),
        )
    )
    def one(case: Any) -> None:
        answer = case.call_and_validate(session=session, checks=CHECKS, timeout=10)
        # The document's "default" would excuse everything.
        assert str(answer.status_code) in announced, f"{answer.status_code} is not announced: {answer.text}"
        assert answer.headers["x-request-id"][0].startswith("req_")
        if answer.status_code >= 400:
            assert answer.json()["status"] == answer.status_code
        seen[answer.status_code] += 1

    one()
    assert not seen[401], "the key was not sent"
    if mode is GenerationMode.POSITIVE and examples >= ENOUGH:
        assert seen[200], seen
