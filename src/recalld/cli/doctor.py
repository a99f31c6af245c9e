"""recalld doctor: is everything here that recall needs, and if not, what to do about it?"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import typer
from pydantic import ValidationError
from rich.text import Text

from recalld.bootstrap import application
from recalld.cli import database
from recalld.cli.serve import listen, reason
from recalld.cli.terminal import err, first_problem, out
from recalld.domain.errors import RecalldError
from recalld.settings import WITHOUT_MODEL, Settings

OLDEST_PYTHON = (3, 11)
OLDEST_POSTGRES = 160_000
OLDEST_VECTOR = (0, 8)
QUESTION = "Does the model turn this question into a vector?"


class Finding(NamedTuple):
    """One thing looked at. ``remedy`` says what to do; ``None`` when all is right."""

    what: str
    remedy: str | None = None

    @classmethod
    def judged(cls, what: str, remedy: str, *, right: bool) -> Finding:
        """The finding with its remedy only if it is needed."""
        return cls(what, None if right else remedy)


def doctor() -> None:
    """Check everything recall needs; exit code 1 when something is wrong."""
    console = out()
    wrong = 0
    for finding in _findings():
        mark, style = ("ok  ", "green") if finding.remedy is None else ("FAIL", "red")
        console.print(Text.assemble((mark, f"bold {style}"), " ", finding.what), soft_wrap=True)
        if finding.remedy is not None:
            wrong += 1
            console.print(Text(f"     {finding.remedy}", style="yellow"), soft_wrap=True)
    if wrong:
        console.print(f"{wrong} of the checks failed.", style="red")
        raise typer.Exit(1)
    console.print("All is well.", style="green")


def _findings() -> Iterator[Finding]:
    yield check_python()
    try:
        settings = Settings()
    except ValidationError as error:
        yield Finding(f"Settings: {first_problem(error)}", "Correct the environment variable.")
        return
    if settings.embedded:
        yield check_data_dir(database.data_dir(settings))
    yield check_port(settings)
    with err().status("Starting PostgreSQL ..."):
        yield from _about_the_database(settings)


def check_python() -> Finding:
    """The interpreter is new enough."""
    wanted = ".".join(map(str, OLDEST_PYTHON))
    return Finding.judged(
        f"Python {platform.python_version()}",
        f"recalld needs Python {wanted} or newer.",
        right=sys.version_info >= OLDEST_PYTHON,
    )


def check_data_dir(data_dir: Path) -> Finding:
    """The directory of our own PostgreSQL can be written, or made."""
    place = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    what = f"Data directory {data_dir}" if place == data_dir else f"Data directory {data_dir} (not made yet)"
    remedy = "Set RECALLD_DATA_DIR to a directory this user may write to."
    try:
        with tempfile.TemporaryFile(dir=place):
            return Finding(what)
    except OSError as error:
        return Finding(f"{what}: {os.strerror(error.errno or 0)}", remedy)


def check_port(settings: Settings) -> Finding:
    """The port is free, or a recalld answers on it."""
    place = f"{settings.host}:{settings.port}"
    try:
        listen(settings.host, settings.port).close()
    except OSError as error:
        if _recalld_answers(place):
            return Finding(f"Port {settings.port}: a recalld server is running on it")
        remedy = "Stop what listens there, or set RECALLD_PORT to a free port."
        return Finding(f"Cannot listen on {place}: {reason(error)}", remedy)
    return Finding(f"Port {settings.port} is free")


def _recalld_answers(place: str) -> bool:
    try:
        answer = httpx.get(f"http://{place}/health/live", timeout=2)
        return bool(answer.json().get("status") == "alive")
    except (httpx.HTTPError, ValueError, AttributeError):
        return False


def _about_the_database(settings: Settings) -> Iterator[Finding]:
    remedy = "Without a server of your own, leave RECALLD_DATABASE_URL unset and recalld brings PostgreSQL."
    try:
        with database.database_url(settings) as url:
            server = database.inspect(url)
            yield from check_server(server)
            yield check_revision(server.revision, settings)
            if server.number >= OLDEST_POSTGRES and server.vector:
                yield check_model(settings)
    except database.DATABASE_ERRORS as error:
        yield Finding(f"PostgreSQL: {database.database_problem(error)}", remedy)


def check_server(server: database.Server) -> Iterator[Finding]:
    """PostgreSQL and pgvector are new enough."""
    yield Finding.judged(
        f"PostgreSQL {server.version}",
        f"recalld needs PostgreSQL {OLDEST_POSTGRES // 10_000} or newer.",
        right=server.number >= OLDEST_POSTGRES,
    )
    wanted = ".".join(map(str, OLDEST_VECTOR))
    new_enough = server.vector is not None and _numbers(server.vector) >= OLDEST_VECTOR
    remedy = f"Install pgvector {wanted} or newer on the database server, then ALTER EXTENSION vector UPDATE."
    yield Finding.judged(f"pgvector {server.vector or 'is not installed'}", remedy, right=new_enough)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def check_revision(revision: str | None, settings: Settings) -> Finding:
    """The schema is the one this version works on, or will be."""
    newest = database.head_revision()
    if revision == newest:
        return Finding(f"Schema at revision {newest}, the newest")
    if revision is not None and revision > newest:
        remedy = "A newer recalld has been here; upgrade this one."
        return Finding(f"Schema at revision {revision}, newer than {newest}", remedy)
    what = f"Schema at revision {revision}" if revision else "Schema not made yet"
    if settings.run_migrations_on_startup:
        return Finding(f"{what}; the next start brings it to {newest}")
    return Finding(f"{what}, but {newest} is the newest", "Run: recalld migrate")


def check_model(settings: Settings) -> Finding:
    """The model loads and embeds, inside the application as it will run."""
    try:
        return asyncio.run(_embed_once(settings))
    except RecalldError as error:
        return Finding(f"Start: {error.message}", "Follow the sentence above, then try again.")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        remedy = "Install recalld again; the model is part of the package."
        if settings.embeddings_provider != "bundled" or settings.reranker not in WITHOUT_MODEL:
            remedy = (
                "docs/encoders.md says what each provider needs. RECALLD_EMBEDDINGS_PROVIDER=bundled and "
                "RECALLD_RERANKER=builtin do without."
            )
        first = next(iter(str(error).splitlines()), "")
        return Finding(f"Model: {type(error).__name__}: {first}", remedy)


async def _embed_once(settings: Settings) -> Finding:
    start = time.perf_counter()
    async with application(settings) as app:
        loaded = time.perf_counter()
        await app.embedder.embed_query(QUESTION)
        embedded = time.perf_counter()
        name = app.embedder.name
    return Finding(
        f"Model {name}: started in {(loaded - start) * 1000:.0f} ms, "
        f"one query embedded in {(embedded - loaded) * 1000:.1f} ms"
    )
