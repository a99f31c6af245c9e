"""What a recall at the second front door answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld.api.past.convert import recall_query
from recalld.api.past.schemas import RecallRequest
from recalld.bootstrap import Application
from recalld.domain.budget import Budget
from recalld.domain.memory import FactType
from tests.fixtures.bank import Json
from tests.fixtures.facts import add_fact, add_observation
from tests.past.project import Project

BERLIN = {"content": "Alice lives in Berlin.", "timestamp": "2026-01-05T10:00:00Z", "identity": "ann"}
MUNICH = {"content": "Alice lives in Munich.", "timestamp": "2026-03-05T10:00:00Z", "identity": "ann"}
ASKED = "Where does Alice live?"


def contents(answer: Json) -> list[str]:
    return [result["content"] for result in answer["results"]]


def sources(answer: Json) -> list[str]:
    return [result["sources"][0]["sourceId"] for result in answer["results"]]


async def test_a_document_comes_with_its_evidence(project: Project) -> None:
    metadata = {"z": [1, None, {"y": 2.5}], "a": "ä", "b": {}, "big": 2**70}
    receipt = await project.ingest(**BERLIN, label="  a note ", metadata=metadata)
    answer = await project.recall(ASKED, "ann")
    (result,) = answer["results"]
    assert answer["usedEvidenceTokens"] == 6
    assert result["artifact"] == {"id": result["id"], "kind": "source", "occurredAt": "2026-01-05T10:00:00Z"}
    assert (result["rank"], result["content"]) == (1, BERLIN["content"])
    assert result["sources"] == [
        {
            "sourceId": receipt["sourceId"],
            "occurredAt": "2026-01-05T10:00:00Z",
            "metadata": metadata,
            "label": "  a note ",
            "excerpts": [],
        }
    ]
    assert list(result["sources"][0]["metadata"]) == ["z", "a", "b", "big"]
    assert "pending" not in answer


@pytest.mark.parametrize("metadata", ["a text", 7, 0, False, "", [], {}, [None]])
async def test_metadata_of_any_kind_comes_back_as_it_was_sent(project: Project, metadata: Any) -> None:
    await project.ingest(**BERLIN, metadata=metadata)
    ((source,),) = [one["sources"] for one in (await project.recall(ASKED, "ann"))["results"]]
    assert source["metadata"] == metadata


async def test_what_was_not_sent_is_left_out(project: Project) -> None:
    await project.ingest(**BERLIN, metadata=None)
    ((source,),) = [one["sources"] for one in (await project.recall(ASKED, "ann"))["results"]]
    assert source.keys() == {"sourceId", "occurredAt", "excerpts"}


async def test_a_later_value_supersedes_for_whoever_sees_it_and_from_then_on(project: Project) -> None:
    await project.ingest(**BERLIN)
    await project.ingest(**MUNICH)
    await project.ingest("Alice lives in Berlin.", timestamp="2026-01-01T00:00:00Z")
    await project.ingest("Alice lives in Rome.", timestamp="2026-02-01T00:00:00Z", identity="ben")

    async def superseded(identity: str, **fields: Any) -> dict[str, str | None]:
        answer = await project.recall(ASKED, identity, **fields)
        return {
            f"{one['content'].split()[-1]}{one['occurredAt'][5:7]}{one['occurredAt'][8:10]}": one[
                "artifact"
            ].get("supersededAt")
            for one in answer["results"]
        }

    march, february = "2026-03-05T10:00:00Z", "2026-02-01T00:00:00Z"
    assert await superseded("ann") == {"Berlin.0105": march, "Munich.0305": None, "Berlin.0101": march}
    assert await superseded("ben") == {"Rome.0201": None, "Berlin.0101": february}
    assert await superseded("cem") == {"Berlin.0101": None}
    early = {"queryTimestamp": "2026-03-05T09:59:59Z"}
    assert await superseded("ann", **early) == {"Berlin.0105": None, "Berlin.0101": None}
    assert (await superseded("ann", queryTimestamp=march))["Berlin.0105"] == march
    window = {"occurredTo": "2026-02-01T00:00:00Z"}
    assert await superseded("ann", **window) == {"Berlin.0105": march, "Berlin.0101": march}


async def test_it_is_superseded_however_many_others_say_alike_things(project: Project) -> None:
    people = [f"p{number}" for number in range(60)]
    items = [
        {"content": f"I live in {place}.", "timestamp": f"2026-0{month}-01T00:00:00Z", "identity": name}
        for name in people
        for month, place in ((1, "Berlin"), (3, "Munich"))
    ]
    await project.ingest_batch(*items)
    for name in people[::20]:
        answer = await project.recall("Where do I live?", name)
        found = {one["content"]: one["artifact"].get("supersededAt") for one in answer["results"]}
        assert found == {"I live in Berlin.": "2026-03-01T00:00:00Z", "I live in Munich.": None}


async def test_pieces_of_one_document_are_one_result(project: Project) -> None:
    long = "\n\n".join(f"Entry {n}. The harbour pilot wrote about tide {n} and the fog." for n in range(60))
    await project.ingest(long, id="log", identity="ann")
    await project.ingest("The harbour has a fog bell.", id="bell", identity="ann")
    answer = await project.recall("harbour fog tide", "ann")
    assert sorted(sources(answer)) == ["bell", "log"]
    content = next(one["content"] for one in answer["results"] if one["sources"][0]["sourceId"] == "log")
    assert content in long
    assert [one["rank"] for one in answer["results"]] == [1, 2]


async def test_limits(project: Project) -> None:
    for number in range(8):
        await project.ingest(f"Rowing club note {number}.", id=str(number), identity="ann")
    whole = await project.recall("rowing club", "ann")
    assert len(whole["results"]) == 8
    assert sources(await project.recall("rowing club", "ann", limit=5)) == sources(whole)[:5]
    # Each costs 5: the estimate is rounded up for every document.
    few = await project.recall("rowing club", "ann", maxTokens=14)
    assert (sources(few), few["usedEvidenceTokens"]) == (sources(whole)[:2], 10)
    none = await project.recall("rowing club", "ann", maxTokens=4)
    assert (none["results"], none["usedEvidenceTokens"]) == ([], 0)


async def test_chronological_order_keeps_ranks(project: Project) -> None:
    for number, month in enumerate([3, 1, 2]):
        await project.ingest(
            f"Rowing club note {number}.", timestamp=f"2026-0{month}-01T00:00:00Z", identity="ann"
        )
    best = await project.recall("rowing club note 0", "ann")
    dated = await project.recall("rowing club note 0", "ann", sort="chronological")
    assert [one["occurredAt"][:7] for one in dated["results"]] == ["2026-01", "2026-02", "2026-03"]
    ranks = {one["id"]: one["rank"] for one in best["results"]}
    assert {one["id"]: one["rank"] for one in dated["results"]} == ranks


async def test_the_occurrence_window_is_inclusive(project: Project) -> None:
    for day in (1, 2, 3):
        await project.ingest(f"Note {day}.", timestamp=f"2026-02-0{day}T12:00:00+02:00", identity="ann")
    second = "2026-02-02T10:00:00Z"
    assert contents(await project.recall("note", "ann", occurredFrom=second, occurredTo=second)) == [
        "Note 2."
    ]
    assert len((await project.recall("note", "ann", occurredFrom=second))["results"]) == 2


async def test_as_of_is_in_utc(project: Project) -> None:
    answer = await project.recall("x", "ann", queryTimestamp="2026-02-01T12:00:00.25+02:00")
    assert answer == {"asOf": "2026-02-01T10:00:00.250000Z", "usedEvidenceTokens": 0, "results": []}
    before = datetime.now(UTC)
    now = datetime.fromisoformat((await project.recall("x", "ann"))["asOf"])
    assert before <= now <= datetime.now(UTC)


async def test_what_lies_in_the_future_is_not_seen_yet(project: Project) -> None:
    await project.ingest("The comet returns.", timestamp="2999-01-01T00:00:00Z", identity="ann")
    assert contents(await project.recall("comet", "ann")) == []
    later = await project.recall("comet", "ann", queryTimestamp="2999-01-01T00:00:00Z")
    assert contents(later) == ["The comet returns."]


async def test_who_sees_what(project: Project) -> None:
    told = {
        "own": {"identity": "ann"},
        "everybody's": {},
        "team's": {"audience": "team"},
        "ann's for the team": {"identity": "ann", "audience": "team"},
        "ben's for the club": {"identity": "ben", "audience": "club"},
        "cem's for the team": {"identity": "cem", "audience": "team"},
    }
    for name, fields in told.items():
        await project.ingest(f"The password is {name}.", id=name, **fields)
    shared = {"everybody's", "team's", "ann's for the team", "cem's for the team"}
    for identity, expected in {
        "ann": shared | {"own"},
        "ben": {"everybody's", "ben's for the club"},
        "cem": shared,
        "dan": {"everybody's"},
        "identity:ann": {"everybody's"},
    }.items():
        assert set(sources(await project.recall("password", identity))) == expected, identity


async def test_pending_is_told_while_work_is_open(project: Project) -> None:
    assert (await project.post("/ingest/batch", {"items": [BERLIN, MUNICH]})).status_code == 200
    assert (await project.post("/ingest", {"content": "More."})).status_code == 200
    pending = (await project.recall(ASKED, "ann"))["pending"]
    assert (pending["ingestions"], pending["dataPoints"]) == (2, 3)
    assert "2 ingestions" in pending["message"]
    await project.ingest("Done.")
    assert "pending" not in await project.recall(ASKED, "ann")


async def test_a_claim_cites_its_piece_and_an_observation_its_facts(
    app: Application, project: Project
) -> None:
    await project.ingest("It was late. Alice told me she moved to Berlin.", id="diary", identity="ann")
    when = datetime(2026, 1, 5, tzinfo=UTC)
    tags = ["identity:ann"]
    facts = [
        await add_fact(app, project.bank_id, text, mentioned_at=when, tags=tags)
        for text in ("Alice rows on Mondays.", "Alice rows on Fridays.")
    ]
    await add_observation(
        app, project.bank_id, "Alice rows twice a week.", facts, tags=tags, mentioned_at=when
    )
    answer = await project.recall("How often does Alice row?", "ann")
    (observed,) = [one for one in answer["results"] if one["artifact"]["kind"] == "observation"]
    assert observed["content"] == "Alice rows twice a week."
    excerpts = [excerpt for source in observed["sources"] for excerpt in source["excerpts"]]
    assert sorted(excerpts) == ["Alice rows on Fridays.", "Alice rows on Mondays."]
    assert {one["artifact"]["kind"] for one in answer["results"]} == {"observation", "source", "claim"}
    used = sum(
        -(-sum(map(len, [one["content"], *(e for s in one["sources"] for e in s["excerpts"])])) // 4)
        for one in answer["results"]
    )
    assert answer["usedEvidenceTokens"] == used


async def test_an_edited_piece_is_a_claim_that_cites_the_text(app: Application, project: Project) -> None:
    await project.ingest("Alise moved to Berlin.", id="diary", identity="ann")
    (result,) = (await project.recall("Alise", "ann"))["results"]
    edit = {"text": "Alice moved to Berlin."}
    path = f"/v1/default/banks/{project.bank_id}/memories/{result['id']}"
    assert (await project.client.patch(path, json=edit)).status_code == 200
    (edited,) = (await project.recall("Alice", "ann"))["results"]
    assert (edited["artifact"]["kind"], edited["content"]) == ("claim", "Alice moved to Berlin.")
    assert edited["sources"][0]["excerpts"] == ["Alise moved to Berlin."]


async def test_an_undated_fact_has_the_date_it_was_stored(app: Application, project: Project) -> None:
    before = datetime.now(UTC)
    await add_fact(app, project.bank_id, "Undated.", fact_type=FactType.EXPERIENCE)
    (result,) = (await project.recall("undated", "ann"))["results"]
    assert before <= datetime.fromisoformat(result["occurredAt"]) <= datetime.now(UTC)


async def test_a_long_query_is_cut(project: Project) -> None:
    await project.ingest("The comet returns.", identity="ann")
    assert contents(await project.recall("comet " * 3000, "ann")) == ["The comet returns."]


@pytest.mark.parametrize(
    ("fields", "tokens", "budget"),
    [
        ({}, 8_000, Budget.LOW),
        ({"level": "low"}, 8_000, Budget.LOW),
        ({"level": "medium"}, 16_000, Budget.MID),
        ({"level": "high"}, 24_000, Budget.HIGH),
        ({"level": "extra-high"}, 30_000, Budget.HIGH),
        ({"maxTokens": 1}, 1, Budget.LOW),
        ({"maxTokens": 8_001}, 8_001, Budget.MID),
        ({"maxTokens": 10**9}, 30_000, Budget.HIGH),
    ],
)
def test_a_level_is_a_budget_and_a_depth_under_the_ceiling(fields: Json, tokens: int, budget: Budget) -> None:
    request = RecallRequest.model_validate({"query": "q", "identity": "ann", **fields})
    query = recall_query("b", request, datetime.now(UTC), 30_000)
    assert (query.max_tokens, query.budget) == (tokens, budget)


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.integers(1, 200),
        "maxTokens": st.integers(1, 60),
        "sort": st.sampled_from(["relevance", "chronological"]),
        "queryTimestamp": st.sampled_from(["2026-01-02T00:00:00Z", "2026-01-04T00:00:00Z"]),
        "occurredFrom": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"]),
    },
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FIELDS)
async def test_whatever_is_asked_the_bounds_hold(project: Project, fields: dict[str, Any]) -> None:
    for day in range(1, 7):
        text = f"Day {day} at sea. " + "The fog held. " * day
        await project.ingest(text, id=str(day), timestamp=f"2026-01-0{day}T00:00:00Z", identity="ann")
    answer = await project.recall("fog at sea", "ann", **fields)
    dates = [one["occurredAt"] for one in answer["results"]]
    assert all(fields.get("occurredFrom", "") <= date <= answer["asOf"] for date in dates)
    assert answer["usedEvidenceTokens"] == sum(-(-len(text) // 4) for text in contents(answer))
    assert answer["usedEvidenceTokens"] <= fields.get("maxTokens", 8_000)
    ranks = [one["rank"] for one in answer["results"]]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    assert (dates if fields.get("sort") == "chronological" else ranks) == sorted(
        dates if fields.get("sort") == "chronological" else ranks
    )
