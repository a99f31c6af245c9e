"""Brings a database to the newest schema, once, however many processes start together."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from recalld.store.engine import driver_url

ADVISORY_LOCK = 0x7265_6361_6C6C_64  # "recalld"
_PACKAGED = Path(__file__).parent.parent / "_migrations"
_CHECKOUT = Path(__file__).parents[3] / "migrations"


def migrations_dir() -> Path:
    """Where the migration scripts are: inside the installed wheel, else in the checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def migrate(url: str) -> str:
    """Apply what is missing and return the revision the database is at."""
    config = Config()
    config.set_main_option("script_location", str(migrations_dir()).replace("%", "%%"))
    engine = create_engine(driver_url(url), connect_args={"connect_timeout": 10})
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
            connection.commit()
            try:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
                return MigrationContext.configure(connection).get_current_revision() or "none"
            finally:
                connection.rollback()
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_LOCK})
                connection.commit()
    finally:
        engine.dispose()


def head_revision() -> str:
    """The newest revision this version knows."""
    config = Config()
    config.set_main_option("script_location", str(migrations_dir()).replace("%", "%%"))
    return ScriptDirectory.from_config(config).get_current_head() or "none"
