"""Refusals: an envelope with a code, a 400 for every bad value, and an id on every answer."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from recalld.api.app import create_app
from recalld.bootstrap import Application
from recalld.domain.errors import AtCapacity, DeadlineExceeded, InvalidRequest, Overloaded
from recalld.recall.service import RecallService
from recalld.settings import Settings
from tests.fixtures.bank import Json
from tests.fixtures.variants import client_of, variant
from tests.past.project import Project

ASKED = {"query": "q", "identity": "ann"}


def refusal(response: httpx.Response) -> tuple[int, str]:
    """The status and code of an answer that is an envelope and nothing else."""
    body: Json = response.json()
    assert body.keys() <= {"code", "status", "debugMessage", "data"}
    assert body["status"] == response.status_code
    assert response.headers["X-Request-Id"].startswith("req_")
    return body["status"], body["code"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"query": None}, "query must not be null"),
        ({"query": " \n"}, "query: must not be blank"),
        ({"query": "\x00"}, "query: must not be blank"),
        ({"query": 7}, "query: Input should be a valid string"),
        ({"identity": ""}, "identity: must not be blank"),
        ({"identity": "a\x00"}, "identity: must not hold control characters"),
        ({"identity": "a\ud800"}, "identity: "),
        ({"identity": "i" * 201}, "identity: String should have at most 200 characters"),
        ({"limit": 0}, "limit: Input should be greater than or equal to 1"),
        ({"limit": 201}, "limit: Input should be less than or equal to 200"),
        ({"limit": 5.5}, "limit: Input should be a valid integer"),
        ({"limit": "5"}, "limit: Input should be a valid integer"),
        ({"limit": True}, "limit: Input should be a valid integer"),
        ({"level": "Low"}, "level: Input should be 'low', 'medium', 'high' or 'extra-high'"),
        ({"maxTokens": 0}, "maxTokens: Input should be greater than or equal to 1"),
        ({"maxTokens": 5, "level": "low"}, "send level or maxTokens, never both"),
        ({"sort": "newest"}, "sort: Input should be 'relevance' or 'chronological'"),
        ({"queryTimestamp": "soon"}, "queryTimestamp: should be a date-time of ISO 8601"),
        ({"queryTimestamp": "2026-01-01"}, "queryTimestamp: should be a date-time of ISO 8601"),
        ({"queryTimestamp": 1767225600}, "queryTimestamp: should be a date-time of ISO 8601"),
        ({"occurredFrom": "2026-13-01T00:00:00Z"}, "occurredFrom: Input should be a valid datetime"),
        ({"occurredTo": None}, "occurredTo must not be null"),
        ({"max_tokens": 5}, "max_tokens: Extra inputs are not permitted"),
        ({"tags": []}, "tags: Extra inputs are not permitted"),
    ],
)
async def test_a_value_that_cannot_be_used_is_a_400_that_names_it(
    project: Project, change: Json, says: str
) -> None:
    response = await project.post("/recall", {**ASKED, **change})
    assert refusal(response) == (400, "invalid-request")
    assert says in response.json()["debugMessage"]
    assert "validation" not in response.text


async def test_an_integer_may_be_written_with_a_point(project: Project) -> None:
    await project.ingest("Something.", identity="ann")
    assert await project.recall("q", "ann", limit=5.0, maxTokens=4000.0)


async def test_level_and_max_tokens_alone_are_fine(project: Project) -> None:
    for change in ({"maxTokens": 5}, {"level": "high"}):
        assert (await project.post("/recall", {**ASKED, **change})).status_code == 200


async def test_a_window_that_ends_before_it_starts_has_a_code_of_its_own(project: Project) -> None:
    window = {"occurredFrom": "2026-01-02T00:00:00Z", "occurredTo": "2026-01-01T00:00:00Z"}
    assert refusal(await project.post("/recall", {**ASKED, **window})) == (400, "recall-range-invalid")


async def post(project: Project, body: bytes, **headers: str) -> httpx.Response:
    given = {"Content-Type": "application/json", "Authorization": f"Bearer {project.key}", **headers}
    return await project.client.post("/api/v1/recall", content=body, headers=given)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"query": NaN, "identity": "a"}', b"[" * 100_000],
)
async def test_what_is_no_json_object_is_a_400(project: Project, body: bytes) -> None:
    assert refusal(await post(project, body)) == (400, "invalid-request")


async def test_a_body_under_another_name_is_told_so(project: Project) -> None:
    response = await post(project, json.dumps(ASKED).encode(), **{"Content-Type": "text/plain"})
    assert "Content-Type: application/json" in response.json()["debugMessage"]


async def test_a_body_over_the_limit_is_a_413(project: Project) -> None:
    assert refusal(await post(project, b" " * (2 * 1024 * 1024 + 1))) == (413, "too-large")
    item = {"content": "x" * (16 * 1024 * 1024)}
    assert refusal(await project.post("/ingest", item)) == (413, "too-large")


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "missing-api-key"),
        ("", "missing-api-key"),
        ("past_sk_0", "malformed-api-key"),
        ("Basic past_sk_0", "malformed-api-key"),
        ("Bearer", "malformed-api-key"),
        ("Bearer past_sk_0 past_sk_0", "malformed-api-key"),
        ("Bearer sk-something", "malformed-api-key"),
        ("Bearer past_sk_unheard", "unauthorized"),
        ("Bearer past_sk_\u00e9", "unauthorized"),
        ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "unauthorized"),
    ],
)
async def test_keys(project: Project, header: str | None, code: str) -> None:
    headers = {} if header is None else {b"Authorization": header.encode()}
    # What the body holds does not matter without a key.
    response = await project.client.post("/api/v1/recall", content=b"{", headers=headers)
    assert refusal(response) == (401, code)


async def test_projects_of_agent_tokens_are_not_served(project: Project) -> None:
    response = await post(project, json.dumps(ASKED).encode(), **{"X-Past-Project": "shop"})
    assert refusal(response) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/v1", (404, "not-found")),
        ("GET", "/api/v1/", (404, "not-found")),
        ("GET", "/api/v1/nothing", (404, "not-found")),
        ("POST", "/api/v1/recall/", (404, "not-found")),
        ("GET", "/api/v1/recall", (405, "method-not-allowed")),
        ("DELETE", "/api/v1/recall", (405, "method-not-allowed")),
        ("PUT", "/api/v1/ingest", (405, "method-not-allowed")),
        ("GET", "/api/v1/ingest/nothing", (404, "ingestion-not-found")),
        ("GET", "/api/v1/ingest/00000000-0000-4000-8000-000000000000", (404, "ingestion-not-found")),
        ("DELETE", "/api/v1/data-points/nothing", (404, "data-point-not-found")),
        ("DELETE", "/api/v1/data-points/%00", (404, "data-point-not-found")),
        ("GET", "/api/v1/audiences/nothing", (404, "audience-not-found")),
        ("GET", "/api/v1/identities?limit=0", (400, "invalid-request")),
        ("GET", "/api/v1/identities?after=a%00", (400, "invalid-request")),
    ],
)
async def test_paths(project: Project, method: str, path: str, expected: tuple[int, str]) -> None:
    headers = {"Authorization": f"Bearer {project.key}"}
    response = await project.client.request(method, path, headers=headers)
    assert refusal(response) == expected
    assert ("allow" in response.headers) == (expected[0] == 405)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Overloaded("No connection.", 7), 503, "unavailable"),
        (DeadlineExceeded("Late."), 504, "timeout"),
        (InvalidRequest("No."), 400, "invalid-request"),
        (RuntimeError("secret"), 500, "internal-error"),
    ],
)
async def test_failures_of_the_server(
    app: Application,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    code: str,
) -> None:
    async def fails(*_: Any) -> None:
        raise error

    await project.ingest("Something.")
    monkeypatch.setattr(RecallService, "recall", fails)
    response = await project.post("/recall", ASKED)
    assert refusal(response) == (status, code)
    assert "secret" not in response.text
    assert response.headers.get("Retry-After") == ("7" if status == 503 else None)


async def test_a_surprise_is_logged_once_and_ends_at_the_door(
    project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: Any) -> None:
        msg = "surprise"
        raise RuntimeError(msg)

    await project.ingest("Something.")
    monkeypatch.setattr(RecallService, "recall", fails)
    keys = SecretStr(f"{project.key}={project.bank_id}")
    web = create_app(running=variant(project.app, {"past_keys": keys}))
    transport = httpx.ASGITransport(web, raise_app_exceptions=True)
    async with (
        web.router.lifespan_context(web),
        httpx.AsyncClient(transport=transport, base_url="http://recalld.test") as client,
    ):
        headers = {"Authorization": f"Bearer {project.key}"}
        response = await client.post("/api/v1/recall", json=ASKED, headers=headers)
    assert refusal(response) == (500, "internal-error")
    assert len([record for record in caplog.records if record.exc_info]) == 1


async def test_too_many_at_once_is_a_429_without_a_body(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: Any) -> None:
        raise AtCapacity("Full.", 3)

    await project.ingest("Something.")
    monkeypatch.setattr(RecallService, "recall", full)
    response = await project.post("/recall", ASKED)
    assert (response.status_code, response.content, response.headers["Retry-After"]) == (429, b"", "3")
    assert response.headers["X-Request-Id"].startswith("req_")


async def test_every_answer_has_an_id_of_its_own(project: Project) -> None:
    ids = {(await project.get("/audiences")).headers["X-Request-Id"] for _ in range(5)}
    ids.add((await project.client.get("/api/v1/openapi.json")).headers["X-Request-Id"])
    assert len(ids) == 6


async def test_the_first_door_speaks_as_before(project: Project) -> None:
    response = await project.client.get("/v1/nothing")
    assert (response.status_code, response.json()) == (404, {"detail": "Not Found"})
    assert "X-Request-Id" not in response.headers
    assert "/api/v1/recall" not in (await project.client.get("/openapi.json")).json()["paths"]


async def opened(app: Application, key: str, **settings: Any) -> tuple[int, str | None]:
    """The status a key gets from a server set up so, and the code if it is refused."""
    secrets = {name: SecretStr(value) for name, value in settings.items()}
    web = create_app(running=variant(app, secrets))
    async with web.router.lifespan_context(web), client_of(web) as client:
        response = await client.get("/api/v1/audiences", headers={"Authorization": f"Bearer {key}"})
        body = response.json()
        return response.status_code, body.get("code")


async def test_without_keys_of_its_own_the_door_is_as_open_as_the_other(app: Application) -> None:
    assert await opened(app, "anything") == (200, None)
    closed = {"api_keys": "first,second@team-,third@def"}
    assert await opened(app, "first", **closed) == (200, None)
    assert await opened(app, "third", **closed) == (200, None)
    assert await opened(app, "second", **closed) == (401, "unauthorized")
    assert await opened(app, "anything", **closed) == (401, "unauthorized")
    both = {**closed, "past_keys": "past_sk_a=shop"}
    assert await opened(app, "first", **both) == (401, "malformed-api-key")
    assert await opened(app, "past_sk_a", **both) == (200, None)


@pytest.mark.parametrize("keys", ["past_sk_a", "past_sk_a=", "=shop", "past_sk_a=shop,past_sk_b"])
def test_keys_without_a_bank_are_refused_at_the_start(keys: str) -> None:
    with pytest.raises(ValueError, match="key=bank"):
        Settings(past_keys=SecretStr(keys))


@pytest.mark.parametrize(("mode", "bank_id"), [("tags", "_y"), ("bank", "a:b")])
def test_a_bank_that_cannot_be_is_refused_at_the_start(mode: str, bank_id: str) -> None:
    settings = Settings.model_validate({"past_keys": f"past_sk_a={bank_id}", "past_identity_mode": mode})
    with pytest.raises(InvalidRequest):
        create_app(settings)
