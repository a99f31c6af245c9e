"""Bank ids, bank configuration and budgets."""

from __future__ import annotations

import pytest

from recalld.domain.banks import BankConfig, check_bank_id
from recalld.domain.budget import Budget, BudgetRule
from recalld.domain.documents import chunk_id
from recalld.domain.errors import InvalidRequest
from recalld.store.queries.terms import idf
from recalld.telemetry import token_bucket


@pytest.mark.parametrize("bank_id", ["a", "user:42@example.org", "日本語 bank", "a.b-c_d", " ", "é" * 96])
def test_a_bank_may_be_called(bank_id: str) -> None:
    assert check_bank_id(bank_id) == bank_id


@pytest.mark.parametrize(
    "bank_id", ["", "_hidden", "a\x00b", "a\nb", "a\x7f", "a\ud83d", "x" * 193, "é" * 97]
)
def test_a_bank_may_not_be_called(bank_id: str) -> None:
    with pytest.raises(InvalidRequest, match="bank_id must"):
        check_bank_id(bank_id)


@pytest.mark.parametrize(("budget", "depth"), [("low", 100), ("mid", 300), ("high", 1000)])
def test_a_fixed_budget_is_a_number(budget: str, depth: int) -> None:
    assert BudgetRule().depth(Budget(budget), 1) == BudgetRule().depth(Budget(budget), 10**9) == depth


@pytest.mark.parametrize(
    ("budget", "max_tokens", "depth"),
    [
        ("low", 4096, 102),
        ("mid", 4096, 307),
        ("high", 4096, 1024),
        ("low", 1, 20),
        ("high", -5, 20),
        ("high", 10**9, 2000),
    ],
)
def test_an_adaptive_budget_is_a_share_of_the_tokens_within_bounds(
    budget: str, max_tokens: int, depth: int
) -> None:
    assert BudgetRule(function="adaptive").depth(Budget(budget), max_tokens) == depth


def test_overrides_of_a_bank_win_and_unknown_ones_are_ignored() -> None:
    changed = BankConfig().override(
        {
            "enable_reranking": False,
            "enable_text_search": None,
            "recall_budget_fixed_low": 7,
            "recall_budget_function": "nonsense",
            "retain_chunk_size": 500,
            "no_such_setting": 1,
        }
    )
    assert (changed.enable_reranking, changed.enable_text_search, changed.retain_chunk_size) == (
        False,
        True,
        500,
    )
    assert changed.budget.depth(Budget.LOW, 1) == 7
    assert changed.budget.depth(Budget.MID, 1) == 300


def test_chunk_ids_never_collide_over_banks_and_documents() -> None:
    assert chunk_id("a_b", "c", 0) != chunk_id("a", "b_c", 0)
    assert chunk_id("a~5Fb", "c", 0) != chunk_id("a_b", "c", 0)
    assert chunk_id("bank", "document", 12) == "bank_document_12"


@pytest.mark.parametrize(("total", "df"), [(10, 0), (10, 10), (0, 0), (5, 9)])
def test_an_idf_is_never_negative(total: int, df: int) -> None:
    assert idf(total, df) >= 0
    assert idf(total, 0) >= idf(total, df)


@pytest.mark.parametrize(
    ("max_tokens", "label"),
    [(-1, "0"), (0, "0"), (1, "256"), (257, "512"), (4096, "4096"), (10**12, "65536")],
)
def test_f19_a_token_budget_becomes_one_of_few_labels(max_tokens: int, label: str) -> None:
    assert token_bucket(max_tokens) == label
