"""Alembic environment: runs on the connection it is given, under lock and statement timeouts."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, text

LOCK_TIMEOUT = "30s"
STATEMENT_TIMEOUT = "15min"


def run(connection: Connection) -> None:
    """Apply the migrations in one transaction."""
    context.configure(connection=connection, target_metadata=None, transaction_per_migration=False)
    with context.begin_transaction():
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
        connection.execute(text(f"SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'"))
        context.run_migrations()


run(context.config.attributes["connection"])
