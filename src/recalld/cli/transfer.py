"""recalld export and import: a bank as a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from recalld.bootstrap import Application
from recalld.cli.retain import progress_bar
from recalld.cli.session import in_application
from recalld.cli.terminal import counted, err, out, plain_errors
from recalld.domain.banks import Bank
from recalld.domain.errors import BankNotFound
from recalld.transfer.archive import Archive
from recalld.transfer.export import Wanted
from recalld.transfer.guards import OWN
from recalld.transfer.report import Choices, OnConflict, Report

ENDING = ".part"
"""Of a file that is not whole yet."""


class Mode(StrEnum):
    """What an import does with the bank."""

    RESTORE = "restore"
    MERGE = "merge"


def export(
    bank: Annotated[str, typer.Argument(help="The bank's id.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", dir_okay=False, help="The file; named after the bank.")
    ] = None,
) -> None:
    """Write a bank as an archive: documents, facts, observations, attachments and settings."""
    path = output or Path(f"{_file_name(bank)}-documents.zip")
    unfinished = path.with_name(path.name + ENDING)

    async def write(app: Application) -> dict[str, int]:
        found = await app.transfer.bank(bank)
        exporter = replace(app.transfer.exporter, members=OWN.members)
        try:
            async with progress_bar("Exporting", 0) as bar:
                with unfinished.open("wb") as file:
                    counts = await exporter.export(found, Wanted(), file, _shown(bar))
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        return counts

    counts = in_application(write)
    told = (
        f"{path}: {counted(counts['documents'], 'document')}, {counted(counts['facts'], 'fact')},"
        f" {counted(counts['observations'], 'observation')}."
    )
    out().print(told, markup=False, soft_wrap=True)


def import_(
    archive: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="The ZIP archive.")
    ],
    bank: Annotated[
        str | None, typer.Option(help="Bank to import into; that of the archive by default.")
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="'restore' makes a bank with its settings, 'merge' adds to one; as needed by default."
        ),
    ] = None,
    on_conflict: Annotated[
        OnConflict, typer.Option(help="What to do with documents whose id is taken by another document.")
    ] = OnConflict.SKIP,
) -> None:
    """Read an archive into a bank. What the bank has already is not added again."""
    with plain_errors(), archive.open("rb") as file:
        opened = Archive.open(file, OWN)
        name = bank or opened.manifest.source_bank_id

        async def read(app: Application) -> Report:
            found, chosen = await _bank(app, name, mode)
            choices = Choices(on_conflict, bank_config=chosen is Mode.RESTORE)
            async with progress_bar("Importing", len(opened.document_names)) as bar:
                return await app.transfer.importer.run(found, opened, choices, show=_shown(bar))

        _tell(name, in_application(read))


async def _bank(app: Application, name: str, mode: Mode | None) -> tuple[Bank, Mode]:
    """The bank, made if need be, and the mode that is wanted or goes with it."""
    if mode is None:
        try:
            return await app.transfer.bank(name), Mode.MERGE
        except BankNotFound:
            mode = Mode.RESTORE
    if mode is Mode.RESTORE:
        return await app.transfer.new_bank(name), mode
    return await app.transfer.made_bank(name), mode


def _shown(bar: Progress) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        bar.update(bar.task_ids[0], completed=done, total=total)

    return show


def _tell(name: str, report: Report) -> None:
    told = (
        f"Bank '{name}': {counted(report.documents_imported, 'document')},"
        f" {counted(report.facts_imported, 'fact')} and"
        f" {counted(report.observations_imported, 'observation')} imported;"
        f" {counted(report.documents_skipped, 'document')} and"
        f" {counted(report.observations_skipped, 'observation')} skipped."
    )
    out().print(told, markup=False, soft_wrap=True)
    for old, new in report.remapped_document_ids.items():
        out().print(f"Document '{old}' is here as '{new}'.", markup=False, soft_wrap=True)
    left = [f"{count} in {name}" for name, count in report.members_skipped.items()]
    left += [f"the setting {setting}" for setting in report.settings_skipped]
    if left:
        err().print(f"Left out: {', '.join(left)}.", style="yellow", markup=False, soft_wrap=True)


def _file_name(bank: str) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in bank)
