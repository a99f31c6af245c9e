"""Asks a language model for the facts of chunks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate

from recalld.domain.banks import BankConfig
from recalld.encoders.http import all_of
from recalld.encoders.protocols import NO_USAGE, AnswerTooLong, ChatModel, ChatUsage
from recalld.retain.chunk import split_prose
from recalld.retain.extract.answer import Extracted, read_facts, whole_text
from recalld.retain.extract.modes import Mode
from recalld.retain.extract.request import Request, request_of, schema_of
from recalld.retain.types import RetainItem

LEAST = 500
"""Characters down to which a chunk is halved when the answer about it is too long."""


@dataclass(slots=True)
class Extraction:
    """The facts of the chunks of one retain. Nothing is asked twice; what it cost adds up in ``usage``."""

    model: ChatModel
    usage: ChatUsage = NO_USAGE
    _found: dict[Request, list[Extracted]] = field(default_factory=dict)

    async def read(self, chunks: Iterable[tuple[str, RetainItem, BankConfig]]) -> None:
        """Find the facts of chunks, several at once. The first failure ends all of it and is raised."""
        asked = {request_of(*chunk): chunk for chunk in chunks}
        fresh = {request: chunk for request, chunk in asked.items() if request not in self._found}
        answers = await all_of(self._ask(request, *chunk) for request, chunk in fresh.items())
        self._found.update(zip(fresh, answers, strict=True))

    def facts(self, text: str, item: RetainItem, config: BankConfig) -> list[Extracted]:
        """The facts of a chunk that was read."""
        return self._found[request_of(text, item, config)]

    async def _ask(
        self, request: Request, text: str, item: RetainItem, config: BankConfig
    ) -> list[Extracted]:
        try:
            done = await self.model.complete(request.system, request.user, schema_of(request.mode))
        except AnswerTooLong as error:
            if len(text) <= LEAST:
                raise
            self.usage = self.usage.plus(error.usage)
            return await self._ask_in_parts(request.mode, text, item, config)
        self.usage = self.usage.plus(done.usage)
        return read_facts(request.mode, done.answer)

    async def _ask_in_parts(
        self, mode: Mode, text: str, item: RetainItem, config: BankConfig
    ) -> list[Extracted]:
        parts = split_prose(text, max(LEAST, len(text) // 2))
        found = [await self._ask(request_of(part, item, config), part, item, config) for part in parts]
        if mode is Mode.VERBATIM:
            return [whole_text([one for facts in found for one in facts])]
        offsets = accumulate((len(facts) for facts in found), initial=0)
        return [
            replace(one, causes=tuple(offset + place for place in one.causes))
            for offset, facts in zip(offsets, found, strict=False)
            for one in facts
        ]
