"""recalld worker: background work apart from a server."""

from __future__ import annotations

import asyncio
import signal

from recalld.bootstrap import application, working
from recalld.cli.database import data_place
from recalld.cli.terminal import err, plain_errors
from recalld.settings import Settings


def worker() -> None:
    """Do the background work of the servers on the same database, until stopped."""
    with plain_errors():
        asyncio.run(_work(Settings()))


async def _work(settings: Settings) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with application(settings) as app, working(app):
        err().print(f"[bold green]recalld worker[/] empties the queue in {data_place(settings)}")
        await stopped.wait()
