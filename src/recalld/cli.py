"""The command line."""

from __future__ import annotations

import typer
import uvicorn

from recalld.settings import Settings

cli = typer.Typer(no_args_is_help=True, add_completion=False)


@cli.command()
def serve(host: str | None = None, port: int | None = None) -> None:
    """Start the server."""
    from recalld.api.app import create_app

    settings = Settings()
    uvicorn.run(create_app(settings), host=host or settings.host, port=settings.port if port is None else port, log_level=settings.log_level, access_log=False)


@cli.command()
def doctor() -> None:
    """x."""


def main() -> None:
    """Entry point."""
    cli()
