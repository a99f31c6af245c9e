"""Fuzzy tags: which tags a misspelt one means, and what becomes of a filter that holds one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.errors import Unprocessable
from recalld.domain.fuzzy_tags import MIN_SIMILARITY, is_fuzzy, resolve_fuzzy, similar_tags
from recalld.domain.tags import TagAnd, TagLeaf, TagMatch, TagNode, TagNot, TagOr, TagResolve, leaves, matches
from recalld.domain.trigrams import similarity

KNOWN = ("typescript", "postgresql", "mongo", "team:red", "team:blue", "area:red", "Ops", "ops", "résumé")


def fuzzy(*tags: str, match: TagMatch = TagMatch.ANY_STRICT) -> TagLeaf:
    return TagLeaf(tags, match, TagResolve.FUZZY)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("typsecript", "typescript", 0.467),
        ("typescropt", "typescript", 0.571),
        ("mongp", "mongo", 0.5),
        ("postgres", "postgresql", 0.667),
        ("alice", "alicia", 0.444),
        ("kakfa", "kafka", 0.2),
        ("mango", "mongo", 0.333),
        ("the", "ts", 0.167),
    ],
)
def test_similarity_of_the_published_pairs(one: str, other: str, expected: float) -> None:
    assert similarity(one, other) == similarity(other, one) == pytest.approx(expected, abs=0.001)
    assert (similar_tags(one, [other]) == (other,)) is (expected >= MIN_SIMILARITY)


@pytest.mark.parametrize(
    ("one", "other"), [("resume", "résumé"), ("Zürich", "zurich"), ("éléphant", "elephant")]
)
def test_accents_make_no_difference(one: str, other: str) -> None:
    assert similar_tags(one, [other]) == (other,)


def test_spellings_equal_but_for_case_win_and_end_the_search() -> None:
    assert set(similar_tags(" OPS ", [*KNOWN, "opss"])) == {"Ops", "ops"}


def test_only_the_value_behind_the_same_namespace_may_differ() -> None:
    assert similar_tags("team:redd", KNOWN) == ("team:red",)
    assert similar_tags("redd", KNOWN) == ("redd",)


def test_the_most_similar_comes_first_and_there_is_no_cap() -> None:
    many = [f"kubernetes{i}" for i in range(100, 160)]
    found = similar_tags("kubernetes", ["kubernetess", *many])
    assert found[0] == "kubernetess"
    assert len(found) == 61


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (TagMatch.ANY, TagLeaf(("mongo", "typescript"), TagMatch.ANY)),
        (TagMatch.ANY_STRICT, TagLeaf(("mongo", "typescript"), TagMatch.ANY_STRICT)),
        (TagMatch.ALL, TagAnd((TagLeaf(("mongo",), TagMatch.ANY), TagLeaf(("typescript",), TagMatch.ANY)))),
        (TagMatch.ALL_STRICT, TagAnd((TagLeaf(("mongo",)), TagLeaf(("typescript",))))),
        (TagMatch.EXACT, TagOr((TagLeaf(("mongo", "typescript"), TagMatch.EXACT),))),
    ],
)
def test_each_mode_keeps_its_meaning(match: TagMatch, expected: TagNode) -> None:
    assert resolve_fuzzy(fuzzy("mongp", "typsecript", match=match), KNOWN) == expected


def test_an_exact_leaf_whose_tags_mean_the_same_one_matches_nothing() -> None:
    resolved = resolve_fuzzy(fuzzy("typsecript", "typescropt", match=TagMatch.EXACT), KNOWN)
    assert resolved == TagOr(())


def test_an_exact_leaf_of_too_many_sets_is_refused() -> None:
    near = [f"kubernetes{i}" for i in range(6)]
    with pytest.raises(Unprocessable, match="36 sets"):
        resolve_fuzzy(fuzzy("kubernetes", "kubernete", match=TagMatch.EXACT), near)


def test_a_vocabulary_of_more_than_5000_tags_is_refused() -> None:
    tags = [str(i) for i in range(5001)]
    assert resolve_fuzzy(fuzzy("7"), tags[:5000]) == TagLeaf(("7",))
    with pytest.raises(Unprocessable, match="5000"):
        resolve_fuzzy(fuzzy("7"), tags)


def test_literal_leaves_and_empty_ones_stay_as_they_are() -> None:
    literal = TagAnd((TagLeaf(("mongp",)), TagLeaf((), TagMatch.ALL)))
    assert resolve_fuzzy(literal, KNOWN) == literal
    assert resolve_fuzzy(fuzzy(match=TagMatch.ALL_STRICT), KNOWN) == TagLeaf((), TagMatch.ALL_STRICT)


def test_inside_not_the_exclusion_widens() -> None:
    resolved = resolve_fuzzy(TagNot(fuzzy("ops")), KNOWN)
    assert not matches(resolved, ("Ops",))
    assert matches(resolved, ("mongo",))


TAGS = st.text("abc: é", min_size=1, max_size=6)
LEAVES = st.builds(
    TagLeaf, st.lists(TAGS, max_size=2).map(tuple), st.sampled_from(TagMatch), st.just(TagResolve.FUZZY)
)
TREES = st.recursive(
    LEAVES,
    lambda node: st.one_of(
        st.builds(TagNot, node),
        st.builds(TagAnd, st.lists(node, max_size=2).map(tuple)),
        st.builds(TagOr, st.lists(node, max_size=2).map(tuple)),
    ),
    max_leaves=4,
)


@given(TREES, st.lists(TAGS, max_size=5, unique=True))
def test_no_fuzzy_leaf_is_left_in_any_tree(tree: TagNode, vocabulary: list[str]) -> None:
    try:
        resolved = resolve_fuzzy(tree, vocabulary)
    except Unprocessable:
        return
    assert not is_fuzzy(resolved)


@given(LEAVES, st.lists(TAGS, max_size=5, unique=True))
def test_issue_4026_a_leaf_reads_only_tags_of_the_bank_or_its_own(
    leaf: TagLeaf, vocabulary: list[str]
) -> None:
    for resolved in leaves(resolve_fuzzy(leaf, vocabulary)):
        assert set(resolved.tags) <= {*vocabulary, *leaf.tags}
