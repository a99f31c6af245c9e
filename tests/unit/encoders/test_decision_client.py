"""The client of decision models against a server that speaks their formats, and fails."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from email.utils import formatdate
from typing import Any

import pytest

from recalld.encoders.decision.client import DecisionEndpoint, RequestTooLong
from recalld.encoders.decision.wire import WIRES
from recalld.encoders.protocols import DecisionModel, EncoderFailed, Question
from recalld.encoders.registry import decision_model, token_counter
from recalld.encoders.retry import RetryPolicy, retry_after
from tests.fixtures.decision_server import (
    DROPPED,
    KEY,
    DecisionServer,
    Fault,
    Judge,
    Verdict,
    decision_server,
)

STATE = "Question: where does Alice live?"
QUESTIONS = [Question("Does it help?", {"memory": f"fact {n}"}) for n in range(4)]
PROVIDERS = list(WIRES)


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DecisionServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with decision_server() as running:
        yield running


async def ask(
    server: DecisionServer, questions: list[Question], provider: str = "typesafe", **fields: Any
) -> list[float | None]:
    async with aclosing(decision_model(server.endpoint(provider, **fields), token_counter())) as model:
        return await model.likelihoods(STATE, questions)


def by_memory(say: Callable[[str], object]) -> Judge:
    """A judge that looks at the memory alone."""

    def judge(state: str, task: str, parts: dict[str, str]) -> object:
        return say(parts["memory"])

    return judge


def number(memory: str) -> float:
    """``fact 3`` is 0.03 likely."""
    return int(memory.split()[1]) / 100


def facts(count: int, words: int = 0) -> list[Question]:
    return [Question("Does it help?", {"memory": f"fact {n}" + " word" * words}) for n in range(count)]


class Pauses:
    """A sleep that only takes notes."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


class TestFormats:
    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_answers_align_with_the_questions(self, server: DecisionServer, provider: str) -> None:
        server.judge = by_memory(number)
        assert await ask(server, QUESTIONS, provider) == [0.0, 0.01, 0.02, 0.03]

    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_the_judge_is_told_everything(self, server: DecisionServer, provider: str) -> None:
        told: list[tuple[str, str, dict[str, str]]] = []

        def judge(state: str, task: str, parts: dict[str, str]) -> int:
            told.append((state, task, parts))
            return 1

        server.judge = judge
        parts = {"memory": "Alice a dit « Lyon »", "other": "a line\nand \0 a 漢字"}
        assert await ask(server, [Question("Same fact?", parts)], provider) == [1.0]
        assert told == [(STATE, "Same fact?", parts)]

    @pytest.mark.parametrize(
        ("provider", "path", "model"),
        [
            ("typesafe", "/v1/systemone", "jev-latest"),
            ("cloudflare", "/@cf/cloudflare/clef", "clef"),
        ],
    )
    async def test_questions_of_typesafe_and_cloudflare_are_keyed_by_id(
        self, server: DecisionServer, provider: str, path: str, model: str
    ) -> None:
        await ask(server, QUESTIONS[:2], provider)
        (seen,) = server.seen
        assert seen.path == path
        assert seen.body == {
            "model": model,
            "state": STATE,
            "questions": {
                "m0": {"type": "noul", "instructions": {"task": "Does it help?", "memory": "fact 0"}},
                "m1": {"type": "noul", "instructions": {"task": "Does it help?", "memory": "fact 1"}},
            },
        }

    async def test_questions_of_openai_are_a_list(self, server: DecisionServer) -> None:
        await ask(server, QUESTIONS[:1], "openai")
        (seen,) = server.seen
        (question,) = seen.body["questions"]
        assert seen.path == "/v1/decisions"
        assert seen.body.keys() == {"model", "input", "questions"}
        assert (seen.body["model"], seen.body["input"]) == ("gpt-6-luna", STATE)
        assert (question["type"], question["name"]) == ("predicate", "m0")
        assert json.loads(question["instructions"]) == {"task": "Does it help?", "memory": "fact 0"}

    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_the_key_travels_as_a_bearer_token(self, server: DecisionServer, provider: str) -> None:
        await ask(server, QUESTIONS, provider)
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.seen[0].headers["content-type"] == "application/json"

    async def test_without_a_key_no_header_is_sent(self, server: DecisionServer) -> None:
        with pytest.raises(EncoderFailed, match="401"):
            await ask(server, QUESTIONS, api_key=None)
        assert "authorization" not in server.seen[0].headers

    async def test_a_given_model_is_asked_for(self, server: DecisionServer) -> None:
        await ask(server, QUESTIONS, "cloudflare", model="bass", base_url=server.url + "/")
        assert server.seen[0].path == "/@cf/cloudflare/bass"
        assert server.seen[0].body["model"] == "bass"

    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_lone_surrogates_are_sent_as_question_marks(
        self, server: DecisionServer, provider: str
    ) -> None:
        server.judge = by_memory(lambda memory: memory == "caf? ok" and 1)
        assert await ask(server, [Question("Help?", {"memory": "caf\ud83d ok"})], provider) == [1.0]

    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_nothing_is_asked_about_nothing(self, server: DecisionServer, provider: str) -> None:
        assert await ask(server, [], provider) == []
        assert not server.seen


