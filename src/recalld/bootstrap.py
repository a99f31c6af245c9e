"""The only place that builds things: settings become an application of services."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from pydantic import SecretStr
from threadpoolctl import threadpool_limits

from recalld.catalog.aliases import AliasCatalog
from recalld.catalog.attachments import AttachmentCatalog
from recalld.catalog.config import ConfigCatalog
from recalld.catalog.curate import Curator
from recalld.catalog.documents import DocumentCatalog
from recalld.catalog.entities import EntityCatalog
from recalld.catalog.memories import MemoryCatalog
from recalld.catalog.service import Catalog
from recalld.catalog.stats import StatsCatalog
from recalld.catalog.tags import TagCatalog
from recalld.encoders import registry
from recalld.encoders.decision.client import DecisionEndpoint
from recalld.encoders.executor import AsyncEmbedder, AsyncReranker
from recalld.encoders.protocols import Embedder, TokenCounter
from recalld.operations.queue import OperationQueue
from recalld.operations.worker import Pace, Worker
from recalld.recall.assemble import Assembler
from recalld.recall.decide import DecisionStage
from recalld.recall.hydrate import Hydrator
from recalld.recall.knowledge import StoreKnowledge
from recalld.recall.plan import Planner, QueryLimit
from recalld.recall.rerank import CrossEncoderStage, Reranking
from recalld.recall.retrievers.graph import GraphRetriever
from recalld.recall.retrievers.keyword import KeywordRetriever
from recalld.recall.retrievers.semantic import SemanticRetriever
from recalld.recall.retrievers.temporal import TemporalRetriever
from recalld.recall.service import RecallLimits, RecallService
from recalld.recall.time_window import find_window
from recalld.recall.types import Retriever
from recalld.retain.banks import BankService
from recalld.retain.job import PART, RetainJob
from recalld.retain.service import RetainService
from recalld.settings import Settings
from recalld.store import embedded
from recalld.store.engine import Database, PoolLimits
from recalld.store.migrate import migrate
from recalld.store.writes.facts import check_embedder
from recalld.telemetry import Metrics, send_spans


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
    attachments: AttachmentCatalog
    catalog: Catalog
    operations: OperationQueue
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
async def working(app: Application) -> AsyncIterator[None]:
    """Workers on the application's queue for the length of the block."""
    pace = Pace(app.settings.worker_lease, app.settings.worker_poll)
    jobs = {PART: RetainJob(app.retain)}
    workers = [
        asyncio.create_task(Worker(app.database, jobs, app.operations.submitted, pace).run())
        for _ in range(app.settings.worker_count)
    ]
    try:
        yield
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


@asynccontextmanager
async def at_work(app: Application) -> AsyncIterator[None]:
    """What a server does besides answering: background work, unless that is left to others."""
    if not app.settings.worker_enabled:
        yield
        return
    async with working(app):
        yield


@asynccontextmanager
async def _services(settings: Settings, url: str, metrics: Metrics) -> AsyncIterator[Application]:
    async with AsyncExitStack() as stack:
        if settings.otel_exporter_otlp_endpoint:
            stack.callback(send_spans(settings.otel_exporter_otlp_endpoint))
        limits = PoolLimits(settings.db_pool_size, settings.db_acquire_timeout, settings.db_statement_timeout)
        database = Database(url, limits)
        model = await asyncio.to_thread(registry.bundled_embedder, settings.threads)
        embedder = AsyncEmbedder(model)
        stack.callback(embedder.close)
        tokens = registry.token_counter()
        reranking = await _reranking(settings, tokens, stack)
        stack.push_async_callback(database.close)
        await database.open()
        find_window("today", datetime.now(UTC))  # compiles the grammar before the first query needs it
        _calm_the_process()
        await check_embedder(database, model.name, model.dimension)
        yield Application(
            settings=settings,
            database=database,
            embedder=model,
            tokens=tokens,
            recall=_recall(settings, database, embedder, reranking, tokens),
            retain=RetainService(
                database,
                embedder.embed_passages,
                tokens,
                settings.bank_defaults,
                model.dimension,
                settings.vector_index_min_rows,
            ),
            banks=BankService(database),
            attachments=AttachmentCatalog(database),
            catalog=_catalog(settings, database, embedder, tokens),
            operations=OperationQueue(database),
            metrics=metrics,
        )


