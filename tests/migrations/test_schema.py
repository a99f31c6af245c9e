"""The schema: what the migrations make is what the code expects, once, whoever comes first."""

from __future__ import annotations

import subprocess
import sys

import psycopg
import pytest

from recalld.store.engine import conninfo
from recalld.store.migrate import head_revision, migrate
from recalld.store.tables import metadata
from tests.fixtures.databases import empty_database

MIGRATE = "import sys; from recalld.store.migrate import migrate; print(migrate(sys.argv[1]))"


def columns(url: str) -> dict[str, list[str]]:
    """Columns by table, in order."""
    query = (
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
        " ORDER BY table_name, ordinal_position"
    )
    found: dict[str, list[str]] = {}
    with psycopg.connect(conninfo(url)) as connection:
        for table, column in connection.execute(query):
            found.setdefault(table, []).append(column)
    found.pop("alembic_version", None)
    return found


def test_the_tables_have_the_columns_the_code_names(database_url: str) -> None:
    expected = {name: [column.name for column in table.columns] for name, table in metadata.tables.items()}
    assert columns(database_url) == expected


def test_the_keys_are_the_ones_the_code_names(database_url: str) -> None:
    query = (
        "SELECT conrelid::regclass::text, array_agg(attname::text ORDER BY array_position(conkey, attnum))"
        " FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY(conkey)"
        " WHERE contype = 'p' AND connamespace = 'public'::regnamespace GROUP BY 1"
    )
    with psycopg.connect(conninfo(database_url)) as connection:
        found: dict[str, list[str]] = dict(connection.execute(query).fetchall())
    found.pop("alembic_version")
    expected = {n: [column.name for column in table.primary_key] for n, table in metadata.tables.items()}
    assert found == expected


def test_every_table_of_a_bank_carries_its_key_first(database_url: str) -> None:
    carrying = {name: names[0] for name, names in columns(database_url).items() if name != "store_facts"}
    assert set(carrying.values()) == {"bank_key"}


def test_migrating_twice_changes_nothing(server_url: str) -> None:
    with empty_database(server_url) as url:
        assert migrate(url) == head_revision()
        made = columns(url)
        assert migrate(url) == head_revision()
        assert columns(url) == made


def test_two_processes_may_migrate_at_once(server_url: str) -> None:
    with empty_database(server_url) as url:
        command = [sys.executable, "-c", MIGRATE, url]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        answers = [process.communicate(timeout=60)[0].strip() for process in processes]
        assert answers == [head_revision()] * 2
        assert [process.returncode for process in processes] == [0, 0]


@pytest.mark.parametrize(
    ("column", "storage"),
    [
        ("memory_units.embedding", "p"),
        ("memory_units.term_weights", "m"),
        ("memory_token_vectors.vectors", "e"),
    ],
)
def test_vectors_are_stored_beside_their_row_or_far_from_it(
    database_url: str, column: str, storage: str
) -> None:
    table, _, name = column.partition(".")
    query = "SELECT attstorage FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s"
    with psycopg.connect(conninfo(database_url)) as connection:
        row = connection.execute(query, (table, name)).fetchone()
    assert row is not None
    found = row[0].decode() if isinstance(row[0], bytes) else row[0]
    assert found == storage