class TestAnswers:
    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_issue_5715_an_unanswered_question_is_never_no(
        self, server: DecisionServer, provider: str
    ) -> None:
        server.judge = by_memory(lambda m: Verdict.UNANSWERED if m == "fact 1" else number(m))
        assert await ask(server, QUESTIONS, provider) == [0.0, None, 0.02, 0.03]

    @pytest.mark.parametrize("provider", PROVIDERS)
    @pytest.mark.parametrize(
        "said", [math.nan, math.inf, -0.1, 1.5, "yes", "0.5", True, None, [0.5], 10**400]
    )
    async def test_an_unusable_number_is_no_answer(
        self, server: DecisionServer, provider: str, said: object
    ) -> None:
        server.judge = by_memory(lambda memory: said if memory == "fact 1" else 1)
        assert await ask(server, QUESTIONS[:3], provider) == [1.0, None, 1.0]

    async def test_answers_to_other_questions_are_ignored(self, server: DecisionServer) -> None:
        server.faults.append(Fault(200, b'{"answers": {"m9": {"noul": 1}, "m1": {"noul": 0.25}, "m0": 1}}'))
        assert await ask(server, QUESTIONS[:2]) == [None, 0.25]

    async def test_odd_members_of_an_answer_list_are_ignored(self, server: DecisionServer) -> None:
        odd = (
            b'{"answers": [7, null, {"name": ["m0"], "probability": 1}, {"name": "m1", "probability": 0.25}]}'
        )
        server.faults.append(Fault(200, odd))
        assert await ask(server, QUESTIONS[:2], "openai") == [None, 0.25]

    async def test_a_refusal_fails(self, server: DecisionServer) -> None:
        server.judge = by_memory(lambda memory: Verdict.REFUSED if memory == "fact 2" else 1)
        with pytest.raises(EncoderFailed, match="refused"):
            await ask(server, QUESTIONS, "openai")

    @pytest.mark.parametrize("provider", PROVIDERS)
    @pytest.mark.parametrize(
        "body",
        [b"", b"<html>", b"\xff", b"[]", b"7", b"{}", b'{"answers": 7}', b'{"result": {}}', b"[" * 100_000],
    )
    async def test_a_malformed_answer_fails_and_is_not_asked_for_again(
        self, server: DecisionServer, provider: str, body: bytes
    ) -> None:
        server.faults.append(Fault(200, body))
        with pytest.raises(EncoderFailed):
            await ask(server, QUESTIONS, provider)
        assert len(server.seen) == 1


