"""past.dev's public clients, in an environment of their own, against a running server."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DATA_DIR

CLIENTS = ("pastdotdev==0.0.1", "crewai-pastdotdev==0.1.0")
STEPS_FILE = Path(__file__).with_name("client_steps.py")
STEPS = (
    "the_sdk_gets_back_what_it_sent",
    "the_sdk_reads_refusals",
    "the_client_stores_lists_and_deletes",
    "the_client_finds_the_host_in_its_environment",
    "a_crew_remembers_and_forgets",
    "an_agent_uses_the_tools",
)
INSTALL = 300.0
"""Longest wait for the clients: what they need is a gigabyte."""
QUIET = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
    "NO_PROXY": "*",
}


@pytest.fixture(scope="session")
def interpreter(pytestconfig: pytest.Config, server_url: str) -> Path:
    """The Python with the clients, made once for all workers of a run and gone at its end."""
    home = pytestconfig.stash[DATA_DIR] / "past-clients"
    home.parent.mkdir(parents=True, exist_ok=True)
    with home.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "ready").exists():
            _install(home)
            (home / "ready").touch()
    return home / "bin" / "python"


def _install(home: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, timeout=100)
    command = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile", *CLIENTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL, check=False)
    if done.returncode:
        pytest.skip(f"the clients cannot be installed: {done.stderr[-300:]}")


@pytest.mark.timeout(420)
@pytest.mark.parametrize("step", STEPS)
def test_a_step(
    interpreter: Path, served: str, unused_keys: Iterator[str], tmp_path: Path, step: str
) -> None:
    reached = {"PAST_API_KEY": next(unused_keys), "PAST_API_HOST": served}
    done = subprocess.run(
        [interpreter, "-I", STEPS_FILE, step],
        cwd=tmp_path,
        env={**os.environ, **QUIET, **reached, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
