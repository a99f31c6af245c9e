"""Chooses the concrete encoders by name."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from recalld.encoders.chat.client import HttpChatModel
from recalld.encoders.choices import ChatChoice, EmbedderChoice, RerankerChoice
from recalld.encoders.decision.client import DecisionEndpoint, HttpDecisionModel
from recalld.encoders.embedders.dense import Prefixes
from recalld.encoders.embedders.http import HttpEmbedder, Reading
from recalld.encoders.embedders.onnx import OnnxEmbedder
from recalld.encoders.embedders.onnx_folder import OnnxFolderEmbedder
from recalld.encoders.embedders.openai import OpenAIEmbeddings
from recalld.encoders.embedders.tei import TeiEmbeddings
from recalld.encoders.executor import AsyncEmbedder, AsyncReranker
from recalld.encoders.http import Endpoint, HttpService
from recalld.encoders.protocols import Embedder, Reranker, ServingEmbedder, ServingReranker, TokenCounter
from recalld.encoders.rerankers.cached import CachedReranker
from recalld.encoders.rerankers.cohere import CohereReranker
from recalld.encoders.rerankers.onnx_folder import OnnxCrossEncoder
from recalld.encoders.rerankers.tei import TeiReranker
from recalld.encoders.retry import RetryPolicy
from recalld.encoders.token_counter import O200kTokenCounter

SENTENCE_MODEL = "BAAI/bge-small-en-v1.5"
OPENAI_MODEL, OPENAI_URL = "text-embedding-3-small", "https://api.openai.com/v1"
CHAT_MODEL = "gpt-5-mini"
CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L6-v2"
COHERE_MODEL, COHERE_URL = "rerank-v3.5", "https://api.cohere.com/v2"
RERANK_REQUESTS = 16
_ASKS_WITH_TOP_K = ("voyageai.com", "mongodb.com")
"""Hosts that refuse ``top_n``: they call it ``top_k``."""


async def embedder(choice: EmbedderChoice, counter: TokenCounter) -> ServingEmbedder:
    """The embedder, ready for use; close it when done."""
    if choice.provider not in {"openai", "tei"}:
        return AsyncEmbedder(await asyncio.to_thread(_local_embedder, choice))
    prefixes = Prefixes(choice.query_prefix, choice.passage_prefix)
    reading = Reading(counter, choice.max_tokens, prefixes)
    if choice.provider == "openai":
        wire = OpenAIEmbeddings(choice.model or OPENAI_MODEL)
        endpoint = Endpoint(wire.model, choice.url or OPENAI_URL, choice.api_key)
        remote = HttpEmbedder(HttpService(endpoint), wire, reading, choice.dimension)
    else:
        endpoint = Endpoint(choice.model or "tei", choice.url, choice.api_key)
        remote = HttpEmbedder(HttpService(endpoint), TeiEmbeddings(), reading, choice.dimension)
    try:
        await remote.connect()
    except BaseException:
        await remote.aclose()
        raise
    return remote


def bundled_embedder(threads: int) -> Embedder:
    """The model that ships with the package."""
    return OnnxEmbedder(Path(str(files("recalld.encoders.bundled"))), threads=threads)


def _local_embedder(choice: EmbedderChoice) -> Embedder:
    prefixes = Prefixes(choice.query_prefix, choice.passage_prefix)
    match choice.provider:
        case "bundled":
            return bundled_embedder(choice.threads)
        case "onnx":
            return OnnxFolderEmbedder(
                Path(choice.model), threads=choice.threads, max_tokens=choice.max_tokens, prefixes=prefixes
            )
        case "sentence-transformers":
            from recalld.encoders.embedders.sentence_transformers import (  # noqa: PLC0415 - an extra
                SentenceTransformerEmbedder,
            )

            return SentenceTransformerEmbedder(
                choice.model or SENTENCE_MODEL,
                threads=choice.threads,
                max_tokens=choice.max_tokens,
                prefixes=prefixes,
            )
        case unknown:
            raise ValueError(f"there is no embedder {unknown!r}")


async def reranker(choice: RerankerChoice) -> ServingReranker:
    """The reranker, behind its cache; close it when done."""
    match choice.provider:
        case "tei":
            service = HttpService(Endpoint("tei", choice.url, choice.api_key))
            model: ServingReranker = TeiReranker(service)
        case "cohere":
            model = _cohere(choice)
        case _:
            model = AsyncReranker(await asyncio.to_thread(_local_reranker, choice))
    return CachedReranker(model, choice.cache_size) if choice.cache_size else model


def _cohere(choice: RerankerChoice) -> CohereReranker:
    name, url = choice.model or COHERE_MODEL, choice.url or COHERE_URL
    endpoint = Endpoint(name, url, choice.api_key, timeout=60.0, max_concurrent=RERANK_REQUESTS)
    host = urlsplit(url).hostname or ""
    how_many = "top_k" if host.endswith(_ASKS_WITH_TOP_K) else "top_n"
    return CohereReranker(HttpService(endpoint), name, how_many=how_many)


def _local_reranker(choice: RerankerChoice) -> Reranker:
    match choice.provider:
        case "onnx":
            return OnnxCrossEncoder(Path(choice.model), threads=choice.threads)
        case "cross-encoder":
            from recalld.encoders.rerankers.sentence_transformers import (  # noqa: PLC0415 - an extra
                CrossEncoderReranker,
            )

            return CrossEncoderReranker(choice.model or CROSS_ENCODER, threads=choice.threads)
        case unknown:
            raise ValueError(f"there is no reranker {unknown!r}")


def token_counter() -> TokenCounter:
    """The counter behind every token budget."""
    return O200kTokenCounter()


def decision_model(endpoint: DecisionEndpoint, counter: TokenCounter) -> HttpDecisionModel:
    """A client of a decision model; close it when done."""
    return HttpDecisionModel(endpoint, counter)


def chat_model(choice: ChatChoice) -> HttpChatModel:
    """A client of a language model; close it when done."""
    if choice.url and not choice.model:
        raise ValueError("a language model at an address of its own needs a name")
    name = choice.model or CHAT_MODEL
    endpoint = Endpoint(
        name,
        choice.url or OPENAI_URL,
        choice.api_key,
        choice.timeout,
        choice.max_concurrent,
        RetryPolicy(retries=4, first_pause=1.0, longest_pause=20.0, budget=max(60.0, 2 * choice.timeout)),
    )
    return HttpChatModel(HttpService(endpoint))