class TestLength:
    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_many_questions_travel_in_several_requests(
        self, server: DecisionServer, provider: str
    ) -> None:
        server.judge = by_memory(number)
        found = await ask(server, facts(90, words=60), provider, max_request_tokens=1000)
        assert found == [n / 100 for n in range(90)]
        assert len(server.seen) > 5
        assert all(token_counter().count(seen.content.decode()) <= 1000 for seen in server.seen)

    @pytest.mark.parametrize("provider", PROVIDERS)
    async def test_issue_5715_a_request_too_long_is_halved_until_it_fits(
        self, server: DecisionServer, provider: str
    ) -> None:
        server.judge = by_memory(number)
        server.max_body = 600
        assert await ask(server, facts(50), provider) == [n / 100 for n in range(50)]
        assert len(server.seen[0].asked) == 50
        assert sorted(len(seen.asked) for seen in server.seen[1:3]) == [25, 25]

    async def test_a_413_that_names_the_reason_is_halved_too(self, server: DecisionServer) -> None:
        server.faults.append(Fault(413, b"max_tokens_exceeded"))
        assert await ask(server, QUESTIONS) == [0.5] * 4
        assert len(server.seen) == 3

    async def test_halving_works_with_one_request_at_a_time(self, server: DecisionServer) -> None:
        server.max_body = 600
        assert await ask(server, facts(50), max_concurrent=1) == [0.5] * 50
        assert server.most_in_flight == 1

    async def test_issue_5715_a_question_too_long_by_itself_fails(self, server: DecisionServer) -> None:
        server.max_body = 600
        with pytest.raises(RequestTooLong, match="max_tokens_exceeded"):
            await ask(server, [*facts(3), Question("Does it help?", {"memory": "word " * 200})])

    async def test_another_400_is_not_halved(self, server: DecisionServer) -> None:
        server.faults.append(Fault(400, b"no such model"))
        with pytest.raises(EncoderFailed, match="typesafe/jev-latest answered 400: no such model"):
            await ask(server, QUESTIONS)
        assert len(server.seen) == 1


class TestPassingFailures:
    @pytest.mark.parametrize(
        "fault", [*(Fault(s) for s in (408, 409, 425, 429, 500, 502, 503, 504, 507)), DROPPED], ids=repr
    )
    async def test_issue_4134_a_passing_failure_is_not_fatal(
        self, server: DecisionServer, fault: Fault
    ) -> None:
        server.faults.append(fault)
        assert await ask(server, QUESTIONS) == [0.5] * 4
        assert len(server.seen) == 2

    @pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 422])
    async def test_a_lasting_failure_is_not_tried_again(self, server: DecisionServer, status: int) -> None:
        server.faults.append(Fault(status, headers={"Location": server.url}))
        with pytest.raises(EncoderFailed, match=f"answered {status}"):
            await ask(server, QUESTIONS)
        assert len(server.seen) == 1

    async def test_pauses_double_and_vary_by_a_fifth(self, server: DecisionServer) -> None:
        pauses = Pauses()
        server.faults.extend([Fault(500)] * 7)
        with pytest.raises(EncoderFailed, match="answered 500"):
            await ask(server, QUESTIONS, retry=RetryPolicy(retries=6, sleep=pauses, budget=100))
        assert len(server.seen) == 7
        for taken, expected in zip(pauses.taken, [0.5, 1, 2, 4, 4, 4], strict=True):
            assert 0.8 * expected <= taken <= 1.2 * expected

    async def test_the_fifth_failure_is_final(self, server: DecisionServer) -> None:
        server.faults.extend([DROPPED] * 5)
        with pytest.raises(EncoderFailed, match="cannot be reached"):
            await ask(server, QUESTIONS)
        assert len(server.seen) == 5

    @pytest.mark.parametrize(("asked", "least", "most"), [("3", 3, 3), ("3600", 4, 4), ("0", 0.4, 0.6)])
    async def test_the_server_may_ask_for_a_longer_pause(
        self, server: DecisionServer, asked: str, least: float, most: float
    ) -> None:
        pauses = Pauses()
        server.faults.append(Fault(429, headers={"Retry-After": asked}))
        await ask(server, QUESTIONS, retry=RetryPolicy(sleep=pauses))
        (taken,) = pauses.taken
        assert least <= taken <= most

    async def test_a_pause_beyond_the_budget_is_not_begun(self, server: DecisionServer) -> None:
        server.faults.append(Fault(429, headers={"Retry-After": "3"}))
        with pytest.raises(EncoderFailed, match="answered 429"):
            await ask(server, QUESTIONS, retry=RetryPolicy(budget=3))
        assert len(server.seen) == 1

    async def test_a_server_that_does_not_answer_in_time_fails(self, server: DecisionServer) -> None:
        server.gate.clear()
        with pytest.raises(EncoderFailed, match=r"did not answer within 0.05 s"):
            await ask(server, QUESTIONS, timeout=0.05, retry=RetryPolicy(retries=0))

    async def test_a_server_that_is_not_there_fails(self, server: DecisionServer) -> None:
        with pytest.raises(EncoderFailed, match="cannot be reached"):
            await ask(server, QUESTIONS, base_url="http://127.0.0.1:9")

    @pytest.mark.parametrize(
        "header", [None, "", "soon", "-5", "Thu, 99 Foo", "Thu, 01 Jan 1970 00:00:00 GMT"]
    )
    def test_a_retry_after_that_says_nothing_asks_for_no_pause(self, header: str | None) -> None:
        assert retry_after(header) <= 0

    def test_a_retry_after_may_be_a_date(self) -> None:
        header = formatdate(time.time() + 10_000, usegmt=True)
        assert 0 < retry_after(header) <= 10_000


