"""Questions become requests: all of them, in order, within the limits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.encoders.decision.packing import MAX_QUESTIONS, Request, pack
from recalld.encoders.decision.wire import WIRES, Wire, encoded
from recalld.encoders.protocols import Question
from recalld.encoders.token_counter import O200kTokenCounter

counter = O200kTokenCounter()
wires = st.sampled_from([wire(None) for wire in WIRES.values()])
texts = st.text(max_size=60) | st.integers(0, 60).map("word ".__mul__)
asked = st.lists(st.builds(Question, texts, st.dictionaries(st.sampled_from(["memory", "other"]), texts)))


def tokens(wire: Wire, request: Request) -> int:
    return counter.count(encoded(wire.body(*request)))


@given(wire=wires, state=texts, questions=asked, limit=st.integers(40, 400))
def test_every_question_travels_once_and_in_order(
    wire: Wire, state: str, questions: list[Question], limit: int
) -> None:
    requests = pack(state, questions, wire, counter, limit)
    travelling = [ask for request in requests for ask in request.asks]
    assert [ask.question for ask in travelling] == questions
    assert [ask.id for ask in travelling] == [f"m{slot}" for slot in range(len(questions))]
    assert all(request.asks and request.state == state for request in requests)


@given(wire=wires, state=texts, questions=asked, limit=st.integers(40, 400))
def test_only_a_question_alone_may_exceed_the_token_limit(
    wire: Wire, state: str, questions: list[Question], limit: int
) -> None:
    for request in pack(state, questions, wire, counter, limit):
        assert len(request.asks) == 1 or tokens(wire, request) <= limit


@given(wire=wires, count=st.integers(0, 2 * MAX_QUESTIONS + 1))
def test_short_questions_fill_requests_up_to_the_question_limit(wire: Wire, count: int) -> None:
    requests = pack("", [Question("true?", {})] * count, wire, counter, 10**9)
    full, rest = divmod(count, MAX_QUESTIONS)
    assert [len(request.asks) for request in requests] == [MAX_QUESTIONS] * full + [rest] * (rest > 0)


@given(count=st.integers(2, 50))
def test_halves_are_the_whole(count: int) -> None:
    (whole,) = pack("state", [Question("true?", {})] * count, WIRES["openai"](None), counter, 10**9)
    first, second = whole.halves()
    assert first.asks + second.asks == whole.asks
    assert first.state == second.state == whole.state
    assert 0 <= len(second.asks) - len(first.asks) <= 1


@pytest.mark.parametrize("provider", WIRES)
def test_a_request_is_filled_before_the_next_begins(provider: str) -> None:
    wire = WIRES[provider](None)
    requests = pack("state", [Question("true?", {"memory": "word " * 50})] * 100, wire, counter, 2000)
    assert all(tokens(wire, request) > 1800 for request in requests[:-1])


def test_text_beyond_ascii_is_counted_and_sent_as_itself() -> None:
    (request,) = pack("état", [Question("真?", {})], WIRES["typesafe"](None), counter, 1000)
    body = encoded(WIRES["typesafe"](None).body(*request))
    assert "état" in body
    assert "真" in body
    assert json.loads(body)["state"] == "état"
