"""What was promised about recall, and the tests that keep it; a promise without a test fails here.

Numbers of issues, defects (F) and decisions (D) are those of the specification. Some sharp edges belong
to parts of the reference server that this one does not have. Their tests hold the nearest behaviour:

======================================  ==============================================================
there                                   here
======================================  ==============================================================
#4696 partial scores over the deadline  the fused order, marked: a mixture of two scales is no order
#4901 rank-position rerankers           the decision model; there is no failover to it or from it
#4599 listwise finals                   what the cross-encoder did not read keeps its order behind
#3882 five keyword backends, Oracle     one backend, with the same floor
#4313 the tokenizer of pg_search        our own words: no punctuation, each once
#3166 a configurable dictionary         one dictionary, set on every connection
#5448 validators of extensions          any failure raised on purpose keeps its status
#4442 a cache of banks                  no cache: another server's deletion is seen at once
F24 a replica                           one database: a new bank is seen at once
======================================  ==============================================================
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Kept:
    """How the names of its tests begin, or why there are none."""

    tests: tuple[str, ...] = ()
    reason: str = ""


def issues(*numbers: int) -> Kept:
    return Kept(tuple(f"test_issue_{number}_" for number in numbers))


DEFECTS = {f"F{number}": Kept((f"test_f{number}_",)) for number in range(1, 28)}

DECISIONS = {f"D{number}": Kept((f"test_d{number}_",)) for number in range(1, 25)}

SHARP_EDGES = {
    1: issues(1384),
    2: issues(1875),
    3: issues(1883),
    4: issues(3134, 298),
    5: issues(364),
    6: issues(3688),
    7: issues(3221),
    8: issues(797),
    9: issues(3209),
    10: issues(2122, 2127),
    11: issues(4175, 4442),
    12: issues(4026),
    13: issues(5030),
    14: issues(4217),
    15: issues(3956),
    16: issues(4008, 4653),
    17: issues(4939, 4494),
    18: issues(3893),
    19: issues(4901),
    20: issues(4696),
    21: issues(5722),
    22: issues(3168),
    23: issues(4134),
    24: issues(5715),
    25: issues(4599),
    26: issues(3882),
    27: issues(3250),
    28: issues(2768),
    29: issues(3217),
    30: issues(5820),
    31: issues(4529),
    32: issues(3085, 4715, 3857),
    33: issues(4313),
    34: issues(3166),
    35: issues(3678),
    36: issues(3002),
    37: issues(4244),
    38: issues(5234),
    39: issues(3355, 5725),
    40: issues(5448),
    41: issues(2361),
    42: Kept(("test_item_42_",)),
}

MATRIX = Kept(
    (
        "test_the_matrix",
        "test_a_body_that_is_no_recall_is_422",
        "test_a_missing_body_says_so",
        "test_a_text_body_is_422",
        "test_a_missing_content_type_means_json",
        "test_malformed_json_is_named",
        "test_over_capacity_answers_503_with_the_published_message",
        "test_a_bad_tag_group_gives_one_error_for_each_kind",
        "test_d7_unknown_names_are_accepted_and_named",
        "test_d8_tag_groups_may_be_32_deep",
        "test_d8_a_floor_is_a_finite_number",
    )
)
"""The rows of Appendix C: bodies in one table, the rest beside it."""

PROMISES = {
    **DEFECTS,
    **DECISIONS,
    **{f"11.1 item {number}": kept for number, kept in SHARP_EDGES.items()},
    "Appendix C": MATRIX,
}


@cache
def names_of_tests() -> frozenset[str]:
    """Names of all test functions under ``tests``."""
    return frozenset(
        node.name
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_has_its_tests_or_a_reason_to_have_none(promise: str) -> None:
    kept = PROMISES[promise]
    assert bool(kept.tests) != bool(kept.reason)
    missing = [start for start in kept.tests if not any(name.startswith(start) for name in names_of_tests())]
    assert not missing


def test_a_reason_ends_when_a_test_begins() -> None:
    outdated = [
        (promise, name)
        for promise, kept in PROMISES.items()
        if kept.reason
        for name in names_of_tests()
        if name.startswith(f"test_{promise.lower()}_")
    ]
    assert not outdated


def test_the_register_is_complete() -> None:
    assert list(DEFECTS) == [f"F{number}" for number in range(1, 28)]
    assert sorted(DECISIONS, key=lambda name: int(name[1:])) == [f"D{number}" for number in range(1, 25)]
    assert list(SHARP_EDGES) == list(range(1, 43))
