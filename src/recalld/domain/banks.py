"""Banks: their names, their character and the settings that touch recall and retain."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recalld.domain.budget import Budget, BudgetRule
from recalld.domain.errors import InvalidRequest

MAX_BANK_ID_BYTES = 192


@dataclass(frozen=True, slots=True)
class Disposition:
    """Character of a bank, each trait 1 to 5; carried for clients, not used by recall."""

    skepticism: int = 3
    literalism: int = 3
    empathy: int = 3


@dataclass(frozen=True, slots=True)
class BankConfig:
    """Settings of one bank: server defaults with the bank's overrides applied."""

    budget: BudgetRule = field(default_factory=BudgetRule)
    enable_text_search: bool = True
    enable_temporal_retrieval: bool = True
    enable_graph_retrieval: bool = True
    enable_reranking: bool = True
    recall_prefer_observations: bool = False
    recall_decision_model_prune: bool = False
    recall_decision_model_dedup: bool = False
    retain_chunk_size: int = 500
    retain_structured_chunk_size: int | None = None
    retain_default_strategy: str | None = None
    retain_strategies: dict[str, Any] = field(default_factory=dict)
    store_document_text: bool = True
    enable_observations: bool = True
    enable_auto_consolidation: bool = True
    default_observation_scopes: Any = None
    recall_observation_fallback: bool = False
    retain_extraction_mode: str = "chunks"
    retain_mission: str | None = None
    retain_custom_instructions: str | None = None
    observations_mission: str | None = None
    has_language_model: bool = False
    chunk_size_given: bool = False
    """Whether somebody chose the size of chunks."""

    def with_strategy(self, name: str | None) -> BankConfig:
        """This configuration with a named strategy on top, the bank's usual one for ``None``.

        An unknown strategy changes nothing, nor does one that is no object.
        """
        chosen = self.retain_strategies.get(name or self.retain_default_strategy or "")
        return self.override(chosen) if isinstance(chosen, dict) else self

    def override(self, values: dict[str, Any]) -> BankConfig:
        """This configuration with ``values`` (stored override names) on top; unknown names are ignored."""
        known = {name: values[name] for name in PLAIN_KEYS if values.get(name) is not None}
        return BankConfig(
            **{**{name: getattr(self, name) for name in PLAIN_KEYS}, **known},
            budget=_budget_rule(self.budget, values),
            has_language_model=self.has_language_model,
            chunk_size_given=self.chunk_size_given or values.get("retain_chunk_size") is not None,
        )


PLAIN_KEYS = (
    "enable_text_search",
    "enable_temporal_retrieval",
    "enable_graph_retrieval",
    "enable_reranking",
    "recall_prefer_observations",
    "recall_decision_model_prune",
    "recall_decision_model_dedup",
    "retain_chunk_size",
    "retain_structured_chunk_size",
    "retain_default_strategy",
    "retain_strategies",
    "store_document_text",
    "enable_observations",
    "enable_auto_consolidation",
    "default_observation_scopes",
    "recall_observation_fallback",
    "retain_extraction_mode",
    "retain_mission",
    "retain_custom_instructions",
    "observations_mission",
)


def _budget_rule(base: BudgetRule, values: dict[str, Any]) -> BudgetRule:
    def get(name: str, default: Any) -> Any:
        value = values.get(name)
        return default if value is None else value

    function = get("recall_budget_function", base.function)
    return BudgetRule(
        function=function if function in {"fixed", "adaptive"} else "fixed",
        fixed={b: int(get(f"recall_budget_fixed_{b}", base.fixed[b])) for b in Budget},
        adaptive={b: float(get(f"recall_budget_adaptive_{b}", base.adaptive[b])) for b in Budget},
        minimum=int(get("recall_budget_min", base.minimum)),
        maximum=int(get("recall_budget_max", base.maximum)),
    )


@dataclass(frozen=True, slots=True)
class Bank:
    """One bank as stored. ``key`` is the integer every data row carries, ``language`` that of its words."""

    key: int
    bank_id: str
    name: str
    mission: str
    disposition: Disposition
    overrides: dict[str, Any]
    unit_count: int
    average_length: float
    language: str = "english"


@dataclass(frozen=True, slots=True)
class BankSummary:
    """One row of the bank list: ``alias`` is shown in place of its id, ``matched`` was searched for."""

    bank: Bank
    created_at: datetime
    updated_at: datetime
    fact_count: int
    last_document_at: datetime | None
    last_write_at: datetime | None
    alias: str | None = None
    matched: Sequence[str] = ()


def check_bank_id(bank_id: str) -> str:
    """Return ``bank_id`` when a bank may be created under it, else raise ``InvalidRequest``."""
    if not bank_id:
        raise InvalidRequest("bank_id must not be empty")
    if bank_id.startswith("_"):
        raise InvalidRequest("bank_id must not start with '_'")
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in bank_id):
        raise InvalidRequest("bank_id must not contain control characters")
    if len(bank_id.encode("utf-8")) > MAX_BANK_ID_BYTES:
        raise InvalidRequest(f"bank_id must be at most {MAX_BANK_ID_BYTES} bytes of UTF-8")
    return bank_id
