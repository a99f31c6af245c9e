"""Turns the fresh chunks of documents into facts, each in the way its bank and its strategy want."""

from __future__ import annotations

from collections.abc import Sequence

from recalld.domain.banks import BankConfig
from recalld.encoders.protocols import ChatModel, ChatUsage, TokenCounter
from recalld.retain.documents import DocumentPlan, Piece
from recalld.retain.extract.extractor import Extraction
from recalld.retain.extract.modes import Mode, mode_of
from recalld.retain.facts import Fact, found_facts, plain_fact


class FactReader:
    """Reads for one retain. Plans have to be ``read`` before their facts are asked for."""

    def __init__(self, config: BankConfig, tokens: TokenCounter, model: ChatModel | None) -> None:
        self._config = config
        self._tokens = tokens
        self._extraction = Extraction(model) if model is not None else None

    @property
    def usage(self) -> ChatUsage:
        """Tokens of the model used so far."""
        return self._extraction.usage if self._extraction else ChatUsage()

    async def read(self, plans: Sequence[DocumentPlan]) -> None:
        """Ask the model about the chunks that want it; raises ``EncoderFailed`` unless all were answered."""
        if self._extraction is None:
            return
        pieces = [piece for plan in plans for piece in plan.facts]
        await self._extraction.read(
            (piece.chunk.text, piece.item, self._config_of(piece))
            for piece in pieces
            if mode_of(self._config_of(piece)) is not Mode.CHUNKS
        )

    def facts(self, plan: DocumentPlan) -> list[Fact]:
        """The fresh facts of a plan, in the order of its text."""
        return [fact for piece in plan.facts for fact in self._facts(piece)]

    def _facts(self, piece: Piece) -> list[Fact]:
        config = self._config_of(piece)
        if self._extraction is None or mode_of(config) is Mode.CHUNKS:
            return [plain_fact(piece)]
        found = self._extraction.facts(piece.chunk.text, piece.item, config)
        return found_facts(piece, found, self._tokens)

    def _config_of(self, piece: Piece) -> BankConfig:
        return self._config.with_strategy(piece.item.strategy)
