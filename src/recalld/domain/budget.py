"""How deep to search: a budget name becomes a number of candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Budget(StrEnum):
    """The caller's wish for depth."""

    LOW = "low"
    MID = "mid"
    HIGH = "high"


def estimated_tokens(texts: Iterable[str]) -> int:
    """A quarter of the characters of all texts together, rounded up: what past.dev counts."""
    return -(-sum(map(len, texts)) // 4)


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """Turns a budget into ``depth``, the candidates kept per retriever and fact type.

    ``fixed`` reads a number per budget; ``adaptive`` takes a share of ``max_tokens``, clamped.
    """

    function: str = "fixed"
    fixed: dict[Budget, int] = field(
        default_factory=lambda: {Budget.LOW: 100, Budget.MID: 300, Budget.HIGH: 1000}
    )
    adaptive: dict[Budget, float] = field(
        default_factory=lambda: {Budget.LOW: 0.025, Budget.MID: 0.075, Budget.HIGH: 0.25}
    )
    minimum: int = 20
    maximum: int = 2000

    def depth(self, budget: Budget, max_tokens: int) -> int:
        """Candidates per retriever and fact type."""
        if self.function == "adaptive":
            return max(self.minimum, min(self.maximum, round(self.adaptive[budget] * max_tokens)))
        return self.fixed[budget]
