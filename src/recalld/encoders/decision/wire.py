"""The three ways to write a decision request and to read its answer, one class per provider."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from recalld.encoders.protocols import EncoderFailed, Question

Json = dict[str, Any]
Shape = TypeVar("Shape", Json, list[Any])


class Ask(NamedTuple):
    """A question, and the id its answer comes back under."""

    id: str
    question: Question


class Wire(ABC):
    """One provider's format, for one of its models."""

    default_model: ClassVar[str]
    default_base_url: ClassVar[str | None]

    def __init__(self, model: str | None) -> None:
        self.model = model or self.default_model

    @property
    @abstractmethod
    def path(self) -> str:
        """Where requests go, below the base URL."""

    @abstractmethod
    def questions(self, asks: Sequence[Ask]) -> Json | list[Json]:
        """The part of a body that grows with the questions."""

    @abstractmethod
    def body(self, state: str, asks: Sequence[Ask]) -> Json:
        """A whole request."""

    @abstractmethod
    def likelihoods(self, reply: Any) -> dict[str, float | None]:
        """Likelihoods by id; ids may be missing or unknown, unusable numbers are ``None``."""


class Typesafe(Wire):
    """Questions and answers are objects keyed by id."""

    default_model = "jev-latest"
    default_base_url: ClassVar[str | None] = "https://api.typesafe.ai"

    @property
    def path(self) -> str:
        return "/v1/systemone"

    def questions(self, asks: Sequence[Ask]) -> Json:
        return {ask.id: {"type": "noul", "instructions": _instructions(ask.question)} for ask in asks}

    def body(self, state: str, asks: Sequence[Ask]) -> Json:
        return {"model": self.model, "state": state, "questions": self.questions(asks)}

    def likelihoods(self, reply: Any) -> dict[str, float | None]:
        answers = _member(reply, "answers", dict)
        return {id_: _likelihood(answer, "noul") for id_, answer in answers.items()}


class Cloudflare(Typesafe):
    """The same body at an address that names the model; the answer comes wrapped."""

    default_model = "clef"
    default_base_url = None

    @property
    def path(self) -> str:
        return f"/@cf/cloudflare/{self.model}"

    def likelihoods(self, reply: Any) -> dict[str, float | None]:
        return super().likelihoods(_member(reply, "result", dict))


class OpenAI(Wire):
    """Questions and answers are lists; a question's texts travel as a JSON string."""

    default_model = "gpt-6-luna"
    default_base_url = "https://api.openai.com"

    @property
    def path(self) -> str:
        return "/v1/decisions"

    def questions(self, asks: Sequence[Ask]) -> list[Json]:
        return [
            {"type": "predicate", "name": ask.id, "instructions": encoded(_instructions(ask.question))}
            for ask in asks
        ]

    def body(self, state: str, asks: Sequence[Ask]) -> Json:
        return {"model": self.model, "input": state, "questions": self.questions(asks)}

    def likelihoods(self, reply: Any) -> dict[str, float | None]:
        answers = [answer for answer in _member(reply, "answers", list) if isinstance(answer, dict)]
        if any(answer.get("type") == "refusal" for answer in answers):
            raise EncoderFailed("the decision model refused to answer")
        return {str(answer.get("name")): _likelihood(answer, "probability") for answer in answers}


WIRES: Mapping[str, type[Wire]] = {"typesafe": Typesafe, "cloudflare": Cloudflare, "openai": OpenAI}


def encoded(value: Json | list[Json]) -> str:
    """JSON as it is sent, and as its tokens are counted."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _instructions(question: Question) -> Json:
    return {"task": question.task, **question.parts}


def _member(reply: Any, name: str, shape: type[Shape]) -> Shape:
    value = reply.get(name) if isinstance(reply, dict) else None
    if not isinstance(value, shape):
        raise EncoderFailed(f"the decision model's answer holds no usable {name!r}")
    return value


def _likelihood(answer: Any, name: str) -> float | None:
    value = answer.get(name) if isinstance(answer, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None
