"""recalld bank: list, create and delete banks."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from recalld.bootstrap import Application
from recalld.cli.session import in_application
from recalld.cli.terminal import out
from recalld.domain.banks import BankSummary
from recalld.domain.errors import BankNotFound
from recalld.retain.banks import BankChange

PAGE = 1000
NOTHING_CHANGES = BankChange(columns={}, overrides={})

commands = typer.Typer(help="Banks: the separate memories that facts are kept in.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The bank's id.")]


@commands.command("list")
def list_all(
    search: Annotated[str | None, typer.Option(help="Part of an id or a name.")] = None,
) -> None:
    """List banks, last written first."""

    async def read(app: Application) -> tuple[list[BankSummary], int]:
        return await app.banks.list(search, "", PAGE, 0)

    summaries, total = in_application(read)
    if not summaries:
        out().print("There are no banks yet.", style="yellow")
        return
    table = Table("bank", "facts", "created", "last written", box=None, pad_edge=False, header_style="dim")
    table.columns[1].justify = "right"
    for summary in summaries:
        created, written = _day(summary.created_at), _day(summary.last_write_at)
        table.add_row(Text(summary.bank.bank_id), str(summary.fact_count), created, written)
    out().print(table)
    if total > len(summaries):
        out().print(f"and {total - len(summaries)} more; narrow it down with --search", style="dim")


@commands.command()
def create(name: Name) -> None:
    """Create a bank; one that exists stays as it is."""

    async def put(app: Application) -> bool:
        try:
            await app.banks.get(name)
        except BankNotFound:
            await app.banks.put(name, NOTHING_CHANGES)
            return True
        return False

    created = in_application(put)
    out().print(f"Bank '{name}' {'created' if created else 'exists already'}.", markup=False)


@commands.command()
def delete(name: Name, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Delete a bank with all it holds."""

    async def drop(app: Application) -> None:
        facts = (await app.banks.get(name)).unit_count
        if not yes:
            typer.confirm(f"Delete bank '{name}' with {facts} facts?", abort=True)
        await app.banks.delete(name)

    in_application(drop)
    out().print(f"Bank '{name}' deleted.", markup=False)


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""