async def _reranking(settings: Settings, tokens: TokenCounter, stack: AsyncExitStack) -> Reranking:
    """What reranks; it is closed with the stack."""
    if (endpoint := _decision_endpoint(settings)) is not None:
        decisions = registry.decision_model(endpoint, tokens)
        stack.push_async_callback(decisions.aclose)
        return Reranking(
            decision=DecisionStage(
                decisions,
                tokens,
                endpoint.max_request_tokens,
                settings.reranker_deadline,
                settings.reranker_required,
            )
        )
    if settings.reranker != "cross-encoder":
        return Reranking(off=settings.reranker == "rrf")
    model = AsyncReranker(await asyncio.to_thread(registry.cross_encoder, settings.reranker_model))
    stack.callback(model.close)
    stage = CrossEncoderStage(
        model, settings.reranker_top, settings.reranker_deadline, settings.reranker_required
    )
    return Reranking(cross_encoder=stage)


def _decision_endpoint(settings: Settings) -> DecisionEndpoint | None:
    """The decision model for recall. Its own settings come first; the others serve the same provider only."""
    provider = settings.recall_decision_model_provider or settings.decision_model_provider
    if provider == "none":
        return None
    inherits = provider == settings.decision_model_provider

    def chosen(name: str) -> str | None:
        own, shared = (
            getattr(settings, f"recall_decision_model_{name}"),
            getattr(settings, f"decision_model_{name}"),
        )
        value = own or (shared if inherits else None)
        return value.get_secret_value() if isinstance(value, SecretStr) else value or None

    return DecisionEndpoint(
        provider,
        api_key=chosen("api_key"),
        model=chosen("model"),
        base_url=chosen("base_url"),
        timeout=settings.decision_model_timeout,
        max_concurrent=settings.decision_model_max_concurrent,
        max_request_tokens=settings.decision_model_max_request_tokens,
    )


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


def _catalog(
    settings: Settings, database: Database, embedder: AsyncEmbedder, tokens: TokenCounter
) -> Catalog:
    return Catalog(
        memories=MemoryCatalog(database),
        curator=Curator(database, embedder.embed_passages, tokens, embedder.model.dimension),
        documents=DocumentCatalog(database),
        entities=EntityCatalog(database),
        tags=TagCatalog(database),
        stats=StatsCatalog(database),
        config=ConfigCatalog(database, settings.bank_defaults),
        aliases=AliasCatalog(database),
    )


def _recall(
    settings: Settings,
    database: Database,
    embedder: AsyncEmbedder,
    reranking: Reranking,
    tokens: TokenCounter,
) -> RecallService:
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
            without_scores=reranking.without_scores,
        ),
        retrievers=_retrievers(settings, database),
        hydrator=Hydrator(database, embedder.model.token_dimension, settings.token_cache_mb * 1024 * 1024),
        assembler=Assembler(database, tokens),
        reranking=reranking,
        boosts=settings.boosts,
        limits=RecallLimits(
            settings.candidates, settings.recall_max_candidates_per_source, settings.retriever_deadline
        ),
    )


def _retrievers(settings: Settings, database: Database) -> tuple[Retriever, ...]:
    return (
        SemanticRetriever(database, settings.semantic_min_similarity, settings.vector_index_min_rows),
        KeywordRetriever(database, settings.bm25_min_score),
        GraphRetriever(database, settings.graph_seed_min_similarity, settings.vector_index_min_rows),
        TemporalRetriever(database, settings.temporal_semantic_min_similarity),
    )
