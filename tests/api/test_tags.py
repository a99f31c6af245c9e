"""The tag truth table through HTTP."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.fixtures.bank import TestBank

ROWS: dict[str, list[str]] = {"1": ["a"], "2": ["b"], "3": ["a", "b"], "4": []}
A, B = {"tags": ["a"]}, {"tags": ["b"]}


@pytest.fixture(scope="module")
async def tagged(client: httpx.AsyncClient) -> TestBank:
    """Four facts with every set of two tags."""
    bank = TestBank(client, f"tags-{uuid4()}")
    await bank.retain(*({"content": f"fact {name}", "tags": tags} for name, tags in ROWS.items()))
    return bank


async def found(bank: TestBank, **body: Any) -> str:
    return "".join(sorted(text.removeprefix("fact ") for text in await bank.texts("fact", **body)))


@pytest.mark.parametrize(
    ("tags", "match", "expected"),
    [
        (["a"], "any", "134"),
        (["a"], "all", "134"),
        (["a"], "any_strict", "13"),
        (["a"], "all_strict", "13"),
        (["a"], "exact", "1"),
        (["a", "b"], "any", "1234"),
        (["a", "b"], "all", "34"),
        (["a", "b"], "any_strict", "123"),
        (["a", "b"], "all_strict", "3"),
        (["a", "b"], "exact", "3"),
        (["b", "a", "a"], "exact", "3"),
        (["A"], "any_strict", ""),
        ([], "any", "1234"),
        ([], "all_strict", "1234"),
        ([], "exact", "4"),
        (None, "any", "1234"),
        (None, "exact", "4"),
    ],
)
async def test_d12_flat_tags(tagged: TestBank, tags: list[str] | None, match: str, expected: str) -> None:
    assert await found(tagged, tags=tags, tags_match=match) == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([], "1234"),
        ([A, {"not": B}], "1"),
        ([A], "13"),
        ([{"tags": ["a"], "match": "any"}], "134"),
        ([{"or": [A, B]}], "123"),
        ([{"and": [A, B]}], "3"),
        ([{"filters": [A, B]}], "3"),
        ([{"not": {"or": [A, B]}}], "4"),
        ([{"filter": A}], "24"),
        ([{"tags": ["a"], "and": []}], "13"),
        ([{"not": {"tags": ["a"], "match": "exact"}}], "234"),
        ([{"tags": [], "match": "exact"}], "4"),
        ([{"tags": [], "match": "any"}], "4"),
        ([{"tags": [], "match": "any_strict"}], ""),
        ([{"tags": [], "match": "all"}], "1234"),
        ([{"tags": [], "match": "all_strict"}], "123"),
    ],
)
async def test_d12_tag_groups(tagged: TestBank, groups: list[Any], expected: str) -> None:
    assert await found(tagged, tag_groups=groups) == expected


async def test_f9_an_empty_and_is_true_and_an_empty_or_is_false(tagged: TestBank) -> None:
    assert await found(tagged, tag_groups=[{"and": []}]) == "1234"
    assert await found(tagged, tag_groups=[{"or": []}]) == ""


async def test_exact_without_tags_holds_beside_groups(tagged: TestBank) -> None:
    assert await found(tagged, tags_match="exact", tag_groups=[{"tags": [], "match": "all"}]) == "4"


async def test_f13_graph_expansion_stays_inside_the_tags(bank: TestBank) -> None:
    hub: dict[str, Any] = {"entities": [{"text": "Xanthippe"}]}
    await bank.retain(
        {"content": "Xanthippe runs the bakery.", "tags": ["in"], **hub},
        {"content": "0441 7788", "tags": ["in"], **hub},
        {"content": "9921 0017", "tags": ["out"], **hub},
    )
    texts = await bank.texts("Who runs the bakery?", tags=["in"], tags_match="all_strict")
    assert set(texts) == {"Xanthippe runs the bakery.", "0441 7788"}


def fuzzy(*tags: str, **leaf: str) -> list[dict[str, Any]]:
    return [{"tags": list(tags), "resolve": "fuzzy", **leaf}]


async def test_issue_4026_a_misspelt_tag_reaches_its_facts_and_no_others(bank: TestBank) -> None:
    await bank.retain(
        {"content": "fact ts", "tags": ["typescript"]}, {"content": "fact js", "tags": ["javascript"]}, "fact"
    )
    assert await bank.texts("fact", tag_groups=fuzzy("typsecript")) == ["fact ts"]
    assert await bank.texts("fact", tag_groups=fuzzy("no such tag")) == []
    assert set(await bank.texts("fact", tag_groups=[{"not": fuzzy("typsecript")[0]}])) == {"fact js", "fact"}


async def test_a_fuzzy_exact_leaf_of_too_many_sets_is_refused(bank: TestBank) -> None:
    near = [f"kubernetes{i}" for i in range(6)]
    await bank.retain({"content": "fact", "tags": near})
    response = await bank.post_recall("fact", tag_groups=fuzzy("kubernetes", "kubernete", match="exact"))
    assert response.status_code == 422
    assert "36 sets" in response.json()["detail"]


async def test_fuzzy_tags_of_a_bank_with_too_many_tags_are_refused(bank: TestBank) -> None:
    await bank.retain(
        *({"content": f"fact {i}", "tags": [f"{i}-{j}" for j in range(500)]} for i in range(11))
    )
    response = await bank.post_recall("fact", tag_groups=fuzzy("1-1"))
    assert response.status_code == 422
    assert "5000" in response.json()["detail"]


async def test_an_unknown_bank_is_reported_before_its_fuzzy_tags(bank: TestBank) -> None:
    response = await bank.post_recall("fact", tag_groups=fuzzy("a"))
    assert response.status_code == 404
