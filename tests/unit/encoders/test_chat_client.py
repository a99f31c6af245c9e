"""The client of language models: what it sends, what it mends, when it asks again and when it gives up."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from recalld.encoders.chat.repair import Unusable, read_object
from recalld.encoders.choices import ChatChoice
from recalld.encoders.http import all_of
from recalld.encoders.protocols import AnswerTooLong, ChatUsage, EncoderFailed
from recalld.encoders.registry import chat_model
from tests.fixtures.chat_server import SLOW, ChatServer, Reply, chat_server, no_facts, one_fact
from tests.fixtures.decision_server import DROPPED, KEY, Fault

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
GOOD = Reply('{"facts": ["a"]}')
USED = ChatUsage(10, 5, 3, 2)


@pytest.fixture
async def server() -> AsyncIterator[ChatServer]:
    """A model's server."""
    async with chat_server() as running:
        yield running


async def ask(server: ChatServer, **fields: Any) -> Any:
    model = server.model(**fields)
    try:
        return await model.complete("Find facts.", "Some text.", SCHEMA)
    finally:
        await model.aclose()


async def test_a_good_answer_is_read_and_counted(server: ChatServer) -> None:
    server.bad_days.append(GOOD)
    done = await ask(server)
    assert (done.answer, done.usage) == ({"facts": ["a"]}, USED)
    (seen,) = server.seen
    assert seen.path == "/chat/completions"
    assert seen.body["model"] == "some-model"
    assert [message["role"] for message in seen.body["messages"]] == ["system", "user"]
    assert seen.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert KEY.encode() not in seen.content


@pytest.mark.parametrize(
    "content",
    [
        '```json\n{"facts": ["a"]}\n```',
        'Here you are: {"facts": ["a"]} Anything else?',
        '<think>Is {"facts": []} right?</think>\n{"facts": ["a"]}',
        '{"facts": ["a"',
        '```json\n{"facts": ["a",\n```',
        [{"type": "text", "text": '{"facts": '}, {"type": "text", "text": '["a"]}'}],
    ],
    ids=["fenced", "chatty", "thoughtful", "unclosed", "fenced and unclosed", "in parts"],
)
async def test_an_answer_that_can_be_mended_costs_no_second_question(
    server: ChatServer, content: Any
) -> None:
    server.bad_days.append(Reply(content))
    assert (await ask(server)).answer == {"facts": ["a"]}
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "empty"),
        ("I found one fact.", "no JSON object"),
        ('{"facts": ["a', "valid JSON"),
        ('{"facts": ["a"], "and":', "valid JSON"),
        ('{"facts": "a"}', "'facts' has to be of type array"),
        ('{"truths": []}', "'facts' has to be of type array"),
        ('{"facts": ' + "[" * 100_000, "valid JSON"),
    ],
)
async def test_any_other_answer_is_sent_back_once_with_what_is_wrong(
    server: ChatServer, content: str, why: str
) -> None:
    server.bad_days.extend([Reply(content), GOOD])
    done = await ask(server)
    assert (done.answer, done.usage.input_tokens) == ({"facts": ["a"]}, 20)
    before, told = server.seen[1].body["messages"][2:]
    assert before["role"] == "assistant"
    assert told["role"] == "user"
    assert why in told["content"]


async def test_nonsense_twice_fails(server: ChatServer) -> None:
    server.bad_days.extend([Reply("no"), Reply("still no")])
    with pytest.raises(EncoderFailed, match="no usable answer"):
        await ask(server)
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    "reply", [Reply("", refusal="I would rather not."), Reply("...", finish="content_filter")]
)
async def test_a_refusal_fails_at_once(server: ChatServer, reply: Reply) -> None:
    server.bad_days.append(reply)
    with pytest.raises(EncoderFailed, match="refused"):
        await ask(server)
    assert len(server.seen) == 1


async def test_an_answer_cut_off_by_the_model_says_so(server: ChatServer) -> None:
    server.bad_days.append(Reply('{"facts": ["a"', finish="length"))
    with pytest.raises(AnswerTooLong) as raised:
        await ask(server)
    assert raised.value.usage == USED


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_failures_are_tried_again(server: ChatServer, status: int) -> None:
    server.bad_days.extend([Fault(status, headers={"Retry-After": "1"}), DROPPED, GOOD])
    assert (await ask(server)).answer == {"facts": ["a"]}
    assert len(server.seen) == 3


async def test_lasting_failures_are_not(server: ChatServer) -> None:
    with pytest.raises(EncoderFailed, match="answered 401") as raised:
        await ask(server, api_key="sk-another")
    assert "sk-another" not in str(raised.value)
    assert len(server.seen) == 1


async def test_a_model_that_stays_silent_is_given_up(server: ChatServer) -> None:
    server.bad_days.extend([SLOW] * 5)
    with pytest.raises(EncoderFailed, match="did not answer within"):
        await ask(server, timeout=0.05)


@pytest.mark.parametrize("format_", ["json_object", "text"])
async def test_an_endpoint_without_schemas_is_asked_in_its_own_way(server: ChatServer, format_: str) -> None:
    server.formats = (format_,)
    server.mind = one_fact
    model = server.model()
    for _ in range(2):
        assert (await model.complete("Find facts.", "Some text.", SCHEMA)).answer == {"facts": ["a"]}
    await model.aclose()
    formats = [seen.body.get("response_format", {"type": "text"})["type"] for seen in server.seen]
    assert formats[-2:] == [format_, format_]
    assert formats[0] == "json_schema"
    assert len(formats) == {"json_object": 3, "text": 4}[format_]
    assert json.dumps(SCHEMA) in server.systems[-1]


async def test_a_request_refused_in_every_format_fails(server: ChatServer) -> None:
    server.formats = ()
    with pytest.raises(EncoderFailed, match="answered 400"):
        await ask(server)
    assert len(server.seen) == 3


async def test_no_more_requests_are_under_way_than_allowed(server: ChatServer) -> None:
    server.mind = no_facts
    model = server.model(max_concurrent=2)
    await all_of(model.complete("Find facts.", f"Text {i}.", SCHEMA) for i in range(8))
    await model.aclose()
    assert server.most_in_flight == 2


@pytest.mark.parametrize("reply", [b"[]", b'{"choices": []}', b'{"choices": [{"message": "hello"}]}', b"<p>"])
async def test_something_other_than_a_completion_fails(server: ChatServer, reply: bytes) -> None:
    server.bad_days.append(Fault(200, reply))
    with pytest.raises(EncoderFailed):
        await ask(server)


async def test_usage_that_is_not_told_counts_nothing(server: ChatServer) -> None:
    reply = {"choices": [{"message": {"content": '{"facts": []}'}}], "usage": {"prompt_tokens": "many"}}
    server.bad_days.append(Fault(200, json.dumps(reply).encode()))
    assert (await ask(server)).usage == ChatUsage()


def test_brackets_in_strings_are_text() -> None:
    assert read_object('x {"facts": ["}]", "\\"{"]} y', SCHEMA) == {"facts": ["}]", '"{']}
    with pytest.raises(Unusable):
        read_object("]}", SCHEMA)


async def test_a_model_at_an_address_of_its_own_needs_a_name() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        chat_model(ChatChoice(url="http://localhost:1"))
    model = chat_model(ChatChoice())
    assert model.name == "gpt-5-mini"
    await model.aclose()
