"""What every client must be able to ask for, as the body sent and what has to come back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

Json = dict[str, Any]
Ask = Callable[[Json], Awaitable[Json]]
"""Sends a recall's body by way of a client; gives its answer."""
Step = Callable[[Ask], Awaitable[None]]

MOVED = "Alice moved to Paris."
ADOPTED = "Alice adopted a grey cat."
BEES = "Bob keeps bees on the roof."
BREAD = "The bakery on the corner sells rye bread."
BOOKED = "I booked a train to Lyon for Alice."
SETTLED = "Alice has settled in Paris with a cat."
SOURCES = (MOVED, ADOPTED)
EVERYTHING = {MOVED, ADOPTED, BEES, BREAD, BOOKED, SETTLED}
ITEMS: tuple[Json, ...] = (
    {
        "content": MOVED,
        "tags": ["alice", "travel"],
        "entities": [{"text": "Alice"}, {"text": "Paris"}],
        "timestamp": "2026-05-04T10:00:00Z",
        "document_id": "letter",
        "context": "a letter",
        "metadata": {"source": "post"},
    },
    {
        "content": ADOPTED,
        "tags": ["alice", "pets"],
        "entities": [{"text": "Alice"}],
        "timestamp": "2026-07-10",
    },
    {"content": BEES, "tags": ["bob"], "entities": [{"text": "Bob"}], "timestamp": "2026-06-01"},
    {"content": BREAD, "timestamp": "2026-01-01"},
)
NOW = "2026-08-01T00:00:00Z"
ABOUT_ALICE: Json = {"query": "What did Alice do?", "query_timestamp": NOW}

STEPS: dict[str, Step] = {}
NEWER_STEPS: dict[str, Step] = {}
"""Options that the official client has no field for."""


def step(function: Step) -> Step:
    """Part of every client's walk."""
    STEPS[function.__name__] = function
    return function


def newer_step(function: Step) -> Step:
    """Part of the walk of clients made from our own document."""
    NEWER_STEPS[function.__name__] = function
    return function


async def texts(ask: Ask, **body: Any) -> list[str]:
    """Texts of the results, best first."""
    return [fact["text"] for fact in (await ask({**ABOUT_ALICE, **body}))["results"]]


@step
async def the_whole_fact(ask: Ask) -> None:
    answer = await ask({"query": "Where did Alice move?", "types": ["world"], "query_timestamp": NOW})
    fact = answer["results"][0]
    assert fact["text"] == MOVED
    assert (fact["type"], fact["document_id"], fact["context"]) == ("world", "letter", "a letter")
    assert fact["mentioned_at"] == "2026-05-04T10:00:00+00:00"
    assert fact["metadata"] == {"source": "post"}
    assert sorted(fact["tags"]) == ["alice", "travel"]
    assert sorted(fact["entities"]) == ["Alice", "Paris"]
    assert 0 < fact["scores"]["reranker"] <= 1
    assert 0 < fact["scores"]["semantic"] <= 1
    assert fact["scores"]["keyword"] > 0
    finals = [one["scores"]["final"] for one in answer["results"]]
    assert finals == sorted(finals, reverse=True)


@step
async def types(ask: Ask) -> None:
    assert set(await texts(ask, types=["experience"])) == {BOOKED}
    assert set(await texts(ask, types=["observation"])) == {SETTLED}
    assert {MOVED, ADOPTED} <= set(await texts(ask, types=["world"])) <= {MOVED, ADOPTED, BEES, BREAD}
    assert {MOVED, ADOPTED, BOOKED, SETTLED} <= set(await texts(ask)) <= EVERYTHING


@step
async def budget(ask: Ask) -> None:
    depths = []
    for name in ("low", "mid", "high"):
        answer = await ask({**ABOUT_ALICE, "budget": name, "trace": True})
        depths.append(answer["trace"]["query"]["budget"])
    assert depths == [100, 300, 1000]


@step
async def max_tokens(ask: Ask) -> None:
    assert await texts(ask, max_tokens=0) == []
    assert await texts(ask, max_tokens=1) == (await texts(ask))[:1]


@step
async def trace(ask: Ask) -> None:
    assert (await ask(ABOUT_ALICE)).get("trace") is None
    traced = (await ask({**ABOUT_ALICE, "trace": True}))["trace"]
    assert traced["query"]["query_text"] == "What did Alice do?"
    assert [final["text"] for final in traced["final_results"]] == await texts(ask)


@step
async def query_timestamp(ask: Ask) -> None:
    body = {"query": "What happened last month?", "query_timestamp": "2026-06-15T00:00:00Z", "trace": True}
    answer = await ask(body)
    assert answer["trace"]["query"]["temporal_constraint"]["start"].startswith("2026-05-01")
    assert answer["results"][0]["text"] == MOVED


@step
async def include_entities(ask: Ask) -> None:
    with_them = await ask({**ABOUT_ALICE, "include": {"entities": {"max_tokens": 500}}})
    alice = with_them["entities"]["Alice"]
    assert alice["canonical_name"] == "Alice"
    assert [one["text"] for one in alice["observations"]] == [SETTLED]
    none_fit = await ask({**ABOUT_ALICE, "include": {"entities": {"max_tokens": 0}}})
    assert none_fit["entities"]["Alice"]["observations"] == []
    without = await ask({**ABOUT_ALICE, "include": {"entities": None}})
    assert without.get("entities") is None
    assert all(fact.get("entities") is None for fact in without["results"])


