"""recalld migrate: bring the schema up to date and say where it is."""

from __future__ import annotations

from recalld.cli import database
from recalld.cli.terminal import out, plain_errors
from recalld.settings import Settings


def migrate() -> None:
    """Bring the database to the newest schema and print its revision."""
    with plain_errors(), database.database_url(Settings()) as url:
        out().print(database.migrate(url))
