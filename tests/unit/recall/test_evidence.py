"""Evidence: what a fact rests on, and when a later statement took its place."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from recalld.recall.evidence import evidence_of, superseded_at
from recalld.recall.types import Evidence, SourceEvidence
from recalld.store.queries.evidence import EvidenceRow, LaterStatement
from tests.fixtures.values import memory, observation

EARLY, LATE = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)


def row(id_: str, text: str = "It rains.", **changes: Any) -> EvidenceRow:
    plain = EvidenceRow(id_, text, EARLY, chunk_text=None, document_id=None, label=None, metadata=None)
    return plain._replace(**changes)


def test_a_piece_of_a_document_needs_no_excerpt() -> None:
    own = row("m", chunk_text="It rains.", document_id="d", label="diary", metadata='{"a": 1}')
    assert evidence_of(memory("m"), {"m": own}) == Evidence(
        EARLY, "d", (SourceEvidence("d", EARLY, (), '{"a": 1}', "diary"),)
    )


def test_what_was_derived_cites_the_piece_it_comes_from() -> None:
    own = row("m", chunk_text="It rains, says Ada.", document_id="d")
    assert evidence_of(memory("m"), {"m": own}) == Evidence(
        EARLY, None, (SourceEvidence("d", EARLY, ("It rains, says Ada.",), None, None),)
    )


def test_a_fact_without_a_document_is_its_own_source() -> None:
    found = evidence_of(memory("m"), {"m": row("m")})
    assert found == Evidence(EARLY, None, (SourceEvidence("m", EARLY, (), None, None),))


def test_an_observation_cites_its_facts_by_document_and_date_repeats_too() -> None:
    rows = {
        "o": row("o", "It rained."),
        "1": row("1", document_id="d"),
        "2": row("2", document_id="d"),
        "3": row("3", "It pours.", document_id="d", date=LATE),
        "4": row("4", document_id="c"),
    }
    found = evidence_of(observation("o", "1", "2", "3", "4"), rows)
    assert found is not None
    assert found.piece_of is None
    assert [(one.source_id, one.occurred_at, one.excerpts) for one in found.sources] == [
        ("c", EARLY, ("It rains.",)),
        ("d", EARLY, ("It rains.", "It rains.")),
        ("d", LATE, ("It pours.",)),
    ]


def test_an_observation_that_rests_on_what_is_out_of_sight_is_out_of_sight() -> None:
    rows = {"o": row("o"), "1": row("1")}
    assert evidence_of(observation("o", "1", "2"), rows) is None
    assert evidence_of(observation("o", "1"), {"1": row("1")}) is None


def later(text: str, day: int, fact: str = "m") -> LaterStatement:
    return LaterStatement(fact, "Ada lives in Berlin.", text, datetime(2026, 3, day, tzinfo=UTC))


def test_the_first_later_statement_with_another_value_supersedes() -> None:
    found = superseded_at(
        [
            later("Ada lives in Rome.", 9),
            later("Ada lives in Munich.", 5),
            later("Ada lives in Berlin.", 2),
            later("Ada works in Munich.", 1),
            later("Ada lives in Oslo.", 8, fact="n"),
        ]
    )
    assert found == {"m": datetime(2026, 3, 5, tzinfo=UTC), "n": datetime(2026, 3, 8, tzinfo=UTC)}


def test_the_same_statement_again_supersedes_nothing() -> None:
    assert superseded_at([later("Ada still lives in Berlin.", 5)]) == {}
