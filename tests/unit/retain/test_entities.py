"""Which known entity a name means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recalld.domain.names import clean_names
from recalld.retain.entities import resolve_names, sameness
from recalld.retain.types import RetainItem
from recalld.store.queries.similar_entities import SimilarEntity

NOW = datetime(2026, 9, 16, tzinfo=UTC)


def known(name: str, likeness: float, **fields: Any) -> SimilarEntity:
    entity = SimilarEntity("Jonathan Smyth", name, likeness, NOW, ())
    return entity._replace(**fields)


def item(*names: str, **fields: Any) -> RetainItem:
    return RetainItem("x", "d", NOW, entities=names or ("Jonathan Smyth",), **fields)


def resolved(one: SimilarEntity, *names: str, **fields: Any) -> tuple[str, ...]:
    return resolve_names(item(*names, **fields), {one.wanted: [one]}).entities


@pytest.mark.parametrize(
    ("likeness", "days", "expected"),
    [
        (0.8, 0, "Jonathan Smith"),
        (0.79, 0, "Jonathan Smyth"),
        (0.9, 1, "Jonathan Smith"),
        (0.9, 7, "Jonathan Smyth"),
        (0.9, 400, "Jonathan Smyth"),
    ],
)
def test_a_name_alike_enough_and_seen_lately_means_the_known_one(
    likeness: float, days: int, expected: str
) -> None:
    one = known("Jonathan Smith", likeness, last_seen=NOW - timedelta(days=days))
    assert resolved(one) == (expected,)


def test_the_same_company_speaks_for_the_known_one() -> None:
    one = known("Jonathan Smith", 0.7, last_seen=None, companions=("ada", "bob"))
    names = ("Jonathan Smyth", "Ada", "Bob")
    assert sameness(item(*names), one) == pytest.approx(0.65)
    assert resolved(one, *names) == ("Jonathan Smith", "Ada", "Bob")
    assert resolved(one, "Jonathan Smyth", "Eve") == ("Jonathan Smyth", "Eve")


def test_numbers_tell_things_apart() -> None:
    one = SimilarEntity("Release 12", "Release 13", 0.95, NOW, ())
    assert resolved(one, "Release 12") == ("Release 12",)


def test_a_caller_may_mean_names_to_the_letter() -> None:
    assert resolved(known("Jonathan Smith", 1.0), resolve_entities=False) == ("Jonathan Smyth",)


def test_two_names_that_mean_one_thing_become_one() -> None:
    one = known("Jonathan Smith", 0.9)
    assert resolved(one, "Jonathan Smyth", "Jonathan Smith") == ("Jonathan Smith",)


def test_the_best_of_several_is_meant() -> None:
    near, nearer = known("Jon Smyth", 0.85), known("Jonathan Smith", 0.95)
    assert resolve_names(item(), {near.wanted: [near, nearer]}).entities == ("Jonathan Smith",)


def test_names_are_cleaned() -> None:
    assert clean_names([" Ada\n Lovelace ", "ada lovelace", "", "x" * 513]) == ("Ada Lovelace",)
