"""recalld retain: store a text, a Markdown file or JSON lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from recalld.bootstrap import Application
from recalld.cli.read_file import Contents, batches, read_file
from recalld.cli.session import in_application
from recalld.cli.terminal import counted, err, out, plain_errors, words
from recalld.retain.types import RetainItem, RetainOutcome

BATCH = 128
PATIENCE = 1.0
"""Seconds before a progress bar appears."""


def retain(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="The file.")],
    bank: Annotated[str, typer.Option(help="Bank to store in; made when missing.")] = "default",
    timestamp: Annotated[
        str | None, typer.Option(help="Date of what carries none, ISO or 'unset'; now by default.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option(help="Tags of what carries none; repeat, or join by commas.")
    ] = None,
) -> None:
    """Store a file: text and Markdown as one document, .jsonl line by line with the API's item fields."""
    defaults: dict[str, Any] = {"timestamp": timestamp, "tags": words(tags) or None}
    with plain_errors():
        contents = read_file(file, {name: value for name, value in defaults.items() if value is not None})

    async def store(app: Application) -> int:
        return await _store(app, bank, contents.items)

    stored = in_application(store) if contents.items else 0
    _report(file.name, contents, stored)


async def _store(app: Application, bank: str, items: Sequence[RetainItem]) -> int:
    """Items stored; says what was stored also when it could not go on."""
    parts = batches(items, BATCH)
    outcomes: list[RetainOutcome] = []
    done = 0
    try:
        async with progress_bar("Storing", len(items)) as bar:
            for part in parts:
                outcomes.append(await app.retain.retain(bank, part))
                done += len(part)
                bar.update(bar.task_ids[0], completed=done)
    except BaseException:
        err().print(f"At least {done} of {len(items)} items were stored; the same command stores the rest.")
        raise
    added, kept = sum(o.facts_added for o in outcomes), sum(o.facts_kept for o in outcomes)
    documents = sum(o.documents for o in outcomes)
    message = (
        f"Bank '{bank}': {counted(documents, 'document')}, {counted(added, 'fact')} added, {kept} unchanged."
    )
    out().print(message, markup=False, soft_wrap=True)
    return done


@asynccontextmanager
async def progress_bar(title: str, total: int) -> AsyncIterator[Progress]:
    """A bar that shows itself on a terminal once the work has taken a second."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = err()
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    bar.add_task(title, total=total if total > 1 else None)

    async def appear() -> None:
        await asyncio.sleep(PATIENCE)
        bar.start()

    waiting = asyncio.create_task(appear())
    try:
        yield bar
    finally:
        waiting.cancel()
        bar.stop()


def _report(name: str, contents: Contents, stored: int) -> None:
    console = err()
    if contents.unknown:
        ignored = f"Fields that retain does not know were left out: {', '.join(contents.unknown)}."
        console.print(ignored, style="yellow", markup=False, soft_wrap=True)
    if not contents.bad:
        return
    for line in contents.bad:
        console.print(f"{name}, line {line.number}: {line.reason}", style="red", markup=False, soft_wrap=True)
    summary = (
        f"{counted(stored, 'line')} stored, {len(contents.bad)} not. Correct them and run the command again."
    )
    console.print(summary, style="red", soft_wrap=True)
    raise typer.Exit(1)
