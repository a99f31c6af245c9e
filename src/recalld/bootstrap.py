"""The only place that builds things: settings become an application of services."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from threadpoolctl import threadpool_limits

from recalld.catalog.aliases import AliasCatalog
from recalld.catalog.attachments import AttachmentCatalog
from recalld.catalog.config import ConfigCatalog
from recalld.catalog.curate import Curator
from recalld.catalog.documents import DocumentCatalog
from recalld.catalog.entities import EntityCatalog
from recalld.catalog.memories import MemoryCatalog
from recalld.catalog.observations import ObservationCatalog
from recalld.catalog.service import Catalog
from recalld.catalog.sources import SourceCatalog
from recalld.catalog.stats import StatsCatalog
from recalld.catalog.tags import TagCatalog
from recalld.configure import (
    bank_defaults,
    boosts,
    candidates,
    chat_choice,
    decision_endpoint,
    embedder_choice,
    reranker_choices,
    reranker_tops,
)
from recalld.consolidate.job import OPERATION, AutoConsolidation, ConsolidationJob
from recalld.consolidate.llm import ModelConsolidation
from recalld.consolidate.service import ConsolidationService
from recalld.domain.errors import InvalidRequest
from recalld.encoders import registry
from recalld.encoders.protocols import ChatModel, ServingEmbedder, ServingReranker, TokenCounter
from recalld.operations.queue import OperationQueue
from recalld.operations.worker import Job, Pace, Tidying, Worker
from recalld.recall.assemble import Assembler
from recalld.recall.decide import DecisionStage
from recalld.recall.evidence import EvidenceReader
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
from recalld.retain.reembed import Reembedding
from recalld.retain.service import RetainService
from recalld.settings import Settings
from recalld.store import embedded
from recalld.store.engine import Database, PoolLimits
from recalld.store.migrate import migrate
from recalld.store.writes.facts import check_embedder
from recalld.telemetry import Metrics, send_spans
from recalld.transfer.export import Exporter
from recalld.transfer.files import TransferFiles
from recalld.transfer.importer import Importer
from recalld.transfer.job import transfer_jobs
from recalld.transfer.service import TransferService


@dataclass(frozen=True, slots=True)
class Application:
    """Everything a front door needs, started."""

    settings: Settings
    database: Database
    embedder: ServingEmbedder
    tokens: TokenCounter
    recall: RecallService
    retain: RetainService
    banks: BankService
    attachments: AttachmentCatalog
    catalog: Catalog
    operations: OperationQueue
    consolidation: ConsolidationService
    transfer: TransferService
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
    async with (
        _database_url(settings) as url,
        _services(settings, url, metrics or Metrics()) as app,
    ):
        yield app


@asynccontextmanager
async def reembedding(settings: Settings) -> AsyncIterator[Reembedding]:
    """What makes all vectors anew with the configured embedder."""
    async with _database_url(settings) as url, AsyncExitStack() as stack:
        database = Database(url, PoolLimits(8, settings.db_acquire_timeout, settings.db_statement_timeout))
        embedder = await _embedder(settings, registry.token_counter(), stack)
        stack.push_async_callback(database.close)
        await database.open()
        yield Reembedding(database, embedder, settings.vector_index_min_rows)


@asynccontextmanager
async def _database_url(settings: Settings) -> AsyncIterator[str]:
    """The URL of a database at the newest schema, with our own server running while it is needed."""
    server = None
    if settings.embedded:
        data_dir = settings.data_dir or embedded.default_data_dir()
        server = await asyncio.to_thread(embedded.start, data_dir)
    try:
        url = server.url if server else settings.database_url
        if settings.run_migrations_on_startup:
            await asyncio.to_thread(migrate, url)
        yield url
    finally:
        if server is not None:
            await asyncio.to_thread(server.close)


@asynccontextmanager
async def working(app: Application) -> AsyncIterator[None]:
    """Workers on the application's queue for the length of the block."""
    pace = Pace(app.settings.worker_lease, app.settings.worker_poll)
    jobs, tidying = jobs_of(app)
    workers = [
        asyncio.create_task(Worker(app.database, jobs, app.operations.submitted, pace, tidying).run())
        for _ in range(app.settings.worker_count)
    ]
    try:
        yield
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def jobs_of(app: Application) -> tuple[dict[str, Job], dict[str, Tidying]]:
    """What workers do for each type of operation, and put away afterwards."""
    transfers, tidying = transfer_jobs(app.transfer)
    jobs: dict[str, Job] = {PART: RetainJob(app.retain), OPERATION: ConsolidationJob(app.consolidation)}
    return {**jobs, **transfers}, tidying


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
        database = Database(url, limits, settings.text_search_language)
        tokens = registry.token_counter()
        embedder = await _embedder(settings, tokens, stack)
        reranking = await _reranking(settings, tokens, stack)
        chat = _language_model(settings, stack)
        stack.push_async_callback(database.close)
        await database.open()
        find_window("today", datetime.now(UTC))  # compiles the grammar before the first query needs it
        _calm_the_process()
        await check_embedder(database, embedder.name, embedder.dimension)
        writer = ModelConsolidation(database, chat, embedder.embed_passages, tokens) if chat else None
        consolidation = ConsolidationService(database, bank_defaults(settings), embedder.dimension, writer)
        after_retain = AutoConsolidation(consolidation)
        stack.push_async_callback(after_retain.aclose)
        yield Application(
            settings=settings,
            database=database,
            embedder=embedder,
            tokens=tokens,
            recall=_recall(settings, database, embedder, reranking, tokens),
            retain=RetainService(
                database,
                embedder.embed_passages,
                tokens,
                bank_defaults(settings),
                embedder.dimension,
                settings.vector_index_min_rows,
                after_retain,
                chat,
            ),
            banks=BankService(database),
            attachments=AttachmentCatalog(database),
            catalog=_catalog(settings, database, embedder, tokens),
            operations=OperationQueue(database),
            consolidation=consolidation,
            transfer=_transfer(settings, database, embedder, tokens, after_retain),
            metrics=metrics,
        )


