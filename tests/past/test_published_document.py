"""Our OpenAPI document of the second front door says what past.dev's says, wherever both speak.

Without the published document beside the checkout there is nothing to compare with, and those tests skip.
Where it has to be there, set ``RECALLD_TEST_CONTRACT``: then its absence is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from recalld.api.app import create_app
from recalld.settings import Settings
from tests.fixtures.contract import Json, operations, reachable, wordless
from tests.fixtures.variants import client_of
from tests.past.published import PREFIX, Published

RECALL = ("post", f"{PREFIX}/recall")
SCHEMAS = (
    "RecallSource",
    "RecallRequest",
    "RecallArtifact",
    "RecallResponse",
    "Error",
    "RecallPending",
    "RecallResult",
)
MANAGED_ONLY = frozenset({"402", "403"})
"""Statuses of credits, archived projects and scopes of agents, none of which a server of one's own has."""
ABSENT = "nothing"


@pytest.fixture(scope="module")
def theirs(published: Published | None) -> Json:
    """The published document."""
    if published is None and "RECALLD_TEST_CONTRACT" not in os.environ:
        pytest.skip("the published document is not beside the checkout")
    assert published is not None
    return published.document


@pytest.fixture(scope="module")
async def ours() -> Json:
    """Our document, as the server hands it out to everybody."""
    async with client_of(create_app(Settings(database_url="postgresql://none"))) as client:
        response = await client.get(f"{PREFIX}/openapi.json")
    assert response.status_code == 200, response.text
    document: Json = response.json()
    return document


def differences(theirs: Any, ours: Any, place: str) -> Iterator[str]:
    """What one says and the other does not, in words."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            yield from differences(theirs.get(key, ABSENT), ours.get(key, ABSENT), f"{place}.{key}")
    elif theirs != ours:
        yield f"{place}: published is {theirs!r}, ours is {ours!r}"


def assert_same(theirs: Any, ours: Any, place: str) -> None:
    found = list(differences(theirs, ours, place))
    assert not found, "\n".join(found)


def comparable(schema: Json) -> Any:
    """A schema without prose; the order in which fields are required means nothing."""
    return {**wordless(schema), "required": sorted(schema.get("required", []))}


def schema_of(message: Json) -> Any:
    """The schema of a body that is JSON and nothing else."""
    assert message["content"].keys() == {"application/json"}
    return wordless(message["content"]["application/json"]["schema"])


def places_with(value: Any, found_in: Any, place: str = "") -> Iterator[str]:
    """Where a document holds a value, or a key of that name."""
    if found_in == value:
        yield place
    elif isinstance(found_in, dict):
        for key, inner in found_in.items():
            yield from [f"{place}.{key}"] if key == value else places_with(value, inner, f"{place}.{key}")
    elif isinstance(found_in, list):
        for number, inner in enumerate(found_in):
            yield from places_with(value, inner, f"{place}.{number}")


def test_the_published_document_has_no_schema_we_do_not_compare(theirs: Json) -> None:
    assert set(SCHEMAS) == theirs["components"]["schemas"].keys()
    assert {RECALL} == operations(theirs).keys()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_as_published(theirs: Json, ours: Json, name: str) -> None:
    published, own = theirs["components"]["schemas"][name], ours["components"]["schemas"].get(name, {})
    assert_same(comparable(published), comparable(own), name)


def test_recall_is_called_as_published(theirs: Json, ours: Json) -> None:
    published, own = operations(theirs)[RECALL], operations(ours)[RECALL]
    for part in ("operationId", "tags"):
        assert_same(published[part], own[part], part)
    assert own["security"] == [one for one in published["security"] if "bearerAuth" in one]
    assert "parameters" not in own, "recall has no parameters besides its body"


def test_recall_takes_the_published_body(theirs: Json, ours: Json) -> None:
    published, own = (operations(document)[RECALL]["requestBody"] for document in (theirs, ours))
    assert_same(published["required"], own.get("required"), "requestBody.required")
    assert_same(schema_of(published), schema_of(own), "requestBody")


def test_recall_answers_with_the_published_statuses(theirs: Json, ours: Json) -> None:
    published, own = (operations(document)[RECALL]["responses"] for document in (theirs, ours))
    assert published.keys() >= MANAGED_ONLY
    assert own.keys() == published.keys() - MANAGED_ONLY


def test_recall_answers_with_the_published_bodies(theirs: Json, ours: Json) -> None:
    published, own = (operations(document)[RECALL]["responses"] for document in (theirs, ours))
    for status, answer in own.items():
        assert_same(schema_of(published[status]), schema_of(answer), f"responses.{status}")


def test_keys_are_sent_as_published(theirs: Json, ours: Json) -> None:
    published, own = (document["components"]["securitySchemes"] for document in (theirs, ours))
    assert_same(wordless(published["bearerAuth"]), wordless(own["bearerAuth"]), "bearerAuth")
    assert own.keys() == {"bearerAuth"}


def test_every_route_wants_a_key(ours: Json) -> None:
    without = [
        route for route, one in operations(ours).items() if one.get("security") != [{"bearerAuth": []}]
    ]
    assert not without


def test_every_answer_bears_the_id_of_its_request(theirs: Json, ours: Json) -> None:
    header = theirs["components"]["headers"]["RequestId"]
    for (method, path), operation in operations(ours).items():
        for status, answer in operation["responses"].items():
            sent = answer.get("headers", {}).get("X-Request-Id", {})
            assert_same(wordless(header), wordless(sent), f"{method} {path} {status} X-Request-Id")


def test_every_failure_is_an_error(ours: Json) -> None:
    for (method, path), operation in operations(ours).items():
        responses = dict(operation["responses"])
        assert "$ref" in schema_of(responses.pop("200")), f"{method} {path}"
        assert {"400", "401", "429", "default"} <= responses.keys(), f"{method} {path}"
        for status, answer in responses.items():
            assert_same(
                {"$ref": "#/components/schemas/Error"}, schema_of(answer), f"{method} {path} {status}"
            )


@pytest.mark.parametrize("name", ["422", "HTTPValidationError", "ValidationError", *sorted(MANAGED_ONLY)])
def test_what_is_never_sent_is_not_announced(ours: Json, name: str) -> None:
    assert not list(places_with(name, ours))


@pytest.mark.parametrize("word", ["null", "nullable"])
def test_nothing_is_null(ours: Json, word: str) -> None:
    assert not list(places_with(word, ours["components"]["schemas"]))


def test_every_schema_is_spoken_of_and_every_reference_leads_somewhere(ours: Json) -> None:
    assert reachable(ours, ours["paths"]) == ours["components"]["schemas"].keys()


async def test_the_document_needs_no_key(past: httpx.AsyncClient, ours: Json) -> None:
    assert (await past.get(f"{PREFIX}/openapi.json")).json() == ours
