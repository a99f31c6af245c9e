"""Connections: one pool for everything, driver errors turned into the product's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
from sqlalchemy import URL, make_url
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from recalld.domain.errors import DeadlineExceeded, Overloaded


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Size of the pool and the longest waits, in seconds."""

    size: int = 40
    acquire: float = 30.0
    statement: float = 60.0


class Database:
    """Hands out connections. ``read`` is autocommit, ``write`` is one transaction."""

    def __init__(self, url: str, limits: PoolLimits = PoolLimits()) -> None:
        self._engine = create_async_engine(
            driver_url(url),
            pool_size=limits.size,
            max_overflow=0,
            pool_timeout=limits.acquire,
            pool_pre_ping=False,
            connect_args={
                "connect_timeout": 10,
                "options": f"-c statement_timeout={int(limits.statement * 1000)} -c timezone=UTC"
                " -c plan_cache_mode=force_custom_plan -c default_text_search_config=pg_catalog.english",
            },
        )
        self._readers = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    @property
    def engine(self) -> AsyncEngine:
        """The pool itself, for migrations and metrics."""
        return self._engine

    @property
    def open_connections(self) -> int:
        """Connections held open now."""
        pool = self._engine.pool
        return pool.checkedin() + pool.checkedout() if isinstance(pool, QueuePool) else 0

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection for independent statements."""
        with _errors_translated():
            async with self._readers.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A connection inside one transaction, committed at the end of the block."""
        with _errors_translated():
            async with self._engine.begin() as connection:
                yield connection

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


class _errors_translated:  # noqa: N801 - reads as a statement at its call sites
    """Maps driver failures onto the error tree; everything else passes through."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, PoolTimeout):
            raise Overloaded("No database connection became free in time.", retry_after=5) from error
        if isinstance(error, DBAPIError):
            if isinstance(error.orig, psycopg.errors.QueryCanceled):
                raise DeadlineExceeded("The database did not answer in time.") from error
            if error.connection_invalidated or isinstance(error, OperationalError):
                raise Overloaded("The database is not reachable.", retry_after=30) from error


def driver_url(url: str) -> URL:
    """The URL with the psycopg driver named, whatever spelling of ``postgres`` the caller used."""
    return make_url(url).set(drivername="postgresql+psycopg")
