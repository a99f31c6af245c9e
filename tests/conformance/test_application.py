"""An application on other models than the bundled one: what is retained is recalled."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import application
from recalld.settings import Settings
from tests.conformance.conftest import TinyModels
from tests.fixtures.bank import TestBank
from tests.fixtures.databases import cloned, settings_for
from tests.fixtures.decision_server import DROPPED, KEY, Fault
from tests.fixtures.model_server import ModelServer

FACTS = ("Die Katze schläft auf dem Sofa.", "京都の紅葉はとても綺麗です。", "El tren sale a las ocho.")


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    """An empty database."""
    with cloned(server_url) as made:
        yield made


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[TestBank]:
    async with application(settings) as app:
        web = create_app(running=app)
        transport = httpx.ASGITransport(web, raise_app_exceptions=False)
        async with (
            web.router.lifespan_context(web),
            httpx.AsyncClient(transport=transport, base_url="http://recalld.test") as client,
        ):
            yield TestBank(client, "bank")


def chosen(kind: str, tiny: TinyModels, server: ModelServer) -> dict[str, Any]:
    """Settings of an embedder."""
    match kind:
        case "sentence-transformers":
            return {"embeddings_provider": kind, "embeddings_model": str(tiny.sentence_model())}
        case "onnx":
            return {"embeddings_provider": kind, "embeddings_model": str(tiny.onnx(pooled=True))}
        case "openai":
            place = {"embeddings_base_url": f"{server.url}/v1", "embeddings_api_key": KEY}
            return {"embeddings_provider": kind, "embeddings_model": "tiny", **place}
        case _:
            return {
                "embeddings_provider": kind,
                "embeddings_tei_url": server.url,
                "embeddings_api_key": KEY,
            }


@pytest.mark.parametrize("kind", ["sentence-transformers", "onnx", "openai", "tei"])
async def test_what_is_retained_is_recalled(
    kind: str, url: str, tiny: TinyModels, server: ModelServer
) -> None:
    prefixes = {"embeddings_query_prefix": "query: ", "embeddings_passage_prefix": "query: "}
    async with serving(settings_for(url, **chosen(kind, tiny, server), **prefixes)) as bank:
        await bank.retain(*FACTS)
        for fact in FACTS:
            found = await bank.results(fact)
            assert found[0]["text"] == fact
            assert found[0]["scores"]["semantic"] == pytest.approx(1, abs=0.01)
            assert 0 < found[0]["scores"]["reranker"] <= 1


def reranked_by(kind: str, tiny: TinyModels, server: ModelServer) -> dict[str, Any]:
    """Settings of a reranker."""
    match kind:
        case "cross-encoder":
            return {"reranker": kind, "reranker_model": str(tiny.cross_encoder(1))}
        case "onnx":
            return {"reranker": kind, "reranker_model": str(tiny.onnx_cross_encoder(2))}
        case _:
            return {"reranker": kind, "reranker_url": server.url, "reranker_api_key": KEY}


@pytest.mark.parametrize("kind", ["cross-encoder", "onnx", "tei", "cohere"])
async def test_the_reranker_that_served_is_named(
    kind: str, url: str, tiny: TinyModels, server: ModelServer
) -> None:
    async with serving(settings_for(url, **reranked_by(kind, tiny, server))) as bank:
        await bank.retain(*FACTS)
        answer = await bank.recall("Wo schläft die Katze?", trace=True)
        assert answer["results"]
        assert all(0 <= fact["scores"]["reranker"] <= 1 for fact in answer["results"])
        served = {"tei": "tei", "cohere": "rerank-v3.5"}
        named = answer["trace"]["summary"]["reranker"]
        assert named == served.get(kind, named)
        assert named not in {"rrf", "late-interaction"}


@pytest.mark.parametrize(
    ("fallbacks", "served", "degraded"),
    [
        ("onnx", "onnx-cross-encoder-1", False),
        ("tei,onnx,rrf", "tei", False),
        ("builtin", "late-interaction", False),
        ("rrf", "rrf", True),
        ("", "rrf", True),
    ],
)
async def test_issue_3168_the_next_reranker_serves_when_one_is_down(
    fallbacks: str, served: str, *, degraded: bool, url: str, tiny: TinyModels, server: ModelServer
) -> None:
    server.faults.append(Fault(400))
    settings = settings_for(
        url,
        **reranked_by("cohere", tiny, server),
        reranker_fallbacks=fallbacks,
        reranker_fallback_model=str(tiny.onnx_cross_encoder(1)),
        reranker_required=fallbacks == "rrf",
    )
    async with serving(settings) as bank:
        await bank.retain(*FACTS)
        response = await bank.post_recall("Wo schläft die Katze?", trace=True)
        assert response.status_code == 200
        assert response.json()["trace"]["summary"]["reranker"].startswith(served)
        assert ("X-Recall-Degraded" in response.headers) is degraded


async def test_an_embedder_that_is_down_is_503_and_loses_nothing(
    url: str, tiny: TinyModels, server: ModelServer
) -> None:
    async with serving(settings_for(url, **chosen("openai", tiny, server))) as bank:
        await bank.retain(*FACTS)
        server.faults.append(Fault(401, f"bad key {KEY}".encode()))
        response = await bank.post_recall(FACTS[0])
        assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
        assert KEY not in response.text
        server.faults.append(Fault(400))
        assert (await bank.post_items({"content": "lost?", "document_id": "d"})).status_code == 503
        server.faults.append(DROPPED)
        assert (await bank.results(FACTS[0]))[0]["text"] == FACTS[0]
        assert "lost?" not in await bank.texts("lost?")
