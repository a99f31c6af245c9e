"""Runs commands in this process on the worker's database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from typer.testing import CliRunner, Result

from recalld.cli.program import cli

Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Calls ``recalld`` with the arguments given and returns what it did."""
    monkeypatch.setenv("RECALLD_DATABASE_URL", database_url)
    monkeypatch.setenv("RECALLD_PORT", "0")
    monkeypatch.setenv("RECALLD_MODEL_THREADS", "1")

    def call(*arguments: str, answer: str | None = None, env: dict[str, str] | None = None) -> Result:
        return CliRunner(env={"COLUMNS": None}).invoke(cli, arguments, input=answer, env=env)

    return call


@pytest.fixture
def bank_id(run: Run) -> Iterator[str]:
    """A bank nobody else knows; gone afterwards."""
    name = f"cli-{uuid4().hex[:12]}"
    yield name
    run("bank", "delete", name, "--yes")
