"""Steps with the public clients of past.dev, taken in an environment of theirs: ``client_steps.py STEP``.

``PAST_API_KEY`` and ``PAST_API_HOST`` lead to a project nobody has used. Whatever wants to connect to
another machine fails the step.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

KEY, HOST = os.environ["PAST_API_KEY"], os.environ["PAST_API_HOST"]
LOOPBACK = {"127.0.0.1", "::1", "localhost"}
went_out: list[str] = []


def keep_in(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse every connection and every look-up but those of this machine, and take note of it."""
    asked: Any = None
    if event == "socket.getaddrinfo":
        asked = arguments[0]
    elif event in {"socket.connect", "socket.sendto"} and isinstance(arguments[1], tuple):
        asked = arguments[1][0]
    name = asked.decode() if isinstance(asked, bytes) else asked
    if name is not None and name not in LOOPBACK:
        went_out.append(f"{event} {name}")
        raise OSError(went_out[-1])


sys.addaudithook(keep_in)
from crewai_pastdotdev import (  # noqa: E402 - nothing is loaded unwatched
    PastDevClient,
    PastDevError,
    PastDevIngestTool,
    PastDevMemory,
    PastDevRecallTool,
)
from pastdotdev import PastClient, PastError  # noqa: E402 - as above

WRONG = f"{KEY}-wrong"
ODD = "notes/2026 #1?é"
METADATA = {"pages": 2, "read": False, "from": {"name": "Zoë", "shelf": None}, "words": ["a", 1.5]}
LETTER = {
    "content": "Alice lives in Lisbon.",
    "id": "letter-1",
    "identity": "alice",
    "timestamp": "2026-02-03T10:00:00Z",
    "label": "A letter, word for word",
    "metadata": METADATA,
}
steps: dict[str, Callable[[], None]] = {}


def step(function: Callable[[], None]) -> Callable[[], None]:
    steps[function.__name__] = function
    return function


