"""Connections: a lean pool for recall's reads, SQLAlchemy for the rest; driver errors become our own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson
import psycopg
from psycopg import AsyncConnection as DriverConnection
from psycopg.rows import TupleRow
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout
from sqlalchemy import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as EngineTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from recalld.domain.errors import Contended, DeadlineExceeded, Overloaded, Unprocessable

ReadConnection: TypeAlias = DriverConnection[TupleRow]
WriteConnection: TypeAlias = AsyncConnection
_WRITERS_SHARE = 4
EMBEDDER = "embedder"
"""Under which a connection for writing knows the model of its process."""


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Connections at most, and the longest waits in seconds."""

    size: int = 40
    acquire: float = 30.0
    statement: float = 60.0


class Database:
    """Hands out connections. ``open`` it before use.

    ``language`` is that of the words of banks made here. ``embedder`` is the model whose vectors this
    process writes, once that is known.
    """

    def __init__(self, url: str, limits: PoolLimits = PoolLimits(), language: str = "english") -> None:
        # Over an index, scans go on while filters reject what they find.
        options = (
            f"-c statement_timeout={int(limits.statement * 1000)} -c timezone=UTC"
            f" -c plan_cache_mode=force_custom_plan -c default_text_search_config=pg_catalog.{language}"
            " -c hnsw.ef_search=200 -c hnsw.iterative_scan=strict_order -c hnsw.max_scan_tuples=20000"
        )
        self.embedder: str | None = None
        writers = max(2, limits.size // _WRITERS_SHARE)
        self._engine = create_async_engine(
            driver_url(url),
            pool_size=writers,
            max_overflow=0,
            pool_timeout=limits.acquire,
            json_serializer=lambda value: orjson.dumps(value).decode(),
            json_deserializer=orjson.loads,
            connect_args={"connect_timeout": 10, "options": options},
        )
        self._readers: AsyncConnectionPool[ReadConnection] = AsyncConnectionPool(
            conninfo(url),
            min_size=1,
            max_size=limits.size - writers,
            timeout=limits.acquire,
            open=False,
            configure=_adapt,
            kwargs={"autocommit": True, "connect_timeout": 10, "options": options},
            name="recall",
        )

    async def open(self) -> None:
        """Start the read pool."""
        await self._readers.open()

    async def close(self) -> None:
        """Close every connection."""
        await self._readers.close()
        await self._engine.dispose()

    @property
    def pool_stats(self) -> dict[str, int]:
        """What psycopg counts of the read pool."""
        return self._readers.get_stats()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[ReadConnection]:
        """A driver connection in autocommit for independent reads."""
        with _errors_translated():
            async with self._readers.connection() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A connection inside one transaction, committed at the end of the block."""
        with _errors_translated():
            async with self._engine.begin() as connection:
                connection.info[EMBEDDER] = self.embedder
                yield connection


async def _adapt(connection: ReadConnection) -> None:
    set_json_loads(orjson.loads, connection)


def check_same_embedder(ours: str, stored: str | None) -> None:
    """Raise ``Overloaded`` when another model than ours made the stored vectors."""
    if stored != ours:
        raise Overloaded(
            f"The vectors of this database were made anew with '{stored}', and this server still uses "
            f"'{ours}': it has to be restarted with the other's settings.",
            retry_after=30,
        )


def id_list(ids: Iterable[str]) -> str:
    """Ids as an array literal, to be cast to ``uuid[]``."""
    return "{" + ",".join(ids) + "}"


async def fetch(connection: ReadConnection, query: str, params: dict[str, Any]) -> list[TupleRow]:
    """All rows of a read, sent in binary."""
    cursor = connection.cursor(binary=True)
    await cursor.execute(query.encode(), params)
    return await cursor.fetchall()


@contextmanager
def _errors_translated() -> Iterator[None]:
    """Maps driver failures onto the error tree; everything else passes through."""
    try:
        yield
    except (PoolTimeout, PoolClosed, EngineTimeout) as error:
        raise Overloaded("No database connection became free in time.", retry_after=5) from error
    except (psycopg.Error, DBAPIError) as error:
        raise _translated(error) from error


def _translated(error: Exception) -> Exception:
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, psycopg.errors.QueryCanceled | psycopg.errors.LockNotAvailable):
        return DeadlineExceeded("The database did not answer in time.")
    if isinstance(cause, psycopg.errors.DeadlockDetected):
        return Contended("Other writes got in the way; try again.")
    if isinstance(cause, psycopg.errors.ProgramLimitExceeded):
        return Unprocessable("A value is too long to be indexed: shorten ids, tags, names or context.")
    if isinstance(cause, psycopg.errors.DataException) and "dimensions" in str(cause):
        message = "The vectors of this database are another model's now; this server has to be restarted."
        return Overloaded(message, retry_after=30)
    if isinstance(cause, psycopg.OperationalError):
        return Overloaded("The database is not reachable.", retry_after=30)
    return error


def driver_url(url: str) -> URL:
    """The URL with the psycopg driver named, whatever spelling of ``postgres`` the caller used."""
    return make_url(url).set(drivername="postgresql+psycopg")


def conninfo(url: str) -> str:
    """The URL as libpq reads it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
