"""The database for the commands that care about it: where it is, what it is, its schema's revision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy.exc import DBAPIError

from recalld.settings import Settings
from recalld.store import embedded
from recalld.store.embedded import EmbeddedPostgresError
from recalld.store.engine import conninfo
from recalld.store.migrate import head_revision, migrate

__all__ = [
    "DATABASE_ERRORS",
    "Server",
    "data_dir",
    "data_place",
    "database_problem",
    "database_url",
    "head_revision",
    "inspect",
    "migrate",
]

DATABASE_ERRORS = (EmbeddedPostgresError, psycopg.Error, DBAPIError)
_TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL server. ``vector`` is the pgvector on offer, ``revision`` that of the schema."""

    number: int
    version: str
    vector: str | None
    revision: str | None


def data_dir(settings: Settings) -> Path:
    """Where our own PostgreSQL keeps its data."""
    return settings.data_dir or embedded.default_data_dir()


def data_place(settings: Settings) -> str:
    """Where facts are kept, in words fit to print: no password."""
    if settings.embedded:
        return str(data_dir(settings))
    parts = psycopg.conninfo.conninfo_to_dict(conninfo(settings.database_url))
    return f"{parts.get('dbname', '')} on {parts.get('host', 'localhost')}:{parts.get('port', 5432)}"


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """The URL of the database, with our own server running while it is needed."""
    if not settings.embedded:
        yield settings.database_url
        return
    with closing(embedded.start(data_dir(settings))) as server:
        yield server.url


def inspect(url: str) -> Server:
    """What answers at the URL."""
    with psycopg.connect(conninfo(url), connect_timeout=_TIMEOUT_SECONDS) as connection:
        number, version = connection.execute(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version')"
        ).fetchone() or (0, "unknown")
        vector = connection.execute(
            "SELECT coalesce(installed_version, default_version)"
            " FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchone()
        migrated = connection.execute("SELECT to_regclass('alembic_version') IS NOT NULL").fetchone()
        revision = None
        if migrated is not None and migrated[0]:
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return Server(number, version, vector[0] if vector else None, revision[0] if revision else None)


def database_problem(error: Exception) -> str:
    """One sentence on what is wrong with the database."""
    if isinstance(error, EmbeddedPostgresError):
        return str(error)
    cause = error.orig if isinstance(error, DBAPIError) else error
    first = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
    if isinstance(cause, psycopg.OperationalError):
        return f"The database is not reachable: {first} (RECALLD_DATABASE_URL says where it is)"
    return f"The database refused: {first}"
