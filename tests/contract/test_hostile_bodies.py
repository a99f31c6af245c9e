"""Bodies made to hurt get a documented refusal or an answer, never a failure, and do not hang the server."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.fixtures.bank import TestBank
from tests.fixtures.contract import operations, own_document

RECALL = ("post", "/v1/default/banks/{bank_id}/memories/recall")
DOCUMENTED = {int(status) for status in operations(own_document())[RECALL]["responses"] if status < "5"}
LIMIT = 2 * 1024 * 1024
DEPTH = 10_000
POISON = "<poison>"
LEAF = {"tags": [POISON]}
POSITIONS: list[dict[str, Any]] = [
    {"query": POISON},
    {"query": f"Alice {POISON} Paris"},
    {"types": [POISON]},
    {"types": POISON},
    {"budget": POISON},
    {"max_tokens": POISON},
    {"trace": POISON},
    {"prefer_observations": POISON},
    {"query_timestamp": POISON},
    {"query_timestamp": f"2026-01-01{POISON}"},
    {"include": POISON},
    {"include": {"entities": POISON}},
    {"include": {"chunks": {"max_tokens": POISON}}},
    {"include": {POISON: {}}},
    {"tags": [POISON]},
    {"tags": POISON},
    {"tags": ["alice"], "tags_match": POISON},
    {"tag_groups": [LEAF]},
    {"tag_groups": [{**LEAF, "match": "exact", "resolve": "fuzzy"}]},
    {"tag_groups": [{"tags": ["a"], "match": POISON}]},
    {"tag_groups": [{"tags": ["a"], "resolve": POISON}]},
    {"tag_groups": [{"and": [LEAF, {"or": [{"not": LEAF}]}]}]},
    {"tag_groups": [{POISON: []}]},
    {"tag_groups": POISON},
    {"min_scores": {"final": POISON}},
    {"min_scores": {POISON: 0}},
    {"temporal_window": {"start": POISON, "end": POISON}},
    {"temporal_window": {"start": "2026-01-01", "end": f"2026-01-02{POISON}"}},
    {"rerank": {"prune": POISON}},
    {"rerank": {POISON: POISON}},
    {"unheard_of": POISON},
    {"unheard_of": {POISON: [POISON]}},
    {POISON: 1},
]
POISONS = {
    "NUL": "\\u0000",
    "high surrogate": "\\ud83d",
    "low surrogate": "\\udc00",
    "surrogates the wrong way round": "\\udc00\\ud83d",
    "noncharacter": "\\uffff",
    "raw NUL": "\x00",
    "raw newline": "\n",
}


def around(filler: str, *, size: int, before: str, after: str) -> bytes:
    """A body of exactly so many bytes, or as many whole fillers as fit and then blanks."""
    room = size - len(before) - len(after)
    return (before + filler * (room // len(filler)) + after).encode().ljust(size)


def nested(opening: str, inner: str, closing: str, depth: int = DEPTH) -> str:
    return opening * depth + inner + closing * depth


def large(size: int) -> dict[str, bytes]:
    """Bodies of a size that hold as much as they can of one thing."""
    shapes = {
        "query of words": ("word ", '{"query": "', '"}'),
        "query of one word": ("w", '{"query": "', '"}'),
        "query of one emoji": ("\\ud83d\\ude00", '{"query": "', '"}'),
        "query of punctuation": ("?!", '{"query": "', '"}'),
        "query of digits": ("7", '{"query": "', '"}'),
        "query of dates": ("2026-01-01 ", '{"query": "', '"}'),
        "query of Chinese": ("\\u6628\\u5929", '{"query": "', '"}'),
        "query of combining marks": ("\\u0301", '{"query": "a', '"}'),
        "query of blanks": (" ", '{"query": "a', 'b"}'),
        "types": ('"world",', '{"query": "x", "types": [', '"world"]}'),
        "wrong types": ('"w",', '{"query": "x", "types": [', '"w"]}'),
        "types of numbers": ("1,", '{"query": "x", "types": [', "1]}"),
        "tags": ('"t",', '{"query": "x", "tags": [', '"t"]}'),
        "one tag": ("t", '{"query": "x", "tags": ["', '"]}'),
        "tags of one leaf": ('"t",', '{"query": "x", "tag_groups": [{"tags": [', '"t"]}]}'),
        "wrong tags of one leaf": ("1,", '{"query": "x", "tag_groups": [{"tags": [', "1]}]}"),
        "fuzzy tags": (
            '"alise",',
            '{"query": "x", "tag_groups": [{"resolve": "fuzzy", "tags": [',
            '"alise"]}]}',
        ),
        "one fuzzy tag": ("t", '{"query": "x", "tag_groups": [{"resolve": "fuzzy", "tags": ["', '"]}]}'),
        "leaves": ('{"tags":[]},', '{"query": "x", "tag_groups": [', '{"tags":[]}]}'),
        "empty groups": ('{"and":[]},', '{"query": "x", "tag_groups": [', '{"and":[]}]}'),
        "empty lists": ("[],", '{"query": "x", "tag_groups": [', "[]]}"),
        "timestamp": ("2", '{"query": "x", "query_timestamp": "', '"}'),
        "start of a window": ("2", '{"query": "x", "temporal_window": {"end": "2026", "start": "', '"}}'),
        "number": ("7", '{"query": "x", "max_tokens": ', "}"),
        "number in text": ("7", '{"query": "x", "max_tokens": "', '"}'),
        "fraction": ("7", '{"query": "x", "min_scores": {"final": 0.', "}}"),
        "exponent": ("9", '{"query": "x", "min_scores": {"final": 1e', "}}"),
        "unheard of": ('{"a":0},', '{"query": "x", "unheard_of": [', "0]}"),
        "one key over and over": ('"a":0,', '{"query": "x", ', '"a": 0}'),
        "blanks around": (" ", '{"query": "x"', "}"),
        "an array": ("0,", "[", "0]"),
        "no JSON": ("x", "", ""),
    }
    return {
        name: around(filler, size=size, before=before, after=after)
        for name, (filler, before, after) in shapes.items()
    }


KEYS = ",".join(f'"k{i}": {i}' for i in range(100_000))
DEEP = {
    "not": nested('{"not":', '{"tags": []}', "}"),
    "and": nested('{"and":[', '{"tags": []}', "]}"),
    "or beside a leaf": nested('{"or":[{"tags":["a"]},', '{"tags": []}', "]}"),
    "arrays": nested("[", "0", "]"),
    "objects": nested('{"a":', "0", "}"),
    "open arrays": "[" * DEPTH,
    "open objects": '{"a":' * DEPTH,
}
PLACES = {
    "tag_groups": '{"query": "x", "tag_groups": [%s]}',
    "tags": '{"query": "x", "tags": [%s]}',
    "types": '{"query": "x", "types": %s}',
    "query": '{"query": %s}',
    "include": '{"query": "x", "include": %s}',
    "unheard of": '{"query": "x", "unheard_of": %s}',
    "everything": "%s",
}


async def answer(bank: TestBank, body: bytes) -> httpx.Response:
    """The answer to a recall, which has to be a documented one and short when it is a refusal."""
    headers = {"content-type": "application/json"}
    response = await bank.client.post(f"{bank.path}/memories/recall", content=body, headers=headers)
    assert response.status_code in DOCUMENTED, response.text
    if response.status_code != 200:
        assert response.json()["detail"]
        assert len(response.content) < 50_000
    return response


@pytest.mark.parametrize("poison", POISONS.values(), ids=POISONS)
@pytest.mark.parametrize("position", POSITIONS, ids=json.dumps)
async def test_f21_text_that_is_no_text(busy_bank: TestBank, position: dict[str, Any], poison: str) -> None:
    body = json.dumps({"query": "Alice", **position}).replace(POISON, poison)
    assert (await answer(busy_bank, body.encode())).status_code in {200, 400, 422}


@pytest.mark.parametrize("raw", [b"\xed\xa0\x80", b"\xff", b"\xc0\x80", b"\xf4\x90\x80\x80"])
async def test_f21_bytes_that_are_no_utf_8(busy_bank: TestBank, raw: bytes) -> None:
    assert (await answer(busy_bank, b'{"query": "Alice ' + raw + b'"}')).status_code in {200, 400, 422}


@pytest.mark.parametrize("name", ["%00", "a%00b", "%ED%A0%80", "%FF", "%F0%9F%98%80", "x" * 30_000])
async def test_names_that_no_bank_can_have(http: httpx.AsyncClient, name: str) -> None:
    response = await http.post(f"/v1/default/banks/{name}/memories/recall", json={"query": "x"})
    assert response.status_code in {404, 422}


@pytest.mark.parametrize("kind", large(100))
async def test_d8_one_byte_over_the_limit(busy_bank: TestBank, kind: str) -> None:
    assert (await answer(busy_bank, large(LIMIT + 1)[kind])).status_code == 413


@pytest.mark.parametrize("kind", large(100))
async def test_d8_as_much_as_the_limit_allows(busy_bank: TestBank, kind: str) -> None:
    body = large(LIMIT)[kind]
    assert len(body) == LIMIT
    assert (await answer(busy_bank, body)).status_code in {200, 400, 422}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", DEEP)
async def test_d8_ten_thousand_levels(busy_bank: TestBank, kind: str, place: str) -> None:
    status = (await answer(busy_bank, (PLACES[place] % DEEP[kind]).encode())).status_code
    assert status in ({200, 422} if place == "unheard of" else {422})


async def test_d7_a_hundred_thousand_names_nothing_reads(busy_bank: TestBank) -> None:
    response = await answer(busy_bank, f'{{"query": "Alice", {KEYS}}}'.encode())
    assert response.status_code == 200
    assert len(response.headers["X-Ignored-Params"]) < 4000