def refusal(kind: type[Any], call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The error a call ends in."""
    try:
        answer = call(*arguments, **options)
    except kind as error:
        return error
    message = f"not refused: {answer}"
    raise AssertionError(message)


def settled(ingestion_id: str) -> Any:
    """The ingestion once it has ended."""
    client, end = PastClient(KEY, HOST), time.monotonic() + 60
    while not (found := client.ingest(ingestion_id))["settled"]:
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def remembered(client: PastDevClient, content: str, **fields: Any) -> Any:
    """The receipt of a data point that recall finds."""
    receipt = client.ingest(content, **fields)
    assert settled(receipt["ingestionId"])["readiness"] == "ready"
    return receipt


def contents(answer: Any) -> list[str]:
    return [result["content"] for result in answer["results"]]


@step
def the_sdk_gets_back_what_it_sent() -> None:
    client = PastClient(KEY, f"{HOST}/")
    receipt = client.ingest(LETTER)
    assert (receipt["sourceId"], receipt["unchanged"]) == ("letter-1", False), receipt
    done = settled(receipt["ingestionId"])
    assert (done["status"], done["blocked"], done["readiness"]) == ("completed", False, "ready"), done
    assert client.ingest({"ingestionId": receipt["ingestionId"]}) == done
    assert client.ingest(LETTER)["unchanged"]
    answer = client.recall({"query": "Where does Alice live?", "identity": "alice", "level": "medium"})
    (result,) = answer["results"]
    assert (result["content"], result["rank"]) == (LETTER["content"], 1), result
    assert result["artifact"]["kind"] == "source", result
    assert result["sources"] == [
        {
            "sourceId": "letter-1",
            "occurredAt": LETTER["timestamp"],
            "metadata": METADATA,
            "label": LETTER["label"],
            "excerpts": [],
        }
    ]
    assert "pending" not in answer, answer


@step
def the_sdk_reads_refusals() -> None:
    wrong = refusal(PastError, PastClient(WRONG, HOST).recall, {"query": "Alice", "identity": "alice"})
    assert (wrong.status, wrong.body["code"], wrong.body["status"]) == (401, "unauthorized", 401)
    client = PastClient(KEY, HOST)
    foreign = refusal(PastError, PastClient("sk-other", HOST).ingest, LETTER)
    assert (foreign.status, foreign.body["code"]) == (401, "malformed-api-key")
    nobody = refusal(PastError, client.recall, {"query": "Alice"})
    assert (nobody.status, nobody.body["code"]) == (400, "invalid-request")
    unknown = refusal(PastError, client.ingest, "00000000-0000-4000-8000-000000000000")
    assert (unknown.status, unknown.body["code"]) == (404, "ingestion-not-found")
    unserved = refusal(PastError, client.answer, {"query": "Alice", "identity": "alice"})
    assert (unserved.status, unserved.body["code"]) == (404, "not-found")


@step
def the_client_stores_lists_and_deletes() -> None:
    with PastDevClient(api_key=KEY, api_host=HOST) as client:
        client.check_connection()
        assert client.list_audiences() == []
        assert list(client.list_identities(page_size=1)) == []
        moved = {"id": ODD, "timestamp": "2026-03-01T08:00:00+01:00", "label": "Moving"}
        receipt = remembered(client, "Alice moved to Faro.", identity="alice", **moved)
        assert receipt["sourceId"] == ODD, receipt
        for name in ("bob & co", "Zoë/1", "dana"):
            remembered(client, f"{name} keeps bees.", identity=name)
        remembered(client, "The office has a piano.", audience="staff")
        answer = client.recall("Where did Alice move?", identity="alice", limit=1, level="extra-high")
        assert contents(answer) == ["Alice moved to Faro."], answer
        assert answer["results"][0]["occurredAt"] == "2026-03-01T07:00:00Z", answer
        entries = {entry["identity"]: entry["dataPoints"] for entry in client.list_identities(page_size=1)}
        assert entries == {"alice": 1, "bob & co": 1, "Zoë/1": 1, "dana": 1}, entries
        assert client.list_audiences() == [{"slug": "staff", "dataPoints": 1}]
        assert client.delete_data_point(ODD)["ids"] == [ODD]
        assert contents(client.recall("Where did Alice move?", identity="alice")) == []
        gone = refusal(PastDevError, client.delete_data_point, ODD)
        assert (gone.status, gone.code) == (404, "data-point-not-found"), gone
        assert gone.request_id.startswith("req_"), gone
        assert "alice" not in {entry["identity"] for entry in client.list_identities(page_size=2)}


@step
def the_client_finds_the_host_in_its_environment() -> None:
    with PastDevClient() as client:
        assert client.api_host == HOST
        client.check_connection()
        once = {"identity": "ed", "idempotency_key": "once", "metadata": [1, None]}
        first = remembered(client, "Ed sails.", **once)
        assert client.ingest("Ed sails.", **once)["ingestionId"] == first["ingestionId"]
        (result,) = client.recall("Ed", identity="ed", max_tokens=100, sort="chronological")["results"]
        assert result["sources"][0]["metadata"] == [1, None], result
        conflict = refusal(PastDevError, client.ingest, "Ed rows.", **once)
        assert (conflict.status, conflict.code) == (409, "idempotency-conflict"), conflict
    with PastDevClient(api_key=WRONG) as client:
        wrong = refusal(PastDevError, client.check_connection)
        assert (wrong.status, wrong.code) == (401, "unauthorized"), wrong
        assert wrong.request_id.startswith("req_"), wrong


@step
def a_crew_remembers_and_forgets() -> None:
    memory = PastDevMemory(identity="dana", label="From the crew")
    fact = "Dana prefers the window seat."
    record = memory.remember(fact, scope="/travel", categories=["seats"], metadata={"trip": 7})
    settled(record.metadata["ingestion_id"])
    (match,) = memory.recall("Which seat does Dana prefer?")
    assert (match.record.content, match.score) == (fact, 1.0), match
    assert match.record.metadata["source_ids"] == [record.id], match
    assert match.record.metadata["kind"] == "source", match
    (result,) = memory._client.recall("Which seat?", identity="dana")["results"]
    sent = {"trip": 7, "crewai_scope": "/travel", "crewai_categories": ["seats"]}
    assert result["sources"][0]["metadata"] == sent, result
    assert result["sources"][0]["label"] == "From the crew", result
    assert PastDevMemory(identity="erin").recall("Which seat does Dana prefer?") == []
    assert memory.forget(record_ids=[record.id, "unknown"]) == 1
    assert memory.forget(record_ids=[record.id]) == 0
    assert memory.recall("Which seat does Dana prefer?") == []
    memory.close()


@step
def an_agent_uses_the_tools() -> None:
    note, recall = PastDevIngestTool(identity="fay"), PastDevRecallTool(identity="fay", limit=3)
    assert recall._run("What does Fay grow?") == "past dev found no relevant memories."
    assert note._run("Fay grows tomatoes.").startswith("Ingested into past dev (source id crewai-")
    found, end = "", time.monotonic() + 60
    while "tomatoes" not in found:
        assert time.monotonic() < end, found
        found = recall._run("What does Fay grow?")
    assert found.startswith("past dev recalled 1 memories"), found
    assert note._run("Fay grows tomatoes.").startswith("past dev already has this content"), found
    refused = PastDevRecallTool(identity="fay", api_key=WRONG)._run("What does Fay grow?")
    assert "unauthorized (HTTP 401)" in refused, refused
    assert "[request id req_" in refused, refused


if __name__ == "__main__":
    steps[sys.argv[1]]()
    assert not went_out, went_out
