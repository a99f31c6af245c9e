"""recalld export and import: a bank becomes a file and a file a bank."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.cli.conftest import Run
from tests.fixtures.archives import archive_of, unpacked

PAGE = Path(__file__).parents[2] / "docs" / "transfer.md"


@pytest.fixture
def copy_id(run: Run) -> Iterator[str]:
    """Another bank nobody else knows; gone afterwards."""
    name = f"cli-copy-{uuid4().hex[:12]}"
    yield name
    run("bank", "delete", name, "--yes")


@pytest.fixture
def minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the script in the guide writes."""
    monkeypatch.chdir(tmp_path)
    (script,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(script, {})  # noqa: S102 - the guide's own words
    return tmp_path / "minutes.zip"


def test_the_guides_archive_is_imported_as_the_guide_says(run: Run, bank_id: str, minutes: Path) -> None:
    shown = re.findall(r"^Bank 'team'.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    for line in shown:
        result = run("import", str(minutes), "--bank", bank_id)
        assert (result.exit_code, result.stdout) == (0, line.replace("team", bank_id) + "\n"), result.output
    assert len(shown) == 2
    answer = run("recall", "Why was the release moved?", "--bank", bank_id, "--json")
    assert "I told Priya to move the release to Thursday." in answer.stdout


def test_a_bank_goes_out_and_comes_in(run: Run, bank_id: str, copy_id: str, tmp_path: Path) -> None:
    file, again = tmp_path / "a.zip", tmp_path / "b.zip"
    lines = [json.dumps({"content": f"Fact {i}.", "document_id": f"d{i}", "tags": ["t"]}) for i in range(3)]
    (tmp_path / "facts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    run("retain", str(tmp_path / "facts.jsonl"), "--bank", bank_id)
    result = run("export", bank_id, "-o", str(file))
    assert (result.exit_code, result.stdout) == (0, f"{file}: 3 documents, 3 facts, 0 observations.\n")
    assert run("import", str(file), "--bank", copy_id).exit_code == 0
    assert run("export", copy_id, "-o", str(again)).exit_code == 0
    assert [path.name for path in sorted(tmp_path.glob("*.zip*"))] == ["a.zip", "b.zip"]
    texts = [
        [unpacked(path.read_bytes())[f"documents/00000{i}.json"]["facts"][0]["text"] for i in range(3)]
        for path in (file, again)
    ]
    assert texts[0] == texts[1] == ["Fact 0.", "Fact 1.", "Fact 2."]


def test_the_file_is_named_after_the_bank(
    run: Run, bank_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("bank", "create", bank_id)
    assert run("export", bank_id).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{bank_id}-documents.zip"]


def test_the_bank_is_the_archives_own_unless_another_is_named(
    run: Run, bank_id: str, copy_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.zip"
    manifest = {"schema_version": 1, "source_bank_id": bank_id}
    facts = [{"text": "The settings come along."}]
    row = {"config": {"retain_chunk_size": 900, "odd": 1}, "mission": "A mission"}
    file.write_bytes(archive_of({"id": "d", "facts": facts}, manifest=manifest, banks=[row], webhooks=[{}]))
    result = run("import", str(file))
    assert f"Bank '{bank_id}': 1 document," in result.stdout
    assert result.stderr == "Left out: 1 in webhooks, the setting odd.\n"
    made = tmp_path / "b.zip"
    run("export", bank_id, "-o", str(made))
    assert unpacked(made.read_bytes())["banks.json"][0]["config"] == {"retain_chunk_size": 900}
    assert run("import", str(file), "--bank", copy_id, "--mode", "merge").exit_code == 0
    run("export", copy_id, "-o", str(made))
    assert unpacked(made.read_bytes())["banks.json"][0]["config"] == {}


def test_a_restore_into_a_bank_that_exists_is_refused(run: Run, bank_id: str, minutes: Path) -> None:
    run("bank", "create", bank_id)
    result = run("import", str(minutes), "--bank", bank_id, "--mode", "restore")
    assert (result.exit_code, result.stderr) == (
        1,
        f"Bank '{bank_id}' exists already; mode=merge adds to it\n",
    )


def test_a_document_kept_beside_another_is_named(
    run: Run, bank_id: str, minutes: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.zip"
    other.write_bytes(archive_of({"id": "minutes-2026-03", "facts": [{"text": "Something else."}]}))
    run("import", str(minutes), "--bank", bank_id)
    result = run("import", str(other), "--bank", bank_id, "--on-conflict", "new-id")
    assert "Document 'minutes-2026-03' is here as '" in result.stdout


def test_what_is_no_archive_is_refused(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    file.write_text("no zip", encoding="utf-8")
    result = run("import", str(file))
    assert (result.exit_code, result.stderr) == (1, "The file is not a ZIP archive, or it is damaged\n")
    assert run("export", "nobody-made-this", "-o", str(file)).stderr == "Bank 'nobody-made-this' not found\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]
    assert file.read_text(encoding="utf-8") == "no zip"
