"""recalld serve: a real process with its own database, from the first line to the last."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

SERVE = "from recalld.cli import main; main()"


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A directory every user can enter, unlike pytest's own when root runs the tests."""
    with tempfile.TemporaryDirectory(prefix="recalld-cli-") as name:
        path = Path(name).resolve()
        path.chmod(0o755)
        yield path / "data"


@pytest.mark.skipif(sys.platform == "win32", reason="our own PostgreSQL needs a POSIX system")
def test_it_says_where_it_is_and_leaves_nothing_running(data_dir: Path) -> None:
    environment = {**os.environ, "RECALLD_DATA_DIR": str(data_dir)}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "--port", "0"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        try:
            first, second = server.stderr.readline(), server.stderr.readline()
            url = first.split()[3].rstrip(",")
            assert first == f"recalld answers at {url}, describes itself at {url}/docs\n"
            assert second == f"and keeps its data in {data_dir}\n"
            assert _health(url) == {"status": "alive"}
        finally:
            server.send_signal(signal.SIGTERM)
        _, rest = server.communicate(timeout=60)
    assert server.returncode == 0, rest
    assert "Traceback" not in rest
    assert not (data_dir / "pgdata" / "postmaster.pid").exists()


def _health(url: str) -> dict[str, str]:
    deadline = time.monotonic() + 20
    while True:
        try:
            return {"status": str(httpx.get(f"{url}/health/live", timeout=5).json()["status"])}
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