class TestConcurrency:
    async def test_no_more_requests_at_once_than_allowed_whoever_asks(self, server: DecisionServer) -> None:
        server.gate.clear()
        endpoint = server.endpoint(max_request_tokens=1000, max_concurrent=3)
        async with aclosing(decision_model(endpoint, token_counter())) as model:
            callers = [asyncio.create_task(model.likelihoods(STATE, facts(60, 60))) for _ in range(2)]
            await server.until(lambda it: it.in_flight == 3)
            server.gate.set()
            assert await asyncio.gather(*callers) == [[0.5] * 60] * 2
        assert server.most_in_flight == 3
        assert len(server.seen) > 6

    async def test_the_first_failure_ends_the_other_requests(self, server: DecisionServer) -> None:
        server.gate.clear()
        endpoint = server.endpoint(max_request_tokens=1000)
        async with aclosing(decision_model(endpoint, token_counter())) as model:
            failing = asyncio.create_task(model.likelihoods(STATE, [*facts(30, 60), Question("", {})]))
            server.faults.append(Fault(403))
            with pytest.raises(EncoderFailed, match="answered 403"):
                await failing
            await server.until(lambda it: it.abandoned == len(it.seen) - 1)

    async def test_issue_5722_a_cancelled_caller_hangs_up(self, server: DecisionServer) -> None:
        server.gate.clear()
        endpoint = server.endpoint(max_request_tokens=1000)
        async with aclosing(decision_model(endpoint, token_counter())) as model:
            caller = asyncio.create_task(model.likelihoods(STATE, facts(30, 60)))
            await server.until(lambda it: it.in_flight > 1)
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
            await server.until(lambda it: it.in_flight == 0)
            assert server.abandoned == len(server.seen)
            server.gate.set()
            assert await model.likelihoods(STATE, QUESTIONS) == [0.5] * 4


class TestSecrets:
    async def test_the_key_is_in_no_message(self, server: DecisionServer) -> None:
        with pytest.raises(EncoderFailed, match="no such key") as refused:
            await ask(server, QUESTIONS, api_key="sk-another-key")
        assert "sk-another-key" not in str(refused.value)
        assert KEY not in repr(server.endpoint())

    @pytest.mark.parametrize("key", ["sk\n", " sk", "sk-é", "two words"])
    def test_a_key_no_header_may_hold_is_not_repeated(self, key: str) -> None:
        with pytest.raises(ValueError, match="API key") as refused:
            DecisionEndpoint("typesafe", key)
        assert key not in str(refused.value)


class TestEndpoint:
    @pytest.mark.parametrize(
        ("provider", "name", "address"),
        [
            ("typesafe", "typesafe/jev-latest", "https://api.typesafe.ai"),
            ("openai", "openai/gpt-6-luna", "https://api.openai.com"),
        ],
    )
    async def test_defaults(self, provider: str, name: str, address: str) -> None:
        endpoint = DecisionEndpoint(provider)
        async with aclosing(decision_model(endpoint, token_counter())) as closing:
            model: DecisionModel = closing
            assert model.name == name
        assert endpoint.address == address
        assert (endpoint.timeout, endpoint.max_concurrent, endpoint.max_request_tokens) == (60, 24, 26_000)

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"provider": "oracle"}, "'oracle'.*typesafe, cloudflare, openai"),
            ({"provider": "cloudflare"}, "'cloudflare' needs a base URL"),
            ({"base_url": "api.typesafe.ai"}, "http"),
            ({"timeout": 0}, "timeout"),
            ({"max_concurrent": 0}, "concurrent"),
            ({"max_request_tokens": 999}, "1000 tokens"),
        ],
    )
    def test_what_cannot_work_is_said_at_once(self, fields: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            DecisionEndpoint(**{"provider": "typesafe", **fields})
