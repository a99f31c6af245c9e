"""What the pipeline asks of a model: a few protocols and the values they exchange."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
ByteArray = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PassageEmbedding:
    """One stored text as vectors.

    ``vector`` has shape ``(dimension,)`` and unit length. ``tokens`` has shape
    ``(token count, token_dimension)``: unit vectors times 127, rounded to int8; ``(0, 0)`` where the
    model offers no late interaction.
    """

    vector: FloatArray
    tokens: ByteArray


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """One query as vectors.

    ``vector`` has shape ``(dimension,)`` and unit length. ``tokens`` has shape
    ``(token count, token_dimension)``, unit rows. ``spans`` gives, for each token
    row, the ``[start, end)`` characters of the query it stands for.
    """

    vector: FloatArray
    tokens: FloatArray
    spans: tuple[tuple[int, int], ...]


class Embedder(Protocol):
    """Turns texts into vectors. Calls block; ``executor`` moves them off the event loop."""

    @property
    def name(self) -> str:
        """Identity of the model, stored with the data it made."""

    @property
    def dimension(self) -> int:
        """Length of a sentence vector."""

    @property
    def token_dimension(self) -> int:
        """Length of a token vector; 0 when the model offers no late interaction."""

    def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        """Embed texts to store, aligned with the input; what a model cannot read of a text is cut off."""

    def embed_query(self, text: str) -> QueryEmbedding:
        """Embed one query."""


class ServingEmbedder(Protocol):
    """An embedder for the event loop: a local one in its thread, or one behind HTTP."""

    @property
    def name(self) -> str:
        """Identity of the model, stored with the data it made."""

    @property
    def dimension(self) -> int:
        """Length of a sentence vector."""

    @property
    def token_dimension(self) -> int:
        """Length of a token vector; 0 when the model offers no late interaction."""

    async def embed_passages(self, texts: Sequence[str]) -> list[PassageEmbedding]:
        """Embed texts to store, aligned with the input."""

    async def embed_query(self, text: str) -> QueryEmbedding:
        """Embed one query."""

    async def aclose(self) -> None:
        """Let go of threads and connections."""


EmbedPassages = Callable[[Sequence[str]], Awaitable[list[PassageEmbedding]]]
"""How a serving embedder embeds texts to store."""


class Reranker(Protocol):
    """Scores (query, document) pairs, for example with a cross-encoder."""

    @property
    def name(self) -> str:
        """Identity of the model, shown in the trace."""

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document, aligned with the input."""


class ServingReranker(Protocol):
    """A reranker for the event loop: a local one in its thread, or one behind HTTP."""

    @property
    def name(self) -> str:
        """Identity of the model, shown in the trace."""

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document, aligned with the input.

        Raises ``EncoderFailed`` when the model cannot be reached, refuses, or answers nonsense.
        """

    async def aclose(self) -> None:
        """Let go of threads and connections."""


class TokenCounter(Protocol):
    """Counts tokens the way callers budget them (o200k_base unless configured)."""

    def count(self, text: str) -> int:
        """Tokens of one text; special-token literals are plain text."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, aligned with the input."""

    def truncate(self, text: str, max_tokens: int) -> str:
        """The longest prefix of at most ``max_tokens`` tokens that ends on a character."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be answered with a likelihood of yes: the task, and by name the texts it is about."""

    task: str
    parts: Mapping[str, str]


class DecisionModel(Protocol):
    """Answers yes-or-no questions about a shared state, over a network."""

    @property
    def name(self) -> str:
        """Identity of the model, shown in the trace."""

    async def likelihoods(self, state: str, questions: Sequence[Question]) -> list[float | None]:
        """Likelihood of yes in [0, 1] for each question, aligned; ``None`` where no answer came.

        Raises ``EncoderFailed`` when the model cannot be reached, refuses, or answers nonsense.
        """


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """Tokens a language model read and wrote; cached ones were read, thoughts were written."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    thoughts_tokens: int = 0

    def plus(self, other: ChatUsage) -> ChatUsage:
        """Both together."""
        return ChatUsage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.thoughts_tokens + other.thoughts_tokens,
        )


NO_USAGE = ChatUsage()


@dataclass(frozen=True, slots=True)
class Completion:
    """A JSON object a language model wrote, and what it cost."""

    answer: dict[str, Any]
    usage: ChatUsage = NO_USAGE


class ChatModel(Protocol):
    """Writes a JSON object for a task, over a network."""

    @property
    def name(self) -> str:
        """Identity of the model, shown in messages."""

    async def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Completion:
        """An object with every property the JSON schema requires at its top.

        Raises ``AnswerTooLong`` when the answer was cut off at the model's limit, and ``EncoderFailed`` when
        the model cannot be reached, refuses, or answers nonsense.
        """

    async def aclose(self) -> None:
        """Close the connections."""


class EncoderFailed(Exception):
    """A model did not answer, or not in a usable way."""


class AnswerTooLong(EncoderFailed):
    """A language model had more to say than it may. ``usage`` is what that cost."""

    def __init__(self, message: str, usage: ChatUsage = NO_USAGE) -> None:
        super().__init__(message)
        self.usage = usage
