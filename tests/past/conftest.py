"""The second front door with a key for every test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from recalld.api.app import create_app
from recalld.bootstrap import Application
from tests.contract.conftest import SERVE, _address
from tests.fixtures.databases import cloned
from tests.fixtures.variants import client_of, variant
from tests.past.project import Project
from tests.past.published import Published, load_published

MANY = 400
"""Keys of a run: more than there are tests."""


@pytest.fixture(scope="session")
def published() -> Published | None:
    """past.dev's API, when its document lies beside the checkout."""
    return load_published()


@pytest.fixture(scope="session")
def banks_by_key() -> dict[str, str]:
    """Keys with the banks they open."""
    run = uuid4()
    return {f"past_sk_{number}": f"past-{run}-{number}" for number in range(MANY)}


@pytest.fixture(scope="session")
def unused_keys(banks_by_key: dict[str, str]) -> Iterator[str]:
    """Keys nobody has used yet."""
    return iter(banks_by_key)


def pairs(banks_by_key: dict[str, str]) -> str:
    """Keys and banks as the settings have them."""
    return ",".join(f"{key}={bank_id}" for key, bank_id in banks_by_key.items())


@pytest.fixture(scope="session")
async def past(
    app: Application, published: Published | None, banks_by_key: dict[str, str]
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application; answers are held against the published API."""
    # A receipt does not wait: the tests do the work themselves.
    settings = {"past_keys": SecretStr(pairs(banks_by_key)), "past_ingest_wait": 0}
    web = create_app(running=variant(app, settings))
    check = published.check if published else None
    async with web.router.lifespan_context(web), client_of(web, check) as connected:
        yield connected


@pytest.fixture
def project(
    app: Application, past: httpx.AsyncClient, banks_by_key: dict[str, str], unused_keys: Iterator[str]
) -> Project:
    """A project nobody else knows."""
    key = next(unused_keys)
    return Project(past, key, banks_by_key[key], app)


@pytest.fixture(scope="session")
def served(
    server_url: str, banks_by_key: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a running ``recalld serve``, with the same keys, which does its work itself."""
    log = tmp_path_factory.mktemp("past-server") / "log"
    with cloned(server_url) as database_url, log.open("wb") as output:
        environment = {
            **os.environ,
            "RECALLD_DATABASE_URL": database_url,
            "RECALLD_MODEL_THREADS": "1",
            "RECALLD_PAST_KEYS": pairs(banks_by_key),
        }
        command = [sys.executable, "-c", SERVE, "serve", "--port", "0"]
        process = subprocess.Popen(command, env=environment, stderr=output)
        try:
            yield _address(process, log)
        finally:
            process.terminate()
            process.wait(timeout=30)
