"""Planning: the query limit, floors that cannot hold, whose window counts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recalld.domain.banks import Bank, BankConfig, Disposition
from recalld.domain.errors import BankNotFound, InvalidRequest
from recalld.domain.text import QueryTerm
from recalld.domain.time import TimeWindow
from recalld.encoders.embedders.fake import FakeEmbedder
from recalld.encoders.protocols import QueryEmbedding
from recalld.encoders.token_counter import O200kTokenCounter
from recalld.recall.plan import Planner, QueryLimit
from recalld.recall.types import RecallQuery, ScoreFloors
from tests.fixtures.values import window

TEXT_WINDOW = window("2026-01-01", "2026-01-31")
LONG = "word " * 501


class Knowledge:
    """Knows one bank."""

    def __init__(self, **overrides: Any) -> None:
        self.overrides = overrides

    async def tags(self, bank_key: int, limit: int) -> list[str]:
        return []

    async def has_observations(self, bank_key: int) -> bool:
        return False

    async def look_up(self, bank_id: str, text: str) -> tuple[Bank, tuple[QueryTerm, ...]] | None:
        return (Bank(1, "b", "b", "", Disposition(), self.overrides, 1, 1.0), ()) if bank_id == "b" else None


async def embed(text: str) -> QueryEmbedding:
    return FakeEmbedder().embed_query(text)


def find(text: str, anchor: datetime) -> TimeWindow | None:
    return TEXT_WINDOW


def planner(*, truncate: bool = False, without_scores: str | None = None, **overrides: Any) -> Planner:
    limit = QueryLimit(O200kTokenCounter(), truncate=truncate)
    return Planner(Knowledge(**overrides), embed, find, limit, BankConfig(), without_scores)


async def test_d5_an_unknown_bank_is_not_found() -> None:
    with pytest.raises(BankNotFound, match="Bank 'x' not found"):
        await planner().plan(RecallQuery("x", "q"))


async def test_d2_a_long_query_is_refused_naming_both_numbers() -> None:
    with pytest.raises(InvalidRequest, match=r"502.*500|501.*500"):
        await planner().plan(RecallQuery("b", LONG))


async def test_d2_a_long_query_is_cut_where_configured() -> None:
    made = await planner(truncate=True).plan(RecallQuery("b", LONG))
    assert made.truncated
    assert LONG.startswith(made.text)
    assert 498 <= O200kTokenCounter().count(made.text) <= 500


async def test_d2_five_hundred_tokens_are_not_too_many() -> None:
    made = await planner().plan(RecallQuery("b", ("word " * 500).strip()))
    assert not made.truncated


async def test_the_callers_window_beats_the_text() -> None:
    given = window("2020-01-01", "2020-01-02")
    assert (await planner().plan(RecallQuery("b", "q", window=given))).window == given
    assert (await planner().plan(RecallQuery("b", "q"))).window == TEXT_WINDOW


async def test_with_temporal_retrieval_off_there_is_no_window_at_all() -> None:
    asked = RecallQuery("b", "q", window=window("2020-01-01", "2020-01-02"))
    assert (await planner(enable_temporal_retrieval=False).plan(asked)).window is None


@pytest.mark.parametrize(
    ("wanting", "name"),
    [
        (planner(without_scores="decision_model"), "decision_model"),
        (planner(without_scores="rrf"), "rrf"),
        (planner(enable_reranking=False), "rrf"),
    ],
)
async def test_d11_a_floor_on_relevance_is_refused_without_a_relevance(wanting: Planner, name: str) -> None:
    with pytest.raises(InvalidRequest, match=rf"min_scores\.reranker is not supported with the '{name}'"):
        await wanting.plan(RecallQuery("b", "q", floors=ScoreFloors(reranker=0.5)))


async def test_ages_are_measured_from_the_anchor_in_utc() -> None:
    anchor = datetime.fromisoformat("2026-09-16T05:00:00-07:00")
    made = await planner().plan(RecallQuery("b", "q", anchor=anchor))
    assert made.now == datetime(2026, 9, 16, 12, tzinfo=UTC)
    assert made.now.utcoffset() == UTC.utcoffset(None)


async def test_the_query_is_scrubbed() -> None:
    assert (await planner().plan(RecallQuery("b", "hi \ud83d\x00there"))).text == "hi there"
