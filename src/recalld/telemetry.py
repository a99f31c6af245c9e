"""Stage timings, Prometheus metrics and OpenTelemetry spans, under the names Hindsight's dashboards read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psutil
from opentelemetry import propagate, trace
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_OPERATION_BUCKETS = (0.1, 0.25, 0.5, 0.75, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 60, 120)
_PHASE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10)

Details = dict[str, int | float | str]

_TRACER = trace.get_tracer("recalld")
PHASES = {
    "plan": "generate_query_embedding",
    "retrieve": "parallel_retrieval",
    "fuse": "rrf_merge",
    "hydrate": "hydrate_results",
    "rerank": "reranking",
    "boost": "combined_scoring",
    "select": "token_filtering",
    "assemble": "entity_build",
    "serialize": "result_serialization",
}
"""What Hindsight's traces and metrics call our stages."""

_SPANS = {
    "plan": "recall_embedding",
    "retrieve": "recall_retrieval",
    "fuse": "recall_fusion",
    "hydrate": "recall_hydration",
    "rerank": "recall_rerank",
    "boost": "recall_boost",
    "select": "recall_selection",
    "assemble": "recall_enrichment",
}


@dataclass(frozen=True, slots=True)
class StageTiming:
    """One stage of the pipeline: how long it took (seconds) and counts worth showing."""

    name: str
    seconds: float
    details: Mapping[str, int | float | str] = field(default_factory=dict)


class StageClock:
    """Times the stages of one recall, each with a span of its own."""

    def __init__(self) -> None:
        self.timings: list[StageTiming] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[Details]:
        """Time a block; what is put into the yielded dict is shown with it."""
        details: Details = {}
        with _TRACER.start_as_current_span(_SPANS[name]) as span:
            start = time.perf_counter()
            yield details
            self.timings.append(StageTiming(name, time.perf_counter() - start, details))
            if span.is_recording():
                span.set_attributes(details)


@contextmanager
def request_span(name: str, headers: Mapping[str, str], attributes: Mapping[str, Any]) -> Iterator[None]:
    """A span around one request, below the caller's where the headers name it.

    Costs next to nothing and goes nowhere unless tracing was set up, here or by an instrumented start.
    """
    context = propagate.extract(headers)
    with _TRACER.start_as_current_span(name, context, trace.SpanKind.SERVER, attributes):
        yield


def span_sender(endpoint: str) -> TracerProvider:
    """Sends spans to an OTLP endpoint over HTTP. Raises ``ImportError`` without the ``otel`` extra."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    provider = TracerProvider(resource=Resource.create({"service.name": "recalld"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces")))
    return provider


def send_spans(endpoint: str) -> Callable[[], None]:
    """Send this process's spans to an OTLP endpoint; returns what has to be called at the end."""
    provider = span_sender(endpoint)
    trace.set_tracer_provider(provider)
    return provider.shutdown


class Metrics:
    """All metrics of one application, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        operation = ("operation", "source", "budget", "max_tokens", "success")
        self.operations = Counter(
            "hindsight_operation_operations", "Operations served", operation, registry=self.registry
        )
        self.operation_seconds = Histogram(
            "hindsight_operation_duration_seconds",
            "Seconds per operation",
            operation,
            buckets=_OPERATION_BUCKETS,
            registry=self.registry,
        )
        self.phase_seconds = Histogram(
            "hindsight_recall_phase_duration_seconds",
            "Seconds per stage of a recall",
            ("phase", "diagnostic"),
            buckets=_PHASE_BUCKETS,
            registry=self.registry,
        )
        http = ("method", "endpoint", "status_code", "status_class")
        self.http_requests = Counter(
            "hindsight_http_requests", "HTTP requests answered", http, registry=self.registry
        )
        self.http_seconds = Histogram(
            "hindsight_http_duration_seconds",
            "Seconds per HTTP request",
            http,
            buckets=_OPERATION_BUCKETS,
            registry=self.registry,
        )
        self.http_in_progress = Gauge(
            "hindsight_http_requests_in_progress_requests",
            "HTTP requests being answered",
            ("method",),
            registry=self.registry,
        )
        self.degraded = Counter(
            "recalld_recall_degraded", "Recalls answered without a part", ("part",), registry=self.registry
        )
        self.fallbacks = Counter(
            "recalld_recall_fallback",
            "Recalls of observations answered with facts",
            registry=self.registry,
        )
        self.retained_documents = Counter(
            "hindsight_retain_documents", "Documents retained", registry=self.registry
        )
        self._pool = {
            "pool_size": self._gauge("db_pool_size", "Database connections held open"),
            "pool_available": self._gauge("db_pool_idle", "Database connections not in use"),
            "pool_min": self._gauge("db_pool_min", "Database connections kept open at least"),
            "pool_max": self._gauge("db_pool_max", "Database connections at most"),
            "requests_waiting": self._gauge("db_pool_waiting", "Requests waiting for a connection"),
        }
        self._pool_waited = self._gauge("db_pool_acquire_wait_seconds", "Seconds spent waiting so far")
        self._cpu = self._gauge("process_cpu_seconds", "CPU time used so far")
        self._memory = self._gauge("process_memory_bytes", "Memory in use")
        self._threads = self._gauge("process_threads", "Threads")

    def _gauge(self, name: str, help_: str) -> Gauge:
        return Gauge(f"hindsight_{name}", help_, registry=self.registry)

    def observe_operation(self, operation: str, seconds: float, labels: Mapping[str, str]) -> None:
        """Count one operation; ``labels`` are budget, max_tokens and success where they apply."""
        full = {"operation": operation, "source": "api", "budget": "", "max_tokens": "", **labels}
        self.operations.labels(**full).inc()
        self.operation_seconds.labels(**full).observe(seconds)

    def observe_stages(self, timings: list[StageTiming] | tuple[StageTiming, ...]) -> None:
        """Record the stages of one recall."""
        for timing in timings:
            phase = PHASES[timing.name]
            self.phase_seconds.labels(phase=phase, diagnostic="false").observe(timing.seconds)

    def observe_process(self, pool: Mapping[str, int]) -> None:
        """Record the state of the database pool, as psycopg counts it, and of this process."""
        for key, gauge in self._pool.items():
            gauge.set(pool.get(key, 0))
        self._pool_waited.set(pool.get("requests_wait_ms", 0) / 1000)
        process = psutil.Process()
        self._cpu.set(sum(process.cpu_times()[:2]))
        self._memory.set(process.memory_info().rss)
        self._threads.set(process.num_threads())


def token_bucket(max_tokens: int) -> str:
    """A bounded label for ``max_tokens``: the next power of two between 256 and 65,536 (F19)."""
    if max_tokens <= 0:
        return "0"
    bucket, largest = 256, 65_536
    while bucket < min(max_tokens, largest):
        bucket *= 2
    return str(bucket)