@step
async def include_chunks(ask: Ask) -> None:
    assert (await ask(ABOUT_ALICE)).get("chunks") is None
    answer = await ask({**ABOUT_ALICE, "types": ["world"], "include": {"chunks": {"max_tokens": 8192}}})
    best = answer["results"][0]
    chunk = answer["chunks"][best["chunk_id"]]
    assert (chunk["text"], chunk["chunk_index"], chunk["truncated"]) == (best["text"], 0, False)
    cut = await ask({**ABOUT_ALICE, "types": ["world"], "include": {"chunks": {"max_tokens": 2}}})
    assert [one["truncated"] for one in cut["chunks"].values()] == [True]


@step
async def include_source_facts(ask: Ask) -> None:
    body = {**ABOUT_ALICE, "types": ["observation"]}
    assert (await ask(body)).get("source_facts") is None
    answer = await ask({**body, "include": {"source_facts": {"max_tokens": 4096}}})
    (seen,) = answer["results"]
    assert len(seen["source_fact_ids"]) == 2
    assert {answer["source_facts"][id_]["text"] for id_ in seen["source_fact_ids"]} == set(SOURCES)
    assert answer["source_facts_truncated"] is False
    tight = await ask({**body, "include": {"source_facts": {"max_tokens": 0}}})
    assert (tight.get("source_facts"), tight["source_facts_truncated"]) == (None, True)


@step
async def tags(ask: Ask) -> None:
    world: Json = {"types": ["world"], "query": "Alice, Bob, bees, bread"}
    given = ["alice", "travel"]
    expected: dict[str, set[str]] = {
        "any": {MOVED, ADOPTED, BREAD},
        "all": {MOVED, BREAD},
        "any_strict": {MOVED, ADOPTED},
        "all_strict": {MOVED},
        "exact": {MOVED},
    }
    for match, wanted in expected.items():
        assert set(await texts(ask, **world, tags=given, tags_match=match)) == wanted, match


@step
async def tag_groups(ask: Ask) -> None:
    world: Json = {"types": ["world"], "query": "Alice, Bob, bees, bread"}
    alice, pets, bob = ({"tags": [name]} for name in ("alice", "pets", "bob"))
    trees: list[tuple[Json, set[str]]] = [
        (alice, {MOVED, ADOPTED}),
        ({"and": [alice, {"not": pets}]}, {MOVED}),
        ({"or": [pets, bob]}, {ADOPTED, BEES}),
        ({"not": {"or": [alice, bob]}}, {BREAD}),
        ({"tags": ["travel", "alice"], "match": "exact"}, {MOVED}),
        ({"tags": ["travell"], "resolve": "fuzzy"}, {MOVED}),
    ]
    for tree, wanted in trees:
        assert set(await texts(ask, **world, tag_groups=[tree])) == wanted, tree
    assert await texts(ask, **world, tag_groups=[alice, pets]) == [ADOPTED]


@step
async def min_scores(ask: Ask) -> None:
    facts = (await ask(ABOUT_ALICE))["results"]
    floor = facts[1]["scores"]["final"]
    assert await texts(ask, min_scores={"final": floor}) == [fact["text"] for fact in facts[:2]]
    assert await texts(ask, min_scores={"reranker": 2}) == []
    pruned = await ask({**ABOUT_ALICE, "min_scores": {"semantic": 1.1, "keyword": 1000}})
    for fact in pruned["results"]:
        assert (fact["scores"].get("semantic"), fact["scores"].get("keyword")) == (None, None)


@step
async def temporal_window(ask: Ask) -> None:
    scores: list[dict[str, float]] = []
    for start, end, dated in (("2026-05-03", "2026-05-05", MOVED), ("2026-07-09", "2026-07-10", ADOPTED)):
        window = {"start": f"{start}T00:00:00Z", "end": f"{end}T23:59:59Z"}
        answer = await ask({**ABOUT_ALICE, "types": ["world"], "temporal_window": window, "trace": True})
        runs = answer["trace"]["retrieval_results"]
        (found,) = (run["results"] for run in runs if run["method_name"] == "temporal")
        assert [fact["text"] for fact in found] == [dated]
        scores.append({fact["text"]: fact["scores"]["final"] for fact in answer["results"]})
    in_may, in_july = scores
    assert in_may[MOVED] > in_july[MOVED]
    assert in_july[ADOPTED] > in_may[ADOPTED]


@step
async def prefer_observations(ask: Ask) -> None:
    assert {MOVED, ADOPTED, SETTLED} <= set(await texts(ask, prefer_observations=False))
    preferred = set(await texts(ask, prefer_observations=True))
    assert SETTLED in preferred
    assert not preferred & set(SOURCES)


@newer_step
async def source_facts_of_each_observation(ask: Ask) -> None:
    options = {"max_tokens": 4096, "max_tokens_per_observation": 0}
    body = {**ABOUT_ALICE, "types": ["observation"], "include": {"source_facts": options}}
    assert (await ask(body))["source_facts_truncated"] is True


@newer_step
async def rerank(ask: Ask) -> None:
    everything = await texts(ask)
    for options in ({}, {"prune": None, "dedup": None}, {"prune": True, "dedup": True}):
        assert await texts(ask, rerank=options) == everything
