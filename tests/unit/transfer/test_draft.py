"""What an archive leaves open is filled in, and what is the same is known for it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from recalld.transfer.contents import Document, InvalidatedFact
from recalld.transfer.draft import (
    FACT,
    Whole,
    causal_links,
    fingerprint,
    other_ids,
    set_aside_rows,
    unit_id,
    whole,
)
from recalld.transfer.guards import USUAL
from recalld.transfer.service import ImportWish, check_wish
from tests.fixtures.values import NOW


def document(*facts: dict[str, Any], **fields: Any) -> Document:
    return Document.model_validate({"id": "d", "facts": [{"text": "x", **fact} for fact in facts], **fields})


def filled(*facts: dict[str, Any], **fields: Any) -> Whole:
    return whole(document(*facts, **fields), (), keeps_text=True)


def test_tags_of_the_document_are_those_of_facts_that_name_none() -> None:
    facts = filled({}, {"tags": None}, {"tags": []}, {"tags": ["b"]}, tags=["a"]).document.facts
    assert [fact.tags for fact in facts] == [["a"], ["a"], [], ["b"]]


def test_without_chunks_each_fact_is_one() -> None:
    made = filled({"text": "one", "chunk_index": 7}, {"text": "two"}).document
    assert [(chunk.chunk_index, chunk.chunk_text) for chunk in made.chunks] == [(0, "one"), (1, "two")]
    assert [fact.chunk_index for fact in made.facts] == [0, 1]


def test_a_chunk_that_is_not_there_is_none() -> None:
    chunks = [{"chunk_index": 3, "chunk_text": "t"}]
    facts = filled({"chunk_index": 3}, {"chunk_index": 4}, {}, chunks=chunks).document.facts
    assert [fact.chunk_index for fact in facts] == [3, None, None]


def test_metadata_is_its_own_or_that_of_the_first_item() -> None:
    params = {"metadata": {"a": "b", "n": 1}}
    assert filled(retain_params=params).document.metadata == {"a": "b"}
    assert filled(retain_params=params, metadata={}).document.metadata == {}


@pytest.mark.parametrize(
    "other",
    [
        filled(
            {"text": "b"}, {"text": "a", "source_id": "1", "created_at": "2026-01-01", "entities": ["ADA"]}
        ),
        filled({"text": "b"}, {"text": "a", "entities": ["Ada", "ada "], "event_date": "2020-01-01"}),
    ],
)
def test_ids_order_and_age_make_no_difference(other: Whole) -> None:
    one = filled({"text": "a", "entities": ["Ada"]}, {"text": "b"})
    chunks = {"chunks": one.document.chunks}
    same = [fact.model_copy(update={"chunk_index": 0}) for fact in one.document.facts]
    theirs = [fact.model_copy(update={"chunk_index": 0}) for fact in other.document.facts]
    made = Whole(one.document.model_copy(update={"facts": same, **chunks}))
    found = Whole(other.document.model_copy(update={"facts": theirs, **chunks}))
    assert fingerprint(made) == fingerprint(found)


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ["t"]},
        {"metadata": {"a": "b"}},
        {"original_text": "text"},
        {"retain_params": {"context": "c"}},
    ],
)
def test_but_what_is_said_of_the_document_does(fields: dict[str, Any]) -> None:
    assert fingerprint(filled({}, **fields)) != fingerprint(filled({}))


@pytest.mark.parametrize(
    "fact",
    [
        {"text": "y"},
        {"fact_type": "experience"},
        {"context": "c"},
        {"occurred_start": "2026-01-01"},
        {"tags": ["t"]},
        {"metadata": {"a": "b"}},
        {"entities": ["Ada"]},
        {"observation_scopes": "shared"},
    ],
)
def test_and_what_is_said_of_a_fact(fact: dict[str, Any]) -> None:
    assert fingerprint(filled(fact, {})) != fingerprint(filled({}, {}))


def test_and_which_way_a_link_goes() -> None:
    def linked(*targets: int) -> Whole:
        relations = [{"relation_type": "causes", "target_fact_index": i} for i in targets]
        return filled({"text": "a", "causal_relations": relations}, {"text": "b"}, {"text": "c"})

    assert len({fingerprint(linked(*targets)) for targets in [(), (1,), (2,), (1, 2)]}) == 4
    assert fingerprint(linked(1, 2)) == fingerprint(linked(2, 1))


def test_ids_are_the_same_each_time_and_in_the_order_of_the_facts() -> None:
    seed = uuid4()
    ids = [unit_id(seed, "d", FACT, place) for place in range(1000)]
    assert ids == sorted(ids)
    assert ids == [unit_id(seed, "d", FACT, place) for place in range(1000)]
    assert {id_.version for id_ in ids} == {8}
    assert not set(ids) & {unit_id(seed, "e", FACT, place) for place in range(1000)}
    assert not set(ids) & {unit_id(uuid4(), "d", FACT, place) for place in range(1000)}


def test_another_id_is_always_the_same_for_the_same_document() -> None:
    mark = fingerprint(filled({}))
    assert next(other_ids("d", mark)) == next(other_ids("d", mark))
    assert len(set(other_ids("d", mark))) == 100
    assert next(other_ids("e", mark)) != next(other_ids("d", mark))


def test_a_fact_is_not_linked_to_itself() -> None:
    relations = [{"relation_type": "causes", "target_fact_index": i} for i in (0, 1, 1)]
    one = filled({"causal_relations": relations}, {})
    ids = [uuid4(), uuid4()]
    assert causal_links(one, ids) == {(ids[0], ids[1], "causes")}


def test_links_of_facts_set_aside_lead_to_the_new_ids() -> None:
    def edge(start: str, end: str) -> dict[str, Any]:
        return {"from_unit": start, "to_unit": end, "link_type": "enables", "weight": 0.5}

    edges = [
        edge("1", "gone"),
        edge("other", "2"),
        edge("1", "2"),
        edge("gone", "gone"),
        edge("gone", "other"),
        {"of": "another server"},
    ]
    aside = [
        InvalidatedFact.model_validate({"text": "x", "causal_links": edges}),
        InvalidatedFact.model_validate({"text": "y", "id": "other"}),
    ]
    one = whole(document({"source_id": "1"}, {"source_id": "2"}), aside, keeps_text=True)
    ids = [uuid4(), uuid4()]
    first, second = set_aside_rows(one, ("b", "d"), uuid4(), ids, NOW)
    link = {"kind": "enables", "weight": 0.5}
    assert first["causal_links"] == [
        {**link, "other": str(ids[0]), "outward": False},
        {**link, "other": str(second["id"]), "outward": True},
    ]
    assert (first["invalidated_at"], first["chunk_id"], second["causal_links"]) == (NOW, None, [])


def test_the_usual_wish_is_fine() -> None:
    check_wish(ImportWish())
    check_wish(ImportWish("merge", "new-id"))
    assert USUAL.members == 100_000
