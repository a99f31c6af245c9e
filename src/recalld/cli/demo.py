"""recalld demo: store a small story, ask six questions, show how each answer was found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.rule import Rule

from recalld.bootstrap import Application, application
from recalld.cli.database import data_place
from recalld.cli.ranking import ranked_table, stage_line, window_line
from recalld.cli.story import ASKED_AT, BANK, FACTS, QUESTIONS, Question
from recalld.cli.terminal import err, out, plain_errors
from recalld.domain.errors import BankNotFound, Conflict
from recalld.recall.types import RecallOutcome
from recalld.retain.banks import BankChange
from recalld.settings import Settings

ROWS = 3
MARGIN = "   "
MISSION = "The story that recalld demo tells."


def demo() -> None:
    """Store a small story in the bank 'demo' and ask it six questions."""
    with plain_errors():
        settings = Settings()
        right = asyncio.run(_demo(settings))
    console = out()
    console.print(Rule(style="dim"))
    style = "bold green" if right == len(QUESTIONS) else "bold red"
    console.print(f"{right} of {len(QUESTIONS)} answers are right.", style=style)
    if right < len(QUESTIONS):
        raise typer.Exit(1)
    _next_steps(console, settings)


async def _demo(settings: Settings) -> int:
    console = out()
    async with AsyncExitStack() as stack:
        with _step("Starting PostgreSQL and the model (the first start takes some seconds) ..."):
            app = await stack.enter_async_context(application(settings))
        console.print(f"Started: data in {data_place(settings)}, model {app.embedder.name}", soft_wrap=True)
        with _step(f"Storing {len(FACTS)} facts ..."):
            await _empty_bank(app)
            await app.retain.retain(BANK, [fact.item() for fact in FACTS])
        console.print(f"Stored: {len(FACTS)} facts about Mira and Tomas, October 2025 to September 2026")
        await app.recall.recall(QUESTIONS[0].query())  # the first recall opens connections
        return sum([await _ask(console, app, number) for number in range(1, len(QUESTIONS) + 1)])


async def _empty_bank(app: Application) -> None:
    """Make the bank anew, but never delete one that the demo did not make."""
    try:
        found = await app.banks.get(BANK)
    except BankNotFound:
        pass
    else:
        if found.mission != MISSION:
            raise Conflict(f"A bank '{BANK}' that the demo did not make is here; it stays as it is.")
        await app.banks.delete(BANK)
    await app.banks.put(BANK, BankChange(columns={"mission": MISSION}, overrides={}))


@contextmanager
def _step(words: str) -> Iterator[None]:
    """A spinner on a terminal, nothing elsewhere."""
    console = err()
    if not console.is_terminal:
        yield
        return
    with console.status(words):
        yield


async def _ask(console: Console, app: Application, number: int) -> bool:
    question = QUESTIONS[number - 1]
    outcome = await app.recall.recall(question.query())
    right = is_right(question, outcome)
    kept = outcome.selection.kept
    mark, style = ("\u2713", "green") if right else ("\u2717", "red")
    console.print(Rule(style="dim"))
    console.print(f"[bold {style}]{mark}[/] [bold]{number}. {escape(question.text)}[/]")
    console.print(f"{MARGIN}{question.shows}", style="italic", markup=False, soft_wrap=True)
    table = ranked_table(outcome, ROWS, kept[0].memory.id if right else None)
    console.print(Padding(table, (0, 0, 0, len(MARGIN)), expand=False))
    for line in (window_line(outcome), stage_line(outcome)):
        if line:
            console.print(f"{MARGIN}{line}", style="dim", markup=False, soft_wrap=True)
    return right


def is_right(question: Question, outcome: RecallOutcome) -> bool:
    """The answer is first, found by those who must find it and missed by those who must not."""
    kept = outcome.selection.kept
    if not kept or kept[0].memory.text != question.answer:
        return False
    ranks = kept[0].candidate.fused.ranks
    return all(name in ranks for name in question.found_by) and not any(
        name in ranks for name in question.missed_by
    )


def _next_steps(console: Console, settings: Settings) -> None:
    url = f"http://127.0.0.1:{settings.port}/v1/default/banks/{BANK}/memories/recall"
    asked = f"{ASKED_AT:%Y-%m-%d}"
    console.print("Next:")
    for line in (
        f"  recalld recall 'Who plays an instrument?' --bank {BANK} --at {asked} --trace",
        "  recalld serve",
        f"  curl -s {url} \\",
        "    -H 'Content-Type: application/json' -d '{\"query\": \"Is anyone allergic to nuts?\"}'",
    ):
        console.print(line, markup=False, soft_wrap=True)
