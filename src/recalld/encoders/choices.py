"""Which encoder is wanted, in words that come from settings."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """An embedder. ``model`` is a name or a folder, ``dimension`` 0 where it is to be found out."""

    provider: str = "bundled"
    model: str = ""
    url: str = ""
    api_key: str | None = field(default=None, repr=False)
    dimension: int = 0
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 8192
    threads: int = 1


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """A model that reranks. ``cache_size`` is how many of its scores are remembered."""

    provider: str
    model: str = ""
    url: str = ""
    api_key: str | None = field(default=None, repr=False)
    cache_size: int = 0
    threads: int = 1


@dataclass(frozen=True, slots=True)
class ChatChoice:
    """A language model behind an OpenAI-compatible endpoint. ``timeout`` is in seconds."""

    model: str = ""
    url: str = ""
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    max_concurrent: int = 8
