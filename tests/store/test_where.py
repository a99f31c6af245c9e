"""The SQL of filters means what ``domain.tags.matches`` says, over random rows and random trees."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.bootstrap import Application
from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType
from recalld.domain.tags import TagAnd, TagLeaf, TagMatch, TagNode, TagNot, TagOr, matches
from recalld.recall.types import RecallQuery
from recalld.store.engine import conninfo
from recalld.store.where import fact_conditions, of_types, tag_conditions
from tests.fixtures.bank import TestBank
from tests.fixtures.facts import add_fact

TAGS = st.sampled_from(["a", "b", "c", "A", "é", 'quo"te', "with,comma", "{}", "NULL", ""])
LEAVES = st.builds(TagLeaf, st.lists(TAGS, max_size=3).map(tuple), st.sampled_from(TagMatch))


def joined(parts: st.SearchStrategy[TagNode]) -> st.SearchStrategy[TagNode]:
    several = st.lists(parts, max_size=3).map(tuple)
    return st.one_of(st.builds(TagAnd, several), st.builds(TagOr, several), st.builds(TagNot, parts))


TREES: st.SearchStrategy[TagNode] = st.recursive(LEAVES, joined, max_leaves=8)
ROWS = st.lists(st.lists(TAGS, max_size=4), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def connection(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A session with a table of tags of its own."""
    with psycopg.connect(conninfo(database_url), autocommit=True) as opened:
        opened.execute("CREATE TEMPORARY TABLE tagged (place integer, tags text[] NOT NULL)")
        yield opened


@settings(max_examples=150)
@given(ROWS, TREES)
def test_d12_sql_and_python_agree(
    connection: psycopg.Connection[Any], rows: list[list[str]], tree: TagNode
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE tagged")
        cursor.executemany("INSERT INTO tagged VALUES (%s, %s)", list(enumerate(rows)))
        conditions = tag_conditions(tree, "row.tags")
        cursor.execute(f"SELECT place FROM tagged AS row WHERE {conditions.sql}".encode(), conditions.params)
        found = {place for (place,) in cursor}
    assert found == {place for place, tags in enumerate(rows) if matches(tree, tags)}


def test_an_unfiltered_query_carries_no_needless_condition() -> None:
    conditions = fact_conditions(FactFilter(7))
    assert (conditions.sql, conditions.params) == ("unit.bank_key = %(bank_key)s", {"bank_key": 7})


def test_types_are_a_parameter() -> None:
    conditions = of_types(FactFilter(7, (FactType.WORLD,)))
    assert conditions.params == {"types": ["world"]}


async def found_at(app: Application, bank: TestBank, **cut: Any) -> list[str]:
    outcome = await app.recall.recall(RecallQuery(bank.bank_id, "what happened", **cut))
    return sorted(one.memory.text for one in outcome.selection.kept)


async def test_dates_bound_every_retriever_inclusively(app: Application, bank: TestBank) -> None:
    for month in (1, 2, 3):
        when = datetime(2026, month, 1, tzinfo=UTC)
        await add_fact(app, bank.bank_id, f"what happened in {month}", occurred_start=when, entities=["Ada"])
        await add_fact(
            app, bank.bank_id, f"what happened, told in {month}", mentioned_at=when, entities=["Ada"]
        )
    february = datetime(2026, 2, 1, tzinfo=UTC)
    here = ["what happened in 2", "what happened, told in 2"]
    assert await found_at(app, bank, as_of=february) == sorted(
        ["what happened in 1", "what happened, told in 1", *here]
    )
    assert await found_at(app, bank, occurred_from=february, occurred_to=february) == here
