"""Splits a list of questions into requests that a decision model accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recalld.encoders.decision.wire import Ask, Wire, encoded
from recalld.encoders.protocols import Question, TokenCounter

MAX_QUESTIONS = 700


class Request(NamedTuple):
    """Questions that travel together."""

    state: str
    asks: tuple[Ask, ...]

    def halves(self) -> list[Request]:
        """The same questions as two requests."""
        middle = len(self.asks) // 2
        return [self._replace(asks=self.asks[:middle]), self._replace(asks=self.asks[middle:])]


def pack(
    state: str, questions: Sequence[Question], wire: Wire, counter: TokenCounter, max_tokens: int
) -> list[Request]:
    """Requests of neighbouring questions, each within the limits, or of a single question beyond them.

    Each question is counted on its own, which never comes to less than counting the whole request.
    """
    asks = [Ask(f"m{slot}", question) for slot, question in enumerate(questions)]
    room = max_tokens - counter.count(encoded(wire.body(state, ())))
    costs = counter.count_many([encoded(wire.questions([ask])) for ask in asks])
    runs: list[list[Ask]] = []
    filled = 0
    for ask, cost in zip(asks, costs, strict=True):
        if not runs or len(runs[-1]) == MAX_QUESTIONS or filled + cost > room:
            runs.append([])
            filled = 0
        runs[-1].append(ask)
        filled += cost
    return [Request(state, tuple(run)) for run in runs]
