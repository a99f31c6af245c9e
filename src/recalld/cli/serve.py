"""recalld serve: the HTTP server."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
import uvicorn

from recalld.api.app import create_app
from recalld.bootstrap import application, at_work
from recalld.cli.database import data_place
from recalld.cli.terminal import err, fail, plain_errors
from recalld.settings import Settings

BACKLOG = 2048
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A server whose signal handlers outlive it, so that the database is stopped in peace too."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the handlers to ``stopped_by_signals``."""
        yield


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; RECALLD_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; RECALLD_PORT.")] = None,
) -> None:
    """Start the server."""
    with plain_errors():
        settings = Settings()
        listening = _listen(host or settings.host, settings.port if port is None else port)
        config = uvicorn.Config(create_app(settings), log_level=settings.log_level, access_log=False)
        with listening, asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
            runner.run(_serve(settings, config, listening))


async def _serve(settings: Settings, config: uvicorn.Config, listening: socket.socket) -> None:
    server = Server(config)
    with stopped_by_signals(server):
        async with application(settings) as running, at_work(running):
            config.app = create_app(running=running)
            _greet(settings, listening)
            await server.serve(sockets=[listening])


def _greet(settings: Settings, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    err().print(
        f"[bold green]recalld[/] answers at http://{name}:{port}, describes itself at http://{name}:{port}/docs"
        f"\nand keeps its data in {data_place(settings)}",
        soft_wrap=True,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises ``OSError``."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except (OSError, OverflowError) as error:
        fail(f"Cannot listen on {host}:{port}: {reason(error)}. Choose another with --port or RECALLD_PORT.")


def reason(error: Exception) -> str:
    """What the system says, without the address that the caller names anyway."""
    return str(error).partition(" (while")[0].partition("] ")[2] or str(error)


@contextmanager
def stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """SIGINT and SIGTERM ask the server to finish; what was set before is put back."""
    before = {number: signal.signal(number, server.handle_exit) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
