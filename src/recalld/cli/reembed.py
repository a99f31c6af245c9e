"""recalld reembed: make all vectors anew with the configured embedder."""

from __future__ import annotations

import asyncio

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from recalld.bootstrap import reembedding
from recalld.cli.terminal import err, out, plain_errors
from recalld.retain.reembed import Reembedded
from recalld.settings import Settings


def reembed() -> None:
    """Make all vectors anew with the configured embedder, while a server with the old one answers.

    It can be interrupted at any time; the next run goes on from there.
    """
    with plain_errors():
        done = asyncio.run(_reembed(Settings()))
    console = out()
    if done.made or done.before not in {None, done.after}:
        console.print(f"The vectors are those of '{done.after}' now; they were of '{done.before}'.")
        console.print("Restart the servers on this database with the same embedder settings.")
    else:
        console.print(f"The vectors are those of '{done.after}' already.")


async def _reembed(settings: Settings) -> Reembedded:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    async with reembedding(settings) as work:
        with Progress(*columns, console=err()) as bar:
            steps: dict[str, TaskID] = {}

            def show(step: str, done: int, total: int) -> None:
                if step not in steps:
                    steps[step] = bar.add_task(step, total=total)
                bar.update(steps[step], completed=done, total=total)

            return await work.run(show)
