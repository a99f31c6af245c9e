"""OpenTelemetry: one span per recall below the caller's, one per stage below that."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recalld.telemetry import span_sender
from tests.fixtures.bank import TestBank

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"
STAGES = [
    "recall_embedding",
    "recall_retrieval",
    "recall_fusion",
    "recall_hydration",
    "recall_rerank",
    "recall_boost",
    "recall_selection",
    "recall_enrichment",
]


@pytest.fixture(scope="module")
def exported() -> InMemorySpanExporter:
    """Where the spans of this process go from now on."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def spans(exported: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    """The spans of one test."""
    exported.clear()
    yield exported
    exported.clear()


def ours(exporter: InMemorySpanExporter) -> list[ReadableSpan]:
    """Finished spans without those of the web framework."""
    scopes = ((span, span.instrumentation_scope) for span in exporter.get_finished_spans())
    return [span for span, scope in scopes if scope is not None and scope.name == "recalld"]


def identity(span: ReadableSpan) -> tuple[str, str]:
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


async def test_a_recall_and_its_stages_have_spans_below_the_callers(
    bank: TestBank, spans: InMemorySpanExporter
) -> None:
    await bank.retain("a fact")
    spans.clear()
    response = await bank.client.post(
        f"{bank.path}/memories/recall",
        json={"query": "fact " * 60, "budget": "low", "types": ["world"]},
        headers={"traceparent": f"00-{TRACE}-{CALLER}-01"},
    )
    assert response.status_code == 200
    *stages, recall = ours(spans)
    assert [span.name for span in stages] == STAGES
    assert recall.name == "hindsight.recall"
    assert recall.parent is not None
    trace_id, span_id = identity(recall)
    assert (trace_id, f"{recall.parent.span_id:016x}") == (TRACE, CALLER)
    assert {f"{span.parent.span_id:016x}" for span in stages if span.parent} == {span_id}
    assert attributes(recall) == {
        "bank_id": bank.bank_id,
        "query": ("fact " * 60)[:100],
        "fact_types": ("world",),
        "budget": "low",
        "max_tokens": "4096",
    }
    assert attributes(stages[2])["candidates_merged"] == 1


async def test_a_failed_recall_says_so_in_its_span(bank: TestBank, spans: InMemorySpanExporter) -> None:
    await bank.post_recall("fact")
    recall = ours(spans)[-1]
    assert not recall.status.is_ok
    assert "BankNotFound" in str(recall.status.description)


def test_spans_are_sent_to_the_endpoint_that_is_set() -> None:
    with socket.create_server(("127.0.0.1", 0)) as collector:
        collector.settimeout(30)
        provider = span_sender(f"http://127.0.0.1:{collector.getsockname()[1]}/")
        with provider.get_tracer("test").start_as_current_span("one"):
            pass
        sending = threading.Thread(target=provider.shutdown)
        sending.start()
        connection, _ = collector.accept()
        with connection:
            request = connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        sending.join(30)
    assert request.startswith(b"POST /v1/traces HTTP/1.1")
