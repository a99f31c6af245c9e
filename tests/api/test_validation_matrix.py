"""Every row of the validation matrix, and the bodies of refusals."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.fixtures.bank import TestBank

LEAF: dict[str, Any] = {"tags": ["a"]}
NOON = "2026-09-16T12:00:00"
WINDOW_END_FIRST = {"start": "2026-02-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"}

ROWS: list[tuple[dict[str, Any], int]] = [
    ({"query": None}, 422),
    ({"query": 5}, 422),
    ({"query": "   "}, 422),
    ({"query": "?!..."}, 422),
    ({"query": "\U0001f600"}, 422),
    ({"query": "_"}, 200),
    ({"query": "hi \ud83d"}, 200),
    ({"types": []}, 200),
    ({"types": None}, 200),
    ({"types": ["foo"]}, 422),
    ({"types": "world"}, 422),
    ({"types": [1]}, 422),
    ({"budget": "LOW"}, 422),
    ({"budget": "max"}, 422),
    ({"budget": None}, 422),
    ({"max_tokens": -5}, 200),
    ({"max_tokens": "100"}, 200),
    ({"max_tokens": 100.0}, 200),
    ({"max_tokens": True}, 200),
    ({"max_tokens": 10**30}, 200),
    ({"max_tokens": 1.5}, 422),
    ({"max_tokens": None}, 422),
    ({"trace": "yes"}, 200),
    ({"trace": None}, 422),
    ({"prefer_observations": "true"}, 200),
    ({"query_timestamp": "nope"}, 400),
    ({"query_timestamp": ""}, 200),
    ({"query_timestamp": "2023-05-30"}, 200),
    ({"query_timestamp": "2023-W22-2"}, 200),
    ({"query_timestamp": f"{NOON}Z"}, 200),
    ({"query_timestamp": NOON}, 200),
    ({"query_timestamp": 1685490000}, 422),
    ({"include": None}, 422),
    ({"include": {}}, 200),
    ({"include": {"foo": 1}}, 200),
    (
        {
            "include": {
                "chunks": {"max_tokens": -5},
                "source_facts": {"max_tokens": -5},
                "entities": {"max_tokens": -5},
            }
        },
        200,
    ),
    ({"tags": [], "tag_groups": []}, 422),
    ({"tags": ["a"], "tag_groups": [LEAF]}, 422),
    ({"tags": None, "tag_groups": [LEAF]}, 200),
    ({"tags_match": "none"}, 422),
    ({"tags_match": None}, 422),
    ({"tag_groups": [{"foo": 1}]}, 422),
    ({"tag_groups": [{"and": []}]}, 200),
    ({"tag_groups": [{"filters": [LEAF]}]}, 200),
    ({"tag_groups": [{"tags": ["a"], "and": []}]}, 200),
    ({"min_scores": {}}, 200),
    ({"min_scores": {"semantic": -5, "reranker": 2}}, 200),
    ({"min_scores": {"keyword": "0.3"}}, 200),
    ({"temporal_window": WINDOW_END_FIRST}, 422),
    ({"temporal_window": {"start": "2026-01-01T00:00:00Z"}}, 422),
    ({"temporal_window": {"start": "2026-01-01T00:00:00", "end": "2026-01-02T00:00:00"}}, 200),
    ({"temporal_window": {"start": "2026-01-01", "end": "2026-01-02"}}, 200),
    ({"temporal_window": {"start": 1767225600, "end": 1767312000}}, 200),
    ({"temporal_window": {"start": "2026-01-01", "end": "2026-01-01"}}, 200),
    ({"rerank": {"prune": True, "dedup": None}}, 200),
]


@pytest.fixture(scope="module")
async def known(client: httpx.AsyncClient) -> TestBank:
    """A bank that is only read."""
    bank = TestBank(client, f"matrix-{uuid4()}")
    await bank.retain({"content": "x marks the spot", "tags": ["a"]})
    return bank


@pytest.mark.parametrize(("body", "status"), ROWS, ids=[json.dumps(body)[:60] for body, _ in ROWS])
async def test_the_matrix(known: TestBank, body: dict[str, Any], status: int) -> None:
    response = await known.post_recall(**{"query": "x", **body})
    assert response.status_code == status, response.text


async def raw(bank: TestBank, content: bytes, kind: str | None = "application/json") -> httpx.Response:
    headers = {} if kind is None else {"content-type": kind}
    return await bank.client.post(f"{bank.path}/memories/recall", content=content, headers=headers)


def only_error(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 422
    (error,) = response.json()["detail"]
    assert "url" not in error
    found: dict[str, Any] = error
    return found


@pytest.mark.parametrize("body", [b"{}", b"[1]", b'"x"', b"5"])
async def test_a_body_that_is_no_recall_is_422(known: TestBank, body: bytes) -> None:
    assert (await raw(known, body)).status_code == 422


async def test_a_missing_body_says_so(known: TestBank) -> None:
    error = only_error(await raw(known, b""))
    assert (error["type"], error["loc"]) == ("missing", ["body"])


async def test_a_text_body_is_422(known: TestBank) -> None:
    error = only_error(await raw(known, b'{"query": "x"}', "text/plain"))
    assert error["type"] == "model_attributes_type"


async def test_a_missing_content_type_means_json(known: TestBank) -> None:
    assert (await raw(known, b'{"query": "x"}', None)).status_code == 200


async def test_malformed_json_is_named(known: TestBank) -> None:
    error = only_error(await raw(known, b"{bad"))
    assert (error["type"], error["loc"], error["msg"]) == ("json_invalid", ["body", 1], "JSON decode error")
    assert "error" in error["ctx"]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("floor", ["semantic", "keyword", "reranker", "final"])
async def test_d8_a_floor_is_a_finite_number(known: TestBank, floor: str, value: str) -> None:
    response = await raw(known, f'{{"query": "x", "min_scores": {{"{floor}": {value}}}}}'.encode())
    assert only_error(response)["loc"] == ["body", "min_scores", floor]


async def test_the_message_for_a_query_without_words(known: TestBank) -> None:
    error = only_error(await known.post_recall("?!"))
    assert (error["type"], error["loc"]) == ("value_error", ["body", "query"])
    assert error["msg"] == "Value error, query must contain at least one word character after normalization"
    assert error["ctx"] == {"error": {}}


async def test_the_message_for_two_tag_filters(known: TestBank) -> None:
    error = only_error(await known.post_recall("x", tags=[], tag_groups=[]))
    assert error["loc"] == ["body"]
    assert error["msg"] == (
        "Value error, 'tags' and 'tag_groups' are mutually exclusive."
        " Use 'tag_groups' for compound filtering."
    )


async def test_the_message_for_a_window_that_ends_first(known: TestBank) -> None:
    error = only_error(await known.post_recall("x", temporal_window=WINDOW_END_FIRST))
    assert error["loc"] == ["body", "temporal_window"]
    assert error["msg"] == "Value error, temporal_window.end must not be earlier than temporal_window.start"


async def test_the_message_for_a_bad_timestamp(known: TestBank) -> None:
    response = await known.post_recall("x", query_timestamp="nope")
    expected = "Invalid query_timestamp format. Expected ISO format (e.g., '2023-05-30T23:40:00'): "
    assert response.json()["detail"].startswith(expected)


async def test_a_bad_tag_group_gives_one_error_for_each_kind(known: TestBank) -> None:
    response = await known.post_recall("x", tag_groups=[{"foo": 1}])
    assert [error["loc"] for error in response.json()["detail"]] == [
        ["body", "tag_groups", 0, "TagGroupLeaf", "tags"],
        ["body", "tag_groups", 0, "TagGroupAnd", "and"],
        ["body", "tag_groups", 0, "TagGroupOr", "or"],
        ["body", "tag_groups", 0, "TagGroupNot", "not"],
    ]


async def test_d5_bad_types_are_422_with_a_sentence(known: TestBank) -> None:
    response = await known.post_recall("x", types=["foo", "world", "Bar"])
    assert response.status_code == 422
    expected = "Invalid fact type(s): Bar, foo. Must be one of: experience, observation, world"
    assert response.json() == {"detail": expected}


async def test_the_retired_type_is_dropped_in_silence(known: TestBank) -> None:
    assert (await known.recall("x", types=["opinion"]))["results"] == []
    assert len(await known.results("x", types=["opinion", "world"])) == 1


@pytest.mark.parametrize("types", [["opinion"], ["foo"], None, ["world"]])
async def test_f17_an_unknown_bank_comes_before_its_types(bank: TestBank, types: list[str] | None) -> None:
    response = await bank.post_recall("x", types=types)
    assert response.status_code == 404
    assert response.json() == {"detail": f"Bank '{bank.bank_id}' not found"}


async def test_d5_recall_never_creates_a_bank(bank: TestBank) -> None:
    await bank.post_recall("x")
    listed = await bank.client.get("/v1/default/banks", params={"q": bank.bank_id})
    assert listed.json()["total"] == 0


async def test_wrong_methods_and_paths_get_the_frameworks_answers(known: TestBank) -> None:
    wrong = await known.client.put(f"{known.path}/memories/recall", json={})
    assert (wrong.status_code, wrong.json()) == (405, {"detail": "Method Not Allowed"})
    for path in ("/v1/default/banks//memories/recall", "/v1/default/banks/a%2Fb/memories/recall", "/nowhere"):
        missing = await known.client.post(path, json={"query": "x"})
        assert (missing.status_code, missing.json()) == (404, {"detail": "Not Found"})


async def test_a_trailing_slash_is_redirected(known: TestBank) -> None:
    response = await known.client.post(f"{known.path}/memories/recall/", json={"query": "x"})
    assert response.status_code == 307


async def test_a_python_client_may_send_every_optional_field_as_null(known: TestBank) -> None:
    absent = dict.fromkeys(
        [
            "types",
            "prefer_observations",
            "query_timestamp",
            "tags",
            "tag_groups",
            "min_scores",
            "temporal_window",
            "rerank",
        ]
    )
    assert len(await known.results("x", **absent)) == 1
