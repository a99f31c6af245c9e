"""What a request may be at most: bodies, tag trees, queries, echoes; and names nobody reads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.recall.plan import QueryLimit
from tests.fixtures.bank import TestBank

LONG = "word " * 600


@pytest.fixture(scope="module")
async def known(client: httpx.AsyncClient) -> TestBank:
    """A bank that is only read."""
    bank = TestBank(client, f"limits-{uuid4()}")
    await bank.retain({"content": "x marks the spot", "tags": ["a"]})
    return bank


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"tags": ["a"]}
    for _ in range(depth - 1):
        node = {"not": node}
    return node


@pytest.mark.parametrize(
    ("depth", "status"),
    [
        (1, 200),
        (32, 200),
        pytest.param(
            33,
            422,
        ),
        (65, 422),
        (254, 422),
    ],
)
async def test_d8_tag_groups_may_be_32_deep(known: TestBank, depth: int, status: int) -> None:
    response = await known.post_recall("x", tag_groups=[nested(depth)])
    assert response.status_code == status, response.text[:300]
    assert len(response.content) < 4000


@pytest.mark.parametrize("depth", [33, 60])
async def test_d8_lists_of_parts_count_as_one_level_too(known: TestBank, depth: int) -> None:
    node: dict[str, Any] = {"tags": ["a"]}
    for _ in range(depth - 1):
        node = {"and": [node]}
    assert (await known.post_recall("x", tag_groups=[node])).status_code == 422


@pytest.mark.parametrize("depth", [1_000, 100_000])
async def test_d8_absurd_nesting_is_refused_quickly_and_shortly(known: TestBank, depth: int) -> None:
    body = '{"query": "x", "tag_groups": [' + '{"not":' * depth + '{"tags": []}' + "}" * depth + "]}"
    response = await known.client.post(
        f"{known.path}/memories/recall", content=body, headers={"content-type": "application/json"}
    )
    assert response.status_code == 422
    assert len(response.content) < 2000


@pytest.mark.parametrize(("leaves", "status"), [(256, 200), (257, 422)])
async def test_d8_tag_groups_may_have_256_leaves(known: TestBank, leaves: int, status: int) -> None:
    groups = [{"or": [{"tags": [f"t{i}"]} for i in range(leaves)]}]
    assert (await known.post_recall("x", tag_groups=groups)).status_code == status


async def test_d8_a_refusal_never_echoes_more_than_a_kilobyte(known: TestBank) -> None:
    response = await known.post_recall({"x": "y" * 100_000}, types="z" * 100_000, budget=["b" * 100_000])
    assert response.status_code == 422
    for error in response.json()["detail"]:
        assert len(json.dumps(error["input"])) <= 1100
    assert len(response.content) < 6000


async def test_d8_a_refusal_lists_a_bounded_number_of_reasons(known: TestBank) -> None:
    response = await known.post_recall("x", types=[1] * 5000)
    assert response.status_code == 422
    assert len(response.json()["detail"]) <= 50


async def test_d8_a_recall_body_over_2_mib_is_413(known: TestBank) -> None:
    response = await known.post_recall("x", tags=["t" * (2 * 1024 * 1024)])
    assert response.status_code == 413
    assert isinstance(response.json()["detail"], str)


async def test_d8_an_unannounced_body_is_counted_as_it_comes(known: TestBank) -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b'{"query": "'
        for _ in range(40):
            yield b"x" * 65_536
        yield b'"}'

    response = await known.client.post(f"{known.path}/memories/recall", content=parts())
    assert response.status_code == 413


async def test_retain_may_be_larger_than_recall(bank: TestBank) -> None:
    params = {"filler": "y" * (2 * 1024 * 1024 + 1)}
    assert (await bank.post_items({"content": "short", "metadata": params})).status_code == 200


@pytest.mark.parametrize("bad", ["a\x00b", pytest.param("a\ud83d")])
async def test_f21_tags_hold_no_control_characters_and_no_surrogates(known: TestBank, bad: str) -> None:
    for body in (
        {"tags": [bad]},
        {"tag_groups": [{"tags": [bad]}]},
        {"tag_groups": [{"not": {"tags": [bad]}}]},
    ):
        assert (await known.post_recall("x", **body)).status_code == 422


@pytest.mark.parametrize(
    "body", [{"budget": "\ud83d"}, {"types": {"\ud83d": 1}}, {"tag_groups": [{"\ud83d": 1}]}]
)
async def test_f21_a_refusal_may_echo_anything(known: TestBank, body: dict[str, Any]) -> None:
    assert (await known.post_recall("x", **body)).status_code == 422


@pytest.mark.parametrize("query", ["spot\x00", "the \ud83d spot", "\x07spot\x7f"])
async def test_f21_a_query_is_scrubbed(known: TestBank, query: str) -> None:
    assert len(await known.results(query)) == 1


@pytest.mark.parametrize(
    "bank_id",
    [
        pytest.param("a%00b"),
        "a%0Ab",
        "%5Fa",
    ],
)
async def test_f21_a_bank_id_that_may_not_be_is_not_found_by_recall(
    client: httpx.AsyncClient, bank_id: str
) -> None:
    response = await client.post(f"/v1/default/banks/{bank_id}/memories/recall", json={"query": "x"})
    assert response.status_code in {400, 404, 422}


async def test_special_tokens_are_plain_text(known: TestBank) -> None:
    assert (await known.post_recall("<|endoftext|> spot")).status_code == 200


async def test_d2_a_long_query_is_400_naming_both_numbers(known: TestBank, app: Application) -> None:
    response = await known.post_recall(LONG)
    assert response.status_code == 400
    detail = response.json()["detail"]
    assert str(app.tokens.count(LONG)) in detail
    assert "500" in detail


async def test_d2_truncating_says_so_in_a_header(known: TestBank, app: Application) -> None:
    limit = QueryLimit(app.tokens, 500, truncate=True)
    cutting = replace(app.recall, planner=replace(app.recall.planner, limit=limit))
    web = create_app(running=replace(app, recall=cutting))
    async with (
        web.router.lifespan_context(web),
        httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://recalld.test") as other,
    ):
        cut = await TestBank(other, known.bank_id).post_recall(LONG)
        short = await TestBank(other, known.bank_id).post_recall("spot")
    assert cut.status_code == short.status_code == 200
    assert "X-Recall-Query-Truncated" in cut.headers
    assert "X-Recall-Query-Truncated" not in short.headers


async def test_d7_unknown_names_are_accepted_and_named(known: TestBank) -> None:
    response = await known.client.post(
        f"{known.path}/memories/recall?zeta=1&alpha=2&bank_id=3",
        json={
            "query": "x",
            "later": 1,
            "include": {"foo": 1, "chunks": {"bar": {"deep": 1}}},
            "min_scores": {"baz": 0.5},
            "tag_groups": [{"tags": [], "match": "all", "odd": 1}],
        },
    )
    assert response.status_code == 200
    expected = "zeta, alpha, later, include.foo, include.chunks.bar, min_scores.baz, tag_groups.odd"
    assert response.headers["X-Ignored-Params"] == expected


async def test_d7_unknown_names_deep_in_tag_groups_are_named(known: TestBank) -> None:
    response = await known.post_recall("x", tag_groups=[{"and": [{"not": {"tags": [], "odd": 1}}]}])
    assert response.headers["X-Ignored-Params"] == "tag_groups.and.not.odd"


async def test_d7_unknown_names_are_named_on_refusals_too(known: TestBank, bank: TestBank) -> None:
    for response in (await known.post_recall("?", typo=1), await bank.post_recall("x", typo=1)):
        assert response.status_code in {404, 422}
        assert response.headers["X-Ignored-Params"] == "typo"


async def test_d7_retain_names_what_it_ignores(bank: TestBank) -> None:
    response = await bank.post_items({"content": "x", "colour": "red"}, speed=1)
    assert response.headers["X-Ignored-Params"] == "items.colour, speed"


async def test_d7_a_request_without_unknown_names_has_no_header(known: TestBank) -> None:
    response = await known.post_recall("x", include={"chunks": {}}, rerank={"prune": True})
    assert "X-Ignored-Params" not in response.headers


async def test_names_that_a_header_cannot_carry_are_masked(known: TestBank) -> None:
    response = await known.post_recall("x", **{"a\r\nSet-Cookie: b": 1, "näh": 2})
    assert response.headers["X-Ignored-Params"] == "a??Set-Cookie: b, n?h"


async def test_d7_unknown_names_in_content_blocks_are_named(bank: TestBank) -> None:
    response = await bank.post_items({"content": [{"type": "text", "text": "x", "lang": "en"}]})
    assert response.headers["X-Ignored-Params"] == "items.content.lang"
