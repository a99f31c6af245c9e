"""The commands by name."""

from __future__ import annotations

import typer

from recalld.cli import bank, demo, doctor, migrate, recall, reembed, retain, serve, transfer, when, worker

cli = typer.Typer(
    name="recalld",
    help="Recall for agent memory: a server and a command line over the same pipeline.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.command("serve")(serve.serve)
cli.command("worker")(worker.worker)
cli.command("demo")(demo.demo)
cli.command("retain")(retain.retain)
cli.command("recall")(recall.recall)
cli.add_typer(bank.commands, name="bank")
cli.command("export")(transfer.export)
cli.command("import")(transfer.import_)
cli.command("migrate")(migrate.migrate)
cli.command("reembed")(reembed.reembed)
cli.command("doctor")(doctor.doctor)
cli.command("when")(when.when)


def main() -> None:
    """Entry point."""
    cli()