def _transfer(
    settings: Settings,
    database: Database,
    embedder: ServingEmbedder,
    tokens: TokenCounter,
    after: AutoConsolidation,
) -> TransferService:
    importer = Importer(
        database,
        embedder.embed_passages,
        tokens,
        bank_defaults(settings),
        embedder.dimension,
        settings.vector_index_min_rows,
        after,
    )
    return TransferService(database, TransferFiles(database), Exporter(database), importer)


@contextmanager
def _usable(what: str) -> Iterator[None]:
    """Settings a model cannot be made of are refused in plain words."""
    try:
        yield
    except ValueError as error:
        raise InvalidRequest(f"The {what} cannot be used: {error}") from error


async def _embedder(settings: Settings, tokens: TokenCounter, stack: AsyncExitStack) -> ServingEmbedder:
    """The embedder; it is closed with the stack."""
    with _usable("embedder"):
        embedder = await registry.embedder(embedder_choice(settings), tokens)
    stack.push_async_callback(embedder.aclose)
    return embedder


def _language_model(settings: Settings, stack: AsyncExitStack) -> ChatModel | None:
    """The language model, if there is one; it is closed with the stack."""
    with _usable("language model"):
        choice = chat_choice(settings)
        model = registry.chat_model(choice) if choice else None
    if model is not None:
        stack.push_async_callback(model.aclose)
    return model


async def _reranking(settings: Settings, tokens: TokenCounter, stack: AsyncExitStack) -> Reranking:
    """What reranks; it is closed with the stack."""
    with _usable("decision model"):
        endpoint = decision_endpoint(settings)
        decisions = registry.decision_model(endpoint, tokens) if endpoint else None
    if endpoint is not None and decisions is not None:
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
    models: list[ServingReranker] = []
    for choice in reranker_choices(settings):
        with _usable("reranker"):
            models.append(await registry.reranker(choice))
        stack.push_async_callback(models[-1].aclose)
    if not models:
        return Reranking(off=settings.reranker == "rrf")
    stage = CrossEncoderStage(
        models[0],
        settings.reranker_top,
        settings.reranker_deadline,
        required=settings.reranker_required and settings.last_reranker != "rrf",
        fallbacks=tuple(models[1:]),
        falls_back_to_blend=settings.last_reranker == "builtin",
        tops=reranker_tops(settings),
    )
    return Reranking(cross_encoder=stage)


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
    settings: Settings, database: Database, embedder: ServingEmbedder, tokens: TokenCounter
) -> Catalog:
    return Catalog(
        memories=MemoryCatalog(database),
        curator=Curator(database, embedder.embed_passages, tokens, embedder.dimension),
        documents=DocumentCatalog(database),
        entities=EntityCatalog(database),
        tags=TagCatalog(database),
        stats=StatsCatalog(database),
        config=ConfigCatalog(database, bank_defaults(settings)),
        aliases=AliasCatalog(database),
        observations=ObservationCatalog(database),
        sources=SourceCatalog(database),
    )


def _recall(
    settings: Settings,
    database: Database,
    embedder: ServingEmbedder,
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
            defaults=bank_defaults(settings),
            without_scores=reranking.without_scores,
        ),
        retrievers=_retrievers(settings, database),
        hydrator=Hydrator(database, embedder.token_dimension, settings.token_cache_mb * 1024 * 1024),
        assembler=Assembler(database, tokens),
        evidence=EvidenceReader(database),
        reranking=reranking,
        boosts=boosts(settings),
        limits=RecallLimits(
            candidates(settings), settings.recall_max_candidates_per_source, settings.retriever_deadline
        ),
    )


def _retrievers(settings: Settings, database: Database) -> tuple[Retriever, ...]:
    return (
        SemanticRetriever(database, settings.semantic_min_similarity),
        KeywordRetriever(database, settings.bm25_min_score),
        GraphRetriever(database, settings.graph_seed_min_similarity),
        TemporalRetriever(database, settings.temporal_semantic_min_similarity),
    )
