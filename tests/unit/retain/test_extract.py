"""What a model is asked about a chunk, and what is made of its answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonschema
import pytest

from recalld.domain.banks import BankConfig
from recalld.domain.documents import Chunk
from recalld.domain.memory import FactType
from recalld.encoders.protocols import AnswerTooLong, ChatUsage, Completion, EncoderFailed
from recalld.encoders.token_counter import O200kTokenCounter
from recalld.retain.documents import Piece
from recalld.retain.extract.answer import Extracted, read_facts
from recalld.retain.extract.dates import UNDATED, read_span
from recalld.retain.extract.extractor import Extraction
from recalld.retain.extract.modes import Mode, _note, chunk_size, mode_of
from recalld.retain.extract.request import request_of, schema_of
from recalld.retain.facts import APART, found_facts
from recalld.retain.types import RetainItem

SAID = datetime(2026, 9, 1, 8, 30, tzinfo=UTC)
ITEM = RetainItem("text", "d", SAID, context="a chat", entities=("Alice",))
CONFIG = BankConfig(has_language_model=True, retain_extraction_mode="concise")


def fact(what: str = "Alice moved to Berlin.", **fields: Any) -> dict[str, Any]:
    """A fact as a model writes it."""
    plain: dict[str, Any] = {
        **dict.fromkeys(("when", "where", "who", "why"), "N/A"),
        "what": what,
        "fact_kind": "event",
        "occurred_start": None,
        "occurred_end": None,
        "fact_type": "world",
        "entities": [],
        "causal_relations": [],
    }
    return {**plain, **fields}


def read(*facts: Any, mode: Mode = Mode.CONCISE) -> list[Extracted]:
    return read_facts(mode, {"facts": list(facts)})


def cause(index: Any, kind: str = "caused_by") -> dict[str, Any]:
    return {"target_index": index, "relation_type": kind}


def test_a_request_says_what_is_known_of_the_text() -> None:
    request = request_of("Moved yesterday.", ITEM, CONFIG)
    assert json.loads(request.user) == {
        "date": "Tuesday, 2026-09-01T08:30+00:00",
        "context": "a chat",
        "names": ["Alice"],
        "text": "Moved yesterday.",
    }
    bare = json.loads(request_of("x", RetainItem("x", "d", None), CONFIG).user)
    assert (bare["date"], bare["context"], bare["names"]) == ("unknown", "unknown", [])


def test_the_mission_and_the_rules_of_the_bank_are_told() -> None:
    config = CONFIG.override(
        {"retain_mission": " Watch $prices. ", "retain_custom_instructions": "Only bees."}
    )
    assert "Watch $prices." in request_of("x", ITEM, config).system
    custom = config.override({"retain_extraction_mode": "custom"})
    assert "Only bees." in request_of("x", ITEM, custom).system
    odd = CONFIG.override({"retain_mission": 7, "retain_extraction_mode": "custom"})
    assert "Nothing in particular" in request_of("x", ITEM, odd).system


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.CHUNKS])
def test_a_schema_is_strict_all_the_way_down(mode: Mode) -> None:
    schema = schema_of(mode)
    jsonschema.Draft202012Validator.check_schema(schema)
    objects = [schema, schema["properties"]["facts"]["items"]]
    if mode is not Mode.VERBATIM:
        jsonschema.validate({"facts": [fact(causal_relations=[cause(0)])]}, schema)
        objects.append(objects[1]["properties"]["causal_relations"]["items"])
    for one in objects:
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False


def test_a_text_joins_the_parts_that_say_something() -> None:
    (one,) = read(fact("Alice moved.", when="in May", where="n/a", who="Alice, Bob", why="a new job\x00"))
    assert one.text == "Alice moved. | When: in May | Who: Alice, Bob | Why: a new job"


@pytest.mark.parametrize(
    ("given", "kind"), [("world", "world"), ("assistant", "experience"), ("odd", "world"), (None, "world")]
)
def test_what_the_assistant_did_is_an_experience(given: Any, kind: str) -> None:
    (one,) = read(fact(fact_type=given))
    assert one.fact_type == kind


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2024", None, ("2024-01-01T00:00:00", "2024-12-31T23:59:59.999999")),
        ("2024-02", None, ("2024-02-01T00:00:00", "2024-02-29T23:59:59.999999")),
        ("2024-02-03", None, ("2024-02-03T00:00:00", "2024-02-03T23:59:59.999999")),
        ("2024-02-03", "2024-03", ("2024-02-03T00:00:00", "2024-03-31T23:59:59.999999")),
        ("2024-02-03T10:00:00+02:00", None, ("2024-02-03T08:00:00", "2024-02-03T08:00:00")),
        ("2024-02-03T10:00:00Z", "2024-02-03T12:00:00", ("2024-02-03T10:00:00", "2024-02-03T12:00:00")),
        ("2024-02", "2024-02-01T00:00:00", ("2024-02-01T00:00:00", "2024-02-29T23:59:59.999999")),
        ("2024-05", "2023", ("2024-05-01T00:00:00", "2024-05-31T23:59:59.999999")),
        (None, "2024-02-03", ("2024-02-03T00:00:00", "2024-02-03T23:59:59.999999")),
        ("2024-13", None, None),
        ("2024-02-30", "soon", None),
        ("0001", None, None),
        ("9999-12-31", None, None),
        ("last week", None, None),
        (2024, None, None),
    ],
)
def test_a_date_spans_the_whole_of_what_it_names(start: Any, end: Any, expected: Any) -> None:
    span = read_span(start, end)
    if expected is None:
        assert span == UNDATED
        return
    assert (span.start, span.end) == tuple(datetime.fromisoformat(f"{one}+00:00") for one in expected)


def test_only_events_have_dates() -> None:
    event, trait = read(
        fact(occurred_start="2024-05"), fact(occurred_start="2024-05", fact_kind="conversation")
    )
    assert event.span.start == datetime(2024, 5, 1, tzinfo=UTC)
    assert trait.span == UNDATED


def test_names_are_cleaned() -> None:
    (one,) = read(fact(entities=["Alice", " alice ", "", 7, "New   York"]))
    assert one.entities == ("Alice", "New York")
    (odd,) = read(fact(entities="Alice"))
    assert odd.entities == ()


def test_causes_are_at_most_two_earlier_facts() -> None:
    facts = [fact(f"Fact {i}.") for i in range(4)]
    facts[3]["causal_relations"] = [
        cause(3),
        cause(9),
        cause("0"),
        cause(0, "prevents"),
        *(cause(index) for index in (2, 2, 0, 1)),
    ]
    facts[0]["causal_relations"] = [cause(1), cause(-1), cause(1.0)]
    assert [one.causes for one in read(*facts)] == [(), (), (), (2, 0)]


def test_causes_follow_facts_when_others_are_left_out() -> None:
    found = read(
        fact("One."), fact("..."), "what?", fact("Two.", causal_relations=[cause(0), cause(1), cause(2)])
    )
    assert [(one.text, one.causes) for one in found] == [("One.", ()), ("Two.", (0,))]


def test_no_facts_are_an_answer_but_facts_that_say_nothing_are_not() -> None:
    assert read() == []
    with pytest.raises(EncoderFailed):
        read(fact(""), fact("N/A"), 7)


def test_verbatim_notes_are_one_about_the_whole_text() -> None:
    note = fact(occurred_start="2024-05", entities=["Alice"], fact_type="assistant")
    later = fact(occurred_start="2024-07", entities=["alice", "Bob"], fact_type="assistant")
    (one,) = read(note, later, mode=Mode.VERBATIM)
    assert (one.text, one.fact_type) == (None, FactType.EXPERIENCE)
    assert one.entities == ("Alice", "Bob")
    assert one.span == read_span("2024-05", "2024-07")
    assert read(mode=Mode.VERBATIM) == [Extracted(None)]


def test_facts_of_a_chunk_stand_a_moment_apart_in_its_order() -> None:
    piece = Piece(Chunk("c", 0, "the chunk", 2), ITEM)
    found = [Extracted("One."), Extracted("Two.", entities=("alice", "Bob"), causes=(0,)), Extracted(None)]
    one, two, whole = found_facts(piece, found, O200kTokenCounter())
    assert [fact_.item.timestamp for fact_ in (one, two, whole)] == [SAID, SAID + APART, SAID + 2 * APART]
    assert timedelta(seconds=0.01) == APART
    assert two.item.entities == ("Alice", "Bob")
    assert list(two.links) == [(two.id, one.id, "caused_by")]
    assert (whole.text, whole.token_count) == ("the chunk", 2)
    undated = found_facts(Piece(piece.chunk, RetainItem("x", "d", None)), found, O200kTokenCounter())
    assert {fact_.item.timestamp for fact_ in undated} == {None}


@pytest.mark.parametrize("wanted", [mode for mode in Mode if mode is not Mode.CHUNKS])
def test_d20_a_mode_without_a_model_is_chunks_and_says_so_once(
    wanted: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    _note.cache_clear()
    with caplog.at_level(logging.WARNING):
        config = BankConfig(retain_strategies={"s": {"retain_extraction_mode": str(wanted)}})
        assert [mode_of(config.with_strategy("s")) for _ in range(3)] == [Mode.CHUNKS] * 3
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert mode_of(CONFIG.override({"retain_extraction_mode": str(wanted)})) is wanted


@pytest.mark.parametrize("unknown", ["anything", 7])
def test_an_unknown_mode_is_chunks(unknown: Any) -> None:
    assert mode_of(CONFIG.override({"retain_extraction_mode": unknown})) is Mode.CHUNKS


def test_a_model_reads_more_at_once_unless_the_bank_says_otherwise() -> None:
    assert chunk_size(CONFIG) == 3000
    assert chunk_size(CONFIG.override({"retain_chunk_size": 900})) == 900
    assert chunk_size(CONFIG.override({"retain_chunk_size": 900}).override({})) == 900
    assert chunk_size(CONFIG.override({"retain_extraction_mode": "verbatim"})) == 500
    assert chunk_size(BankConfig(retain_extraction_mode="concise")) == 500


class Terse:
    """A model that can say one thing about at most so many characters."""

    name = "terse"

    def __init__(self, most: int) -> None:
        self.most = most
        self.asked: list[str] = []

    async def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Completion:
        text = json.loads(user)["text"]
        self.asked.append(text)
        if len(text) > self.most:
            raise AnswerTooLong("cut off", ChatUsage(100, 50))
        facts = [fact(f"About {text[:8]}"), fact("And so.", causal_relations=[cause(0)])]
        return Completion({"facts": facts}, ChatUsage(2, 1))

    async def aclose(self) -> None:
        """Nothing is open."""


TEXT = " ".join(f"word{i:04d}" for i in range(222))


async def test_a_chunk_with_too_long_an_answer_is_halved() -> None:
    model = Terse(700)
    extraction = Extraction(model)
    await extraction.read([(TEXT, ITEM, CONFIG), (TEXT, ITEM, CONFIG)])
    found = extraction.facts(TEXT, ITEM, CONFIG)
    assert "".join(text for text in model.asked if len(text) <= 700).replace(" ", "") == TEXT.replace(" ", "")
    assert len(found) > 4
    assert [one.causes for one in found[:4]] == [(), (0,), (), (2,)]
    asked, cut_off = len(model.asked), sum(len(text) > 700 for text in model.asked)
    assert extraction.usage == ChatUsage(len(found) + 100 * cut_off, len(found) // 2 + 50 * cut_off)
    await extraction.read([(TEXT, ITEM, CONFIG)])
    assert len(model.asked) == asked


async def test_halving_ends_at_500_characters() -> None:
    model = Terse(100)
    with pytest.raises(AnswerTooLong):
        await Extraction(model).read([(TEXT, ITEM, CONFIG)])
    assert min(len(text) for text in model.asked) > 400


async def test_a_halved_text_that_is_kept_as_it_is_stays_one() -> None:
    config = CONFIG.override({"retain_extraction_mode": "verbatim"})
    extraction = Extraction(Terse(700))
    await extraction.read([(TEXT, ITEM, config)])
    assert extraction.facts(TEXT, ITEM, config) == [Extracted(None)]
