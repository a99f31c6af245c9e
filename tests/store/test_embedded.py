"""The embedded server with real processes: start, share, crash, recover, refuse."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import psycopg
import pytest

from recalld.store import embedded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX locks")

USER = """
import sys
from contextlib import closing
from pathlib import Path
from recalld.store import embedded
import psycopg
with closing(embedded.start(Path(sys.argv[1]))) as server:
    with psycopg.connect(server.url) as connection:
        connection.execute("SELECT 1")
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def base() -> Iterator[Path]:
    """A directory every user can enter, unlike pytest's own when root runs the tests."""
    path = Path(tempfile.mkdtemp(prefix="recalld-test-")).resolve()
    path.chmod(0o755)
    yield path
    for process in _servers(path):
        process.send_signal(signal.SIGQUIT)
    shutil.rmtree(path)


@pytest.fixture
def data_dir(base: Path) -> Path:
    return base / "data"


def _servers(base: Path) -> list[psutil.Process]:
    found = []
    for pid_file in base.rglob("postmaster.pid"):
        try:
            process = psutil.Process(int(pid_file.read_text(encoding="ascii").split()[0]))
            if any(str(base) in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _query(server: embedded.EmbeddedServer, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def _spawn_user(data_dir: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", USER, data_dir], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def _finish(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=60)
    assert process.returncode == 0


def _pid_of(data_dir: Path) -> int:
    return int((data_dir / "pgdata" / "postmaster.pid").read_text(encoding="ascii").split()[0])


def test_data_survives_a_restart_and_the_extensions_are_there(data_dir: Path) -> None:
    with closing(embedded.start(data_dir)) as server:
        for name in ("vector", "btree_gin", "pg_trgm"):
            _query(server, f"CREATE EXTENSION {name}")
        _query(server, "CREATE TABLE kept AS SELECT '[1,2]'::vector AS v")
        assert _servers(data_dir)
    assert not _servers(data_dir)
    server.close()
    with closing(embedded.start(data_dir)) as server:
        assert _query(server, "SELECT v::text FROM kept") == [("[1,2]",)]
        settings = "SELECT current_setting('shared_buffers'), current_setting('listen_addresses')"
        assert _query(server, settings) == [("256MB", "")]


def test_two_leases_in_one_process_stop_the_server_with_the_second(data_dir: Path) -> None:
    first, second = embedded.start(data_dir), embedded.start(data_dir)
    assert first == second
    first.close()
    first.close()
    assert _query(second, "SELECT 1") == [(1,)]
    second.close()
    assert not _servers(data_dir)


def test_the_last_of_two_processes_stops_the_server(data_dir: Path) -> None:
    one, two = _spawn_user(data_dir), _spawn_user(data_dir)
    _finish(one)
    assert len(_servers(data_dir)) == 1
    with closing(embedded.start(data_dir)) as server:
        _finish(two)
        assert _query(server, "SELECT 1") == [(1,)]
    assert not _servers(data_dir)


def test_processes_that_start_together_share_one_server(data_dir: Path) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", USER, str(data_dir)]
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    assert len(_servers(data_dir)) == 1
    for process in processes:
        _finish(process)
    assert not _servers(data_dir)


def test_a_server_left_by_a_killed_process_is_used_again_and_then_stopped(data_dir: Path) -> None:
    process = _spawn_user(data_dir)
    pid = _pid_of(data_dir)
    process.kill()
    process.communicate()
    assert len(_servers(data_dir)) == 1
    with closing(embedded.start(data_dir)):
        assert _pid_of(data_dir) == pid
    assert not _servers(data_dir)


def test_a_killed_server_is_started_again(data_dir: Path) -> None:
    server = embedded.start(data_dir)
    _query(server, "CREATE TABLE kept (x int)")
    psutil.Process(_pid_of(data_dir)).kill()
    with closing(embedded.start(data_dir)) as again:
        assert _query(again, "SELECT count(*) FROM kept") == [(0,)]
        server.close()
        assert _query(again, "SELECT 1") == [(1,)]


@pytest.mark.parametrize("content", ["of this process", "1", "999999999", ""])
def test_a_stale_pid_file_is_no_obstacle(data_dir: Path, content: str) -> None:
    embedded.start(data_dir).close()
    content = content.replace("of this process", str(os.getpid()))
    for lock_file in ("pgdata/postmaster.pid", "run/.s.PGSQL.5432.lock"):
        (data_dir / lock_file).write_text(f"{content}\n", encoding="ascii")
    with closing(embedded.start(data_dir)) as server:
        assert _query(server, "SELECT 1") == [(1,)]


def test_an_interrupted_first_start_is_begun_anew(data_dir: Path) -> None:
    for name in ("pgdata.partial/base", "pgdata"):
        (data_dir / name).mkdir(parents=True)
    (data_dir / "pgdata.partial" / "PG_VERSION").write_text("18\n", encoding="ascii")
    with closing(embedded.start(data_dir)) as server:
        assert _query(server, "SELECT 1") == [(1,)]
    assert not (data_dir / "pgdata.partial").exists()


def test_foreign_files_in_place_of_the_database_are_left_alone(data_dir: Path) -> None:
    (data_dir / "pgdata").mkdir(parents=True)
    (data_dir / "pgdata" / "diary.txt").write_text("dear diary", encoding="ascii")
    with pytest.raises(embedded.EmbeddedPostgresError, match="not empty"):
        embedded.start(data_dir)
    assert (data_dir / "pgdata" / "diary.txt").read_text(encoding="ascii") == "dear diary"


def test_data_of_another_major_version_is_refused(data_dir: Path) -> None:
    (data_dir / "pgdata").mkdir(parents=True)
    (data_dir / "pgdata" / "PG_VERSION").write_text("16\n", encoding="ascii")
    with pytest.raises(embedded.EmbeddedPostgresError, match=r"PostgreSQL 16.*PostgreSQL 18"):
        embedded.start(data_dir)


def test_a_long_or_awkward_path_gets_its_socket_elsewhere(base: Path) -> None:
    deep = base / ("long name's " * 8).strip() / "data"
    with closing(embedded.start(deep)) as server:
        assert _query(server, "SELECT current_setting('data_directory')") == [(str(deep / "pgdata"),)]
        ((sockets,),) = _query(server, "SELECT current_setting('unix_socket_directories')")
    assert Path(str(sockets)).stat().st_mode & 0o077 == 0
    Path(str(sockets)).rmdir()


def test_a_failed_start_says_why_and_holds_no_lease(data_dir: Path) -> None:
    embedded.start(data_dir).close()
    configuration = data_dir / "pgdata" / "postgresql.conf"
    intact = configuration.read_text(encoding="utf-8")
    configuration.write_text(f"{intact}\nno_such_setting = on\n", encoding="utf-8")
    with pytest.raises(embedded.EmbeddedPostgresError, match="no_such_setting"):
        embedded.start(data_dir)
    configuration.write_text(intact, encoding="utf-8")
    embedded.start(data_dir).close()
    assert not _servers(data_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to another user")
def test_root_never_opens_a_private_directory_for_the_server(base: Path) -> None:
    private = base / "home"
    private.mkdir(mode=0o700)
    with pytest.raises(embedded.EmbeddedPostgresError, match="RECALLD_DATA_DIR"):
        embedded.start(private / "data")
    assert private.stat().st_mode & 0o777 == 0o700
    assert not (private / "data" / "pgdata").exists()


def test_a_file_in_place_of_the_directory_is_named(base: Path) -> None:
    (base / "file").touch()
    with pytest.raises(embedded.EmbeddedPostgresError, match="RECALLD_DATA_DIR"):
        embedded.start(base / "file" / "data")


def test_the_default_directory_suits_the_user() -> None:
    default = embedded.default_data_dir()
    assert default.name == "recalld"
    assert (default == Path("/var/lib/recalld")) == (os.geteuid() == 0)
