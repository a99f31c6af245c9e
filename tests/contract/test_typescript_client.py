"""The published TypeScript client, where Node and npm are at hand."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

CLIENT = "@vectorize-io/hindsight-client@0.9.1"
WALK = Path(__file__).with_name("typescript_walk.mjs")

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("npm") is None, reason="needs Node and npm"
)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client installed and the walk beside it."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", CLIENT]
    installed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    if installed.returncode:
        pytest.skip(f"the client cannot be installed: {installed.stderr[-300:]}")
    shutil.copy(WALK, folder)
    return folder


def walked(project: Path, server: str) -> dict[str, Any]:
    command = ["node", WALK.name, server, f"ts-{uuid4()}"]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    seen: dict[str, Any] = json.loads(run.stdout)
    return seen


def test_the_typescript_client_walks_through(project: Path, server: str) -> None:
    seen = walked(project, server)
    assert (seen["version"], seen["mission"], seen["profile"]) == ("1.1.0", "Be walked", "Walk")
    assert (seen["retained"]["items_count"], seen["batch"]["items_count"]) == (1, 2)
    assert seen["queued"]["async"]
    assert seen["queued"]["operation_id"]
    first = seen["recall"]["results"][0]
    assert "bees" in first["text"]
    assert (first["entities"], first["metadata"], first["context"]) == (
        ["Alice"],
        {"source": "walk"},
        "a chat",
    )
    assert seen["recall"]["chunks"][first["chunk_id"]]["text"] == first["text"]
    assert seen["recall"]["trace"]["query"]["budget"] == 100
    assert seen["tagged"] == ["Bob plays the cello."]
    assert sorted(seen["grouped"]) == ["Bob plays the cello.", "Carol bakes bread."]
    assert seen["memories"] == ["Bob plays the cello."]
    assert seen["documents"] == ["bees", "bread", "cello"]
    assert seen["document"] == "Alice keeps bees in Sheffield.\nAnd honey too."
    assert seen["updated"]
    assert seen["retagged"] == ["Carol bakes bread."]
    assert seen["gone"] is None
    assert (seen["configured"]["retain_chunk_size"], seen["config"], seen["reset"]) == (700, 700, {})
    assert "404" in seen["afterwards"] or "not found" in seen["afterwards"]
