"""A server process of its own on this worker's database, and a bank for clients to walk through."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from recalld.bootstrap import Application
from recalld.domain.memory import FactType
from tests.contract import walk
from tests.fixtures.bank import TestBank
from tests.fixtures.facts import add_fact, add_observation

SERVE = "from recalld.cli import main; main()"
HANG = 10.0
"""Seconds after which a request counts as hung; answers take a small part of it."""


@pytest.fixture(scope="session")
def server(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running ``recalld serve``."""
    log = tmp_path_factory.mktemp("server") / "log"
    environment = {
        **os.environ,
        "RECALLD_DATABASE_URL": database_url,
        "RECALLD_MODEL_THREADS": "1",
        # Tests do the background work themselves, when they want it done.
        "RECALLD_WORKER_ENABLED": "false",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, "serve", "--port", "0"], env=environment, stderr=output
        )
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        written = log.read_text(encoding="utf-8")
        assert process.poll() is None, written
        if "\n" in written:
            address = written.split()[3].rstrip(",")
            try:
                if httpx.get(f"{address}/health", timeout=HANG).status_code == 200:
                    return address
            except httpx.TransportError:
                pass
        time.sleep(0.1)
    pytest.fail(f"the server does not answer: {log.read_text(encoding='utf-8')}")


@pytest.fixture(scope="session")
async def http(server: str) -> AsyncIterator[httpx.AsyncClient]:
    """A plain client of the running server."""
    async with httpx.AsyncClient(base_url=server, timeout=HANG) as connected:
        yield connected


@pytest.fixture(scope="session")
async def walked(app: Application, http: httpx.AsyncClient) -> str:
    """A bank with facts of every kind, as ``walk`` knows them."""
    bank = TestBank(http, f"walk-{uuid4()}")
    await bank.retain(*walk.ITEMS)
    sources = [fact["id"] for fact in await bank.results("Alice") if fact["text"] in walk.SOURCES]
    await add_fact(app, bank.bank_id, walk.BOOKED, fact_type=FactType.EXPERIENCE)
    await add_observation(app, bank.bank_id, walk.SETTLED, sources, tags=["alice"])
    return bank.bank_id


@pytest.fixture
def busy_bank(http: httpx.AsyncClient, walked: str) -> TestBank:
    """The bank of the walk over HTTP."""
    return TestBank(http, walked)
