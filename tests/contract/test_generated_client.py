"""A client generated from our own OpenAPI document takes the same walk as the official one."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.contract.walk import NEWER_STEPS, STEPS, Json, Step

PACKAGE = "generated_recall_client"
GENERATE = "from openapi_python_client.cli import app; app()"
WALK = {**STEPS, **NEWER_STEPS}


def without_object_defaults(schema: Any) -> Any:
    """The generator cannot read a default that is an object; the published document has two of them."""
    if isinstance(schema, list):
        return [without_object_defaults(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: without_object_defaults(value)
        for key, value in schema.items()
        if not (key == "default" and isinstance(value, dict))
    }


@pytest.fixture(scope="module")
def generated(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The generated package; a warning of the generator fails."""
    base = tmp_path_factory.mktemp("generated")
    document = without_object_defaults(httpx.get(f"{server}/openapi.json").json())
    (base / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    # The contract says application/zip; this generator has to be told that it is bytes.
    options = {"post_hooks": [], "content_type_overrides": {"application/zip": "application/octet-stream"}}
    (base / "config.json").write_text(json.dumps(options), encoding="utf-8")
    _generate(base, base / PACKAGE)
    sys.path.insert(0, str(base))
    try:
        yield importlib.import_module(PACKAGE)
    finally:
        sys.path.remove(str(base))


def _generate(base: Path, output: Path) -> None:
    options = {
        "--meta": "none",
        "--path": str(base / "openapi.json"),
        "--config": str(base / "config.json"),
        "--output-path": str(output),
    }
    command = [sys.executable, "-c", GENERATE, "generate", "--fail-on-warning"]
    done = subprocess.run(
        [*command, *(word for option in options.items() for word in option)],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
async def connection(server: str, generated: ModuleType) -> AsyncIterator[Any]:
    """The generated client, connected."""
    async with generated.Client(base_url=server, raise_on_unexpected_status=True) as client:
        yield client


def module(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")


async def call(client: Any, bank_id: str, body: Json) -> Any:
    """The generated function for recall: status and parsed answer."""
    request = module("models.recall_request").RecallRequest.from_dict(body)
    recall = module("api.memory.recall_memories")
    return await recall.asyncio_detailed(client=client, bank_id=bank_id, body=request)


@pytest.mark.parametrize("step", WALK.values(), ids=WALK)
async def test_the_walk(connection: Any, walked: str, step: Step) -> None:
    async def ask(body: Json) -> Json:
        answer = await call(connection, walked, body)
        assert answer.status_code == 200, answer.content
        assert isinstance(answer.parsed, module("models.recall_response").RecallResponse)
        found: Json = answer.parsed.to_dict()
        return found

    await step(ask)


@pytest.mark.parametrize(
    ("bank_id", "body", "status"),
    [
        ("no such bank", {"query": "Alice"}, 404),
        (None, {"query": "word " * 600}, 400),
        (None, {"query": "?!"}, 422),
        (None, {"query": "Alice", "types": ["nonsense"]}, 422),
    ],
)
async def test_refusals_are_parsed(
    connection: Any, walked: str, bank_id: str | None, body: Json, status: int
) -> None:
    answer = await call(connection, bank_id or walked, body)
    assert answer.status_code == status
    assert answer.parsed.detail
    assert answer.parsed.to_dict() == json.loads(answer.content)
