"""recalld recall: one question, asked as the API would ask it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from recalld.api.hindsight.convert import fact_types, recall_query, recall_response
from recalld.api.hindsight.schemas.recall import RecallRequest
from recalld.bootstrap import Application
from recalld.cli.ranking import ranked_table, stage_line, window_line
from recalld.cli.session import in_application
from recalld.cli.terminal import out, plain_errors, words
from recalld.domain.budget import Budget
from recalld.domain.tags import TagMatch
from recalld.recall.types import RecallOutcome

TRACED_ROWS = 25


def recall(
    query: Annotated[str, typer.Argument(help="The question.")],
    bank: Annotated[str, typer.Option(help="Bank to search.")] = "default",
    budget: Annotated[Budget, typer.Option(help="How deep to search.")] = Budget.MID,
    max_tokens: Annotated[int, typer.Option(help="Tokens the answer may take.")] = 4096,
    types: Annotated[
        list[str] | None, typer.Option(help="Fact types; repeat, or join by commas. All by default.")
    ] = None,
    tags: Annotated[list[str] | None, typer.Option(help="Tags; repeat, or join by commas.")] = None,
    tags_match: Annotated[TagMatch, typer.Option(help="How tags are compared.")] = TagMatch.ANY,
    at: Annotated[str | None, typer.Option(help="Moment the question is asked, ISO; now by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's answer.")] = False,
    trace: Annotated[bool, typer.Option(help="Show ranks, scores and stage times.")] = False,
) -> None:
    """Ask a bank a question and print the facts that belong to it, best first."""
    body: dict[str, Any] = {
        "query": query,
        "budget": str(budget),
        "max_tokens": max_tokens,
        "types": words(types) or None,
        "tags": words(tags) or None,
        "tags_match": str(tags_match),
        "query_timestamp": at,
        "trace": trace and as_json,
    }
    with plain_errors():
        request = RecallRequest.model_validate(body)
        asked = replace(recall_query(bank, request), types=fact_types(request.types))

    async def ask(app: Application) -> RecallOutcome:
        return await app.recall.recall(asked)

    outcome = in_application(ask)
    if as_json:
        typer.echo(recall_response(outcome).model_dump_json())
    else:
        _show(outcome, traced=trace)


def _show(outcome: RecallOutcome, *, traced: bool) -> None:
    console = out()
    if not outcome.selection.kept:
        console.print("Nothing found.", style="yellow")
    if traced:
        console.print(ranked_table(outcome, TRACED_ROWS))
        hidden = len(outcome.selection.kept) - TRACED_ROWS
        if hidden > 0:
            console.print(f"and {hidden} more", style="dim")
        for line in (window_line(outcome), stage_line(outcome)):
            if line:
                console.print(escape(line), style="dim")
        return
    table = Table.grid(padding=(0, 2))
    for scored in outcome.selection.kept:
        happened = scored.memory.happened_at
        date = f"{happened:%Y-%m-%d}" if happened else ""
        table.add_row(f"{scored.final:.2f}", date, Text(scored.memory.text))
    console.print(table)
