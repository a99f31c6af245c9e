"""The only place that builds things: settings become an application of services."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from threadpoolctl import threadpool_limits

from recalld.encoders import registry
from recalld.encoders.executor import AsyncEmbedder, AsyncReranker
from recalld.encoders.protocols import Embedder, TokenCounter
from recalld.recall.assemble import Assembler
from recalld.recall.hydrate import Hydrator
from recalld.recall.knowledge import StoreKnowledge
from recalld.recall.plan import Planner, QueryLimit
from recalld.recall.rerank import CrossEncoderStage
from recalld.recall.retrievers.graph import GraphRetriever
from recalld.recall.retrievers.keyword import KeywordRetriever
from recalld.recall.retrievers.semantic import SemanticRetriever
from recalld.recall.retrievers.temporal import TemporalRetriever
from recalld.recall.service import RecallLimits, RecallService
from recalld.recall.time_window import find_window
from recalld.recall.types import Retriever
from recalld.retain.banks import BankService
from recalld.retain.service import RetainService
from recalld.settings import Settings
from recalld.store import embedded
from recalld.store.engine import Database, PoolLimits
from recalld.store.migrate import migrate
from recalld.store.writes.facts import check_embedder
from recalld.telemetry import Metrics


@dataclass(frozen=True, slots=True)
class Application:
    """Everything a front door needs, started."""

    settings: Settings
    database: Database
    embedder: Embedder
    tokens: TokenCounter
    recall: RecallService
    retain: RetainService
    banks: BankService
    metrics: Metrics
    started_at: float = field(default_factory=time.monotonic)

    async def ping(self) -> float:
        """Seconds the database takes to answer; raises when it does not."""
        start = time.perf_counter()
        async with self.database.read() as connection:
            await connection.execute("SELECT 1")
        return time.perf_counter() - start


@asynccontextmanager
async def application(settings: Settings, metrics: Metrics | None = None) -> AsyncIterator[Application]:
    """Start everything, yield it, and stop what was started."""
    server = None
    if settings.embedded:
        data_dir = settings.data_dir or embedded.default_data_dir()
        server = await asyncio.to_thread(embedded.start, data_dir)
    try:
        url = server.url if server else settings.database_url
        if settings.run_migrations_on_startup:
            await asyncio.to_thread(migrate, url)
        async with _services(settings, url, metrics or Metrics()) as app:
            yield app
    finally:
        if server is not None:
            await asyncio.to_thread(server.close)


@asynccontextmanager
async def _services(settings: Settings, url: str, metrics: Metrics) -> AsyncIterator[Application]:
    limits = PoolLimits(settings.db_pool_size, settings.db_acquire_timeout, settings.db_statement_timeout)
    database = Database(url, limits)
    model = await asyncio.to_thread(registry.bundled_embedder, settings.threads)
    embedder = AsyncEmbedder(model)
    reranker = None
    if settings.reranker == "cross-encoder":
        reranker = AsyncReranker(await asyncio.to_thread(registry.cross_encoder, settings.reranker_model))
    tokens = registry.token_counter()
    try:
        await database.open()
        find_window("today", datetime.now(UTC))  # compiles the grammar before the first query needs it
        _calm_the_process()
        await check_embedder(database, model.name, model.dimension)
        yield Application(
            settings=settings,
            database=database,
            embedder=model,
            tokens=tokens,
            recall=_recall(settings, database, embedder, reranker, tokens),
            retain=RetainService(
                database,
                embedder.embed_passages,
                tokens,
                settings.bank_defaults,
                model.dimension,
                settings.vector_index_min_rows,
            ),
            banks=BankService(database),
            metrics=metrics,
        )
    finally:
        embedder.close()
        if reranker is not None:
            reranker.close()
        await database.close()


def _calm_the_process() -> None:
    """Settings of the interpreter that a recall of a few milliseconds feels.

    BLAS threads spin after each product and take the cores from PostgreSQL; the garbage collector
    walks everything loaded at start each time hundreds of facts have been read; a model thread that
    is done waits for the interpreter's lock up to the switch interval.
    """
    sys.setswitchinterval(0.0005)
    threadpool_limits(limits=1, user_api="blas")
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _recall(
    settings: Settings,
    database: Database,
    embedder: AsyncEmbedder,
    reranker: AsyncReranker | None,
    tokens: TokenCounter,
) -> RecallService:
    stage = None
    if reranker is not None:
        stage = CrossEncoderStage(
            reranker, settings.reranker_top, settings.reranker_deadline, settings.reranker_required
        )
    return RecallService(
        planner=Planner(
            knowledge=StoreKnowledge(database),
            embed=embedder.embed_query,
            find_window=partial(
                find_window, date_order=settings.date_order, southern=settings.southern_seasons
            ),
            limit=QueryLimit(
                tokens, settings.recall_max_query_tokens, settings.recall_query_overflow == "truncate"
            ),
            defaults=settings.bank_defaults,
            passthrough=settings.reranker == "rrf",
        ),
        retrievers=_retrievers(settings, database),
        hydrator=Hydrator(database, embedder.model.token_dimension, settings.token_cache_mb * 1024 * 1024),
        assembler=Assembler(database, tokens),
        cross_encoder=stage,
        boosts=settings.boosts,
        limits=RecallLimits(settings.reranker_max_candidates, settings.retriever_deadline),
    )


def _retrievers(settings: Settings, database: Database) -> tuple[Retriever, ...]:
    return (
        SemanticRetriever(database, settings.semantic_min_similarity, settings.vector_index_min_rows),
        KeywordRetriever(database, settings.bm25_min_score),
        GraphRetriever(database, settings.graph_seed_min_similarity, settings.vector_index_min_rows),
        TemporalRetriever(database, settings.temporal_semantic_min_similarity),
    )
