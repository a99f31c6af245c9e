"""recalld doctor and migrate: what is right, what is wrong, and what to do about it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from recalld.cli.database import Server
from recalld.cli.doctor import check_data_dir, check_revision, check_server
from recalld.settings import Settings
from recalld.store.migrate import head_revision
from tests.cli.conftest import Run


def test_all_is_well_here(run: Run) -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[-1] == "All is well."
    assert all(line.startswith("ok ") for line in lines[:-1])
    for part in ("Python 3.", "PostgreSQL 1", "pgvector 0.", "Schema at revision", "one query embedded in"):
        assert part in result.stdout


def test_a_database_that_does_not_answer_is_told_with_a_remedy(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"postgresql://somebody:secret@127.0.0.1:{port}/nothing"
    result = run("doctor", env={"RECALLD_DATABASE_URL": url})
    assert result.exit_code == 1
    assert "FAIL PostgreSQL: The database is not reachable" in result.stdout
    assert "leave RECALLD_DATABASE_URL unset" in result.stdout
    assert "secret" not in result.output


def test_other_commands_say_it_in_one_sentence(run: Run) -> None:
    result = run("recall", "x", env={"RECALLD_DATABASE_URL": "postgresql://127.0.0.1:1/nothing"})
    assert result.exit_code == 1
    assert result.stderr.startswith("The database is not reachable")
    assert len(result.stderr.splitlines()) == 1


def test_a_taken_port_fails(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run("doctor", env={"RECALLD_PORT": port})
        served = run("serve", env={"RECALLD_PORT": port})
    assert result.exit_code == served.exit_code == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in result.stdout
    assert served.stderr.startswith(f"Cannot listen on 127.0.0.1:{port}")


def test_a_setting_that_cannot_be_read_is_named(run: Run) -> None:
    for command in (("doctor",), ("recall", "x"), ("serve",)):
        result = run(*command, env={"RECALLD_DB_POOL_SIZE": "many"})
        assert result.exit_code == 1
        assert "RECALLD_DB_POOL_SIZE" in result.output


def test_a_directory_that_cannot_be_made_fails(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert check_data_dir(tmp_path / "new" / "place").remedy is None
    assert check_data_dir(file / "below").remedy is not None


@pytest.mark.parametrize(
    ("server", "right"),
    [
        (Server(180_006, "18.6", "0.8.6", None), [True, True]),
        (Server(150_004, "15.4", "0.8.0", None), [False, True]),
        (Server(160_000, "16.0", "0.7.4", None), [True, False]),
        (Server(160_000, "16.0", None, None), [True, False]),
    ],
)
def test_old_servers_are_named(server: Server, right: list[bool]) -> None:
    assert [finding.remedy is None for finding in check_server(server)] == right


def test_a_schema_behind_is_wrong_unless_a_start_brings_it_up() -> None:
    waits, by_hand = Settings(run_migrations_on_startup=True), Settings(run_migrations_on_startup=False)
    assert check_revision(head_revision(), by_hand).remedy is None
    assert check_revision(None, waits).remedy is None
    assert check_revision(None, by_hand).remedy == "Run: recalld migrate"
    assert check_revision("9999", waits).remedy is not None


def test_migrate_prints_the_revision(run: Run) -> None:
    result = run("migrate")
    assert (result.exit_code, result.stdout) == (0, f"{head_revision()}\n")
