"""What a document becomes: the diff of an upsert, appending, facts and their index text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.banks import BankConfig
from recalld.domain.documents import StoredDocument, chunk_id, sha256
from recalld.domain.indexing import embedded_text, indexed_text
from recalld.encoders.token_counter import O200kTokenCounter
from recalld.retain.documents import DocumentPlan, append_text, group_by_document, plan_document
from recalld.retain.service import grew, length_batches
from recalld.retain.types import RetainItem, UpdateMode

SIZE = 20
PARTS = st.lists(
    st.sampled_from(["alpha alpha alpha", "beta beta beta b", "gamma gamma gamm", "delta delta delt"]),
    min_size=1,
    max_size=6,
)


def item(content: str, document_id: str = "d", **fields: Any) -> RetainItem:
    return RetainItem(content, document_id, None, **fields)


def planned(*items: RetainItem, stored: StoredDocument | None = None) -> DocumentPlan:
    return plan_document("b", items, stored, BankConfig(retain_chunk_size=SIZE), O200kTokenCounter())


def stored_as(plan: DocumentPlan) -> StoredDocument:
    pieces = {p.chunk.index: (p.chunk.chunk_id, p.chunk.content_hash) for p in (*plan.fresh, *plan.kept)}
    return StoredDocument(plan.draft.content_hash, plan.draft.text, pieces)


@given(PARTS, PARTS)
def test_an_upsert_keeps_equal_chunks_in_their_place_and_replaces_the_rest(
    old: list[str], new: list[str]
) -> None:
    before = stored_as(planned(item("\n\n".join(old))))
    plan = planned(item("\n\n".join(new)), stored=before)
    places = {p.chunk.index: p.chunk.text for p in (*plan.fresh, *plan.kept)}
    assert [places[i] for i in sorted(places)] == new
    same = {i for i in range(min(len(old), len(new))) if old[i] == new[i]}
    assert {p.chunk.index for p in plan.kept} == same
    assert set(plan.stale) == {chunk_id("b", "d", i) for i in range(len(old)) if i not in same}


def test_sending_the_same_again_changes_nothing() -> None:
    text = "first part of it.\n\nsecond part of it."
    plan = planned(item(text), stored=stored_as(planned(item(text))))
    assert (plan.fresh, plan.stale, len(plan.kept)) == ((), (), 2)


def test_appending_joins_by_a_newline_and_arrays_by_their_elements() -> None:
    assert append_text("one", "two") == "one\ntwo"
    assert json.loads(append_text('[{"a": 1}]', '[{"b": 2}]')) == [{"a": 1}, {"b": 2}]
    assert append_text("[1]", '{"b": 2}') == '[1]\n{"b": 2}'


def test_an_append_to_a_new_document_is_its_text() -> None:
    assert planned(item("one", update_mode=UpdateMode.APPEND)).draft.text == "one"


def test_an_append_starts_from_what_is_stored() -> None:
    before = stored_as(planned(item("one")))
    plan = planned(item("two", update_mode=UpdateMode.APPEND), stored=before)
    assert plan.draft.text == "one\ntwo"
    assert plan.base_hash == sha256("one")


def test_items_of_one_document_are_folded_each_with_its_own_chunks() -> None:
    first, second = item("one", tags=("a",), metadata=(("k", "1"),)), item("two", tags=("b", "a"))
    (group,) = group_by_document([first, second])
    plan = planned(*group)
    assert plan.draft.text == "one\ntwo"
    assert plan.draft.tags == ("a", "b")
    assert [(p.chunk.index, p.chunk.text, p.item) for p in plan.fresh] == [
        (0, "one", first),
        (1, "two", second),
    ]


def test_documents_keep_their_order() -> None:
    groups = group_by_document([item("1", "x"), item("2", "y"), item("3", "x")])
    assert [[one.content for one in group] for group in groups] == [["1", "3"], ["2"]]


def test_punctuation_alone_is_kept_but_is_no_fact() -> None:
    plan = planned(item("?!..."))
    assert len(plan.fresh) == 1
    assert plan.facts == ()


def test_d20_names_the_caller_gave_are_embedded_once_and_indexed() -> None:
    (piece,) = planned(item("alice met him", entities=("Alice", "Bob"), context="chat")).fresh
    text, names = piece.chunk.text, piece.item.entities
    assert embedded_text(text, names) == "alice met him (Bob)"
    assert indexed_text(text, piece.item.context, names) == "alice met him\nchat\nAlice\nBob"


def test_every_document_is_embedded_once_shortest_first() -> None:
    plans = [planned(item("x" * 19)), planned(item("y")), planned(item("?"))]
    assert [i for batch in length_batches(plans) for i in batch] == [2, 1, 0]
    assert length_batches([]) == []


def test_the_planner_hears_of_growth_at_powers_of_two() -> None:
    assert [grew(*sizes) for sizes in ((0, 63), (0, 64), (64, 10), (100, 28), (128, 0))] == [
        False,
        True,
        False,
        True,
        False,
    ]
