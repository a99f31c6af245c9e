"""The pure parts of the retrievers: quoting, widening, spreading, covering."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.memory import FactType, RankedFact
from recalld.recall.retrievers.graph import DECAY, cap_per_type, entity_names, spread
from recalld.recall.retrievers.keyword import widening_terms
from recalld.recall.retrievers.temporal import BUCKETS, cover, score
from recalld.store.queries.keyword import any_of
from recalld.store.queries.temporal import DatedFact
from tests.fixtures.values import term, window

YEAR = window("2026-01-01", "2026-12-31")


def dated(id_: str, similarity: float, when: datetime | None) -> DatedFact:
    return DatedFact(id_, FactType.WORLD, similarity, when)


def test_lexemes_are_quoted_for_the_text_search_parser() -> None:
    assert any_of(["paris", "o'neil", "a\\b", "x & !y"]) == "'paris' | 'o''neil' | 'a\\\\b' | 'x & !y'"


def test_rare_terms_widen_the_match_first_and_common_ones_only_score() -> None:
    terms = (term("the", 0.1, df=5000), term("rare", 5, df=3), term("some", 2, df=900), term("none", 9, df=0))
    assert [t.lexeme for t in widening_terms(terms)] == ["rare", "some"]
    assert [t.lexeme for t in widening_terms(terms[:1])] == ["the"]
    assert widening_terms(terms[3:]) == []


def test_activation_is_shared_by_edge_weight_and_fades_with_each_step() -> None:
    total = spread([("s", "a", 1.0), ("s", "b", 3.0), ("a", "c", 1.0)], {"s": 1.0})
    assert total["a"] == pytest.approx(DECAY * 0.25)
    assert total["b"] == pytest.approx(DECAY * 0.75)
    assert total["c"] == pytest.approx(DECAY * 0.25 * DECAY * 0.5)
    assert total["s"] == pytest.approx(1.0 + DECAY * (DECAY * 0.25 * 0.5 + DECAY * 0.75))


def test_a_hub_tells_each_of_its_neighbours_little() -> None:
    hub = spread([("hub", f"n{i}", 1.0) for i in range(100)], {"hub": 1.0})
    pair = spread([("hub", "n0", 1.0)], {"hub": 1.0})
    assert hub["n0"] == pytest.approx(pair["n0"] / 100)


def test_of_parallel_edges_the_heaviest_counts_and_direction_does_not() -> None:
    edges = [("a", "b", 0.2), ("b", "a", 0.8), ("a", "b", 0.5)]
    assert spread(edges, {"a": 1.0}) == spread([("a", "b", 0.8)], {"a": 1.0})


def test_without_edges_only_the_seeds_are_active() -> None:
    assert spread([], {"a": 0.7}) == {"a": 0.7}


EDGES = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.floats(0.01, 1)).filter(
        lambda e: e[0] != e[1]
    )
)


@given(EDGES, st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 1), min_size=1))
def test_each_step_hands_on_at_most_its_share(
    edges: list[tuple[str, str, float]], seeds: dict[str, float]
) -> None:
    total = spread(edges, seeds)
    energy = sum(seeds.values())
    assert energy <= sum(total.values()) + 1e-9
    assert sum(total.values()) <= energy * (1 + DECAY + DECAY**2) + 1e-9


def test_a_cap_holds_for_each_type() -> None:
    facts = [RankedFact(f"{kind}{i}", kind, 1.0) for i in range(3) for kind in FactType]
    assert [fact.id for fact in cap_per_type(facts, 1)] == ["world0", "experience0", "observation0"]


def test_entities_may_be_called_any_run_of_words() -> None:
    names = entity_names("What did New York's Alice say?", longest=2)
    assert {"alice", "new york", "york", "say"} <= set(names)
    assert "did new york" not in names
    assert len(names) == len(set(names))


def test_cover_takes_the_best_of_each_part_of_the_window_in_turn() -> None:
    january = [dated(f"j{i}", 0.9 - i / 100, datetime(2026, 1, 2, tzinfo=UTC)) for i in range(3)]
    july = [dated("july", 0.4, datetime(2026, 7, 1, tzinfo=UTC))]
    late = [dated("late", 0.2, datetime(2026, 12, 30, tzinfo=UTC))]
    assert [fact.id for fact in cover([*january, *july, *late], YEAR, 4)] == ["j0", "july", "late", "j1"]


def test_undated_facts_and_windows_without_length_are_one_part() -> None:
    facts = [dated(f"f{i}", 1 - i / 10, None) for i in range(4)]
    assert cover(facts, YEAR, 3) == facts[:3]
    instant = window("2026-01-01", "2026-01-01")
    assert cover([dated("a", 1, YEAR.start)], instant, 9) == [dated("a", 1, YEAR.start)]


@given(st.lists(st.integers(-30, 400), unique=True), st.integers(1, 30))
def test_cover_loses_nothing_it_has_room_for(days: list[int], limit: int) -> None:
    facts = [dated(str(d), 1 - i / 100, YEAR.start + timedelta(days=d)) for i, d in enumerate(days)]
    chosen = cover(facts, YEAR, limit)
    assert len(chosen) == min(limit, len(facts))
    assert len(set(chosen)) == len(chosen)
    if facts and limit >= BUCKETS:
        assert chosen[0] == facts[0]


def test_a_temporal_score_is_half_closeness_and_half_similarity() -> None:
    assert score(dated("a", 0.6, YEAR.middle), YEAR) == pytest.approx(0.8)
    assert score(dated("a", 0.6, None), YEAR) == pytest.approx(0.55)
    assert score(dated("a", -0.2, YEAR.start), YEAR) == pytest.approx(0.0)
