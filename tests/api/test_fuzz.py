"""Whatever is sent, the answer is one of the documented ones, never a 500."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixtures.bank import TestBank

# Without NUL, see test_metadata_and_entities_are_scrubbed.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 10**20, 1.5, "", "a", "NaN", [], {}, [[]], [None], {"a": {}}]
)
STAMPS = st.sampled_from(
    ["2026-01-01", "2026-02-30", "0001-01-01T00:00:00", "9999-12-31T23:59:59Z", 0, -(10**12), 10**15]
)
LEAF = st.fixed_dictionaries(
    {"tags": st.lists(TEXT, max_size=3)},
    optional={"match": st.sampled_from(["any", "all", "any_strict", "all_strict", "exact", "none"])},
)
TREE = st.recursive(
    st.one_of(LEAF, ODD),
    lambda node: st.one_of(
        st.fixed_dictionaries({"not": node}),
        st.fixed_dictionaries({"and": st.lists(node, max_size=3)}),
        st.fixed_dictionaries({"or": st.lists(node, max_size=3)}),
    ),
    max_leaves=6,
)
RECALL = st.fixed_dictionaries(
    {
        "query": st.one_of(
            TEXT, st.sampled_from(["what happened", "yesterday?", "in 9999", "前天", "' | & !:*\\"])
        )
    },
    optional={
        "types": st.one_of(
            ODD, st.lists(st.sampled_from(["world", "observation", "opinion", "x"]), max_size=3)
        ),
        "budget": st.one_of(st.sampled_from(["low", "mid", "high"]), ODD),
        "max_tokens": st.one_of(st.integers(), ODD),
        "trace": st.booleans(),
        "query_timestamp": st.one_of(STAMPS, TEXT, ODD),
        "include": st.one_of(
            ODD,
            st.fixed_dictionaries(
                {},
                optional={
                    part: st.one_of(ODD, st.fixed_dictionaries({}, optional={"max_tokens": st.integers()}))
                    for part in ("entities", "chunks", "source_facts")
                },
            ),
        ),
        "tags": st.one_of(st.lists(TEXT, max_size=4), ODD),
        "tags_match": st.sampled_from(["any", "all", "exact", "x"]),
        "tag_groups": st.one_of(st.lists(TREE, max_size=3), ODD),
        "min_scores": st.dictionaries(
            st.sampled_from(["semantic", "keyword", "final", "reranker"]), st.one_of(st.floats(-2, 2), ODD)
        ),
        "temporal_window": st.one_of(ODD, st.fixed_dictionaries({"start": STAMPS, "end": STAMPS})),
        "prefer_observations": ODD,
    },
)
ITEM = st.fixed_dictionaries(
    {"content": st.one_of(TEXT, ODD, st.sampled_from(["a " * 2000, '[{"a": "b"}]', '{"a": 1}\n{"b": 2}']))},
    optional={
        "timestamp": st.one_of(STAMPS, ODD),
        "context": st.one_of(TEXT, ODD),
        "metadata": st.one_of(ODD, st.dictionaries(TEXT, st.one_of(TEXT, st.none()), max_size=3)),
        "document_id": st.one_of(st.sampled_from(["d", "e", "a/b", "a b", "é"]), TEXT, ODD),
        "entities": st.one_of(ODD, st.lists(st.fixed_dictionaries({"text": TEXT}), max_size=3)),
        "tags": st.one_of(st.lists(TEXT, max_size=3), TEXT, ODD),
        "observation_scopes": st.one_of(ODD, st.just([["a"]])),
        "update_mode": st.sampled_from(["replace", "append", None]),
    },
)


@pytest.fixture(scope="module")
async def fuzzed(client: httpx.AsyncClient) -> TestBank:
    """A bank that takes what comes."""
    bank = TestBank(client, f"fuzz-{uuid4()}")
    await bank.retain({"content": "what happened yesterday", "tags": ["a"], "entities": [{"text": "Ada"}]})
    return bank


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(RECALL)
async def test_recall_never_fails(fuzzed: TestBank, body: dict[str, Any]) -> None:
    response = await fuzzed.post_recall(**body)
    assert response.status_code in {200, 400, 422}, response.text


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(ITEM, max_size=3))
async def test_retain_never_fails(fuzzed: TestBank, items: list[dict[str, Any]]) -> None:
    response = await fuzzed.post_items(*items)
    assert response.status_code in {200, 400, 422}, response.text
