"""Health, version, metrics and the OpenAPI document."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from recalld import __version__
from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.store.engine import Database, PoolLimits
from tests.fixtures.bank import TestBank

FEATURES = {
    "observations",
    "mcp",
    "worker",
    "bank_config_api",
    "bank_llm_health",
    "file_upload_api",
    "document_export_api",
    "document_import_api",
    "audit_log",
    "llm_trace",
    "store_document_text",
}


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
async def test_a_server_with_its_database_is_healthy(client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(path)
    assert response.status_code == 200
    assert response.json()["status"] == "healthy"
    assert response.json()["database"] == "connected"


async def test_a_server_without_its_database_is_not_but_lives(app: Application) -> None:
    gone = Database("postgresql://nobody@127.0.0.1:1/none", PoolLimits(8, 0.2))
    await gone.open()
    web = create_app(running=replace(app, database=gone))
    try:
        async with (
            web.router.lifespan_context(web),
            httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://recalld.test") as other,
        ):
            ready, live = await other.get("/health"), await other.get("/health/live")
    finally:
        await gone.close()
    assert (ready.status_code, ready.json()["status"]) == (503, "unhealthy")
    assert live.status_code == 200


async def test_liveness_names_the_version(client: httpx.AsyncClient) -> None:
    live = (await client.get("/health/live")).json()
    assert (live["status"], live["version"]) == ("alive", __version__)
    assert live["uptime_seconds"] >= 0


@pytest.mark.parametrize("path", ["/version", "/v1/version"])
async def test_d24_the_contract_version_and_all_eleven_features(client: httpx.AsyncClient, path: str) -> None:
    version = (await client.get(path)).json()
    assert version["api_version"] == "1.1.0"
    assert set(version["features"]) == FEATURES
    assert all(isinstance(value, bool) for value in version["features"].values())


async def test_the_document_and_its_page_are_open(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    assert "/v1/default/banks/{bank_id}/memories/recall" in document["paths"]
    assert "/v1/version" not in document["paths"]
    assert document["info"]["version"] == __version__
    page = await client.get("/docs")
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]


async def test_the_document_names_operations_and_models_as_published(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    operations = {o["operationId"] for path in document["paths"].values() for o in path.values()}
    assert {"recall_memories", "retain_memories", "list_banks", "delete_bank", "get_version"} <= operations
    models = set(document["components"]["schemas"])
    assert {"RecallRequest", "RecallResponse", "RecallResult", "RetainRequest", "TagGroupLeaf"} <= models


def value_of(metrics: str, name: str, **labels: str) -> float:
    wanted = {f'{key}="{value}"' for key, value in labels.items()}
    lines = [
        line
        for line in metrics.splitlines()
        if line.startswith(f"{name}{{") and all(w in line for w in wanted)
    ]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


async def test_metrics_count_recalls_by_bounded_labels(bank: TestBank) -> None:
    await bank.retain("a fact")
    labels = {"operation": "recall", "budget": "low", "max_tokens": "512", "success": "true"}
    before = (await bank.client.get("/metrics")).text
    await bank.recall("fact", budget="low", max_tokens=300)
    after = (await bank.client.get("/metrics")).text
    name = "hindsight_operation_operations_total"
    assert value_of(after, name, **labels) == value_of(before, name, **labels) + 1
    assert 'hindsight_recall_phase_duration_seconds_bucket{diagnostic="false"' in after


async def test_metrics_name_routes_not_banks(bank: TestBank) -> None:
    await bank.post_recall("fact")
    await bank.client.get(f"/nowhere/{bank.bank_id}")
    metrics = (await bank.client.get("/metrics")).text
    assert bank.bank_id not in metrics
    route = "/v1/default/banks/{bank_id}/memories/recall"
    name = "hindsight_http_requests_total"
    assert value_of(metrics, name, endpoint=route, status_code="404", method="POST") >= 1
    assert value_of(metrics, name, endpoint="unmatched", status_class="4xx") >= 1


async def test_metrics_name_phases_pool_and_process_as_dashboards_do(bank: TestBank) -> None:
    await bank.retain("a fact")
    await bank.recall("fact")
    metrics = (await bank.client.get("/metrics")).text
    for phase in ("generate_query_embedding", "parallel_retrieval", "reranking", "result_serialization"):
        assert (
            f'hindsight_recall_phase_duration_seconds_count{{diagnostic="false",phase="{phase}"}}' in metrics
        )
    for name in ("db_pool_size", "db_pool_max", "db_pool_idle", "process_memory_bytes", "process_threads"):
        (line,) = [line for line in metrics.splitlines() if line.startswith(f"hindsight_{name} ")]
        assert float(line.split()[1]) > 0
