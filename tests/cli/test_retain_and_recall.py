"""recalld retain and recall: what a file says is found again, and nothing is lost in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recalld.cli.read_file import batches, read_file
from tests.cli.conftest import Run


def _answer(run: Run, bank_id: str, *arguments: str) -> dict[str, Any]:
    result = run("recall", *arguments, "--bank", bank_id, "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


def _lines(path: Path, *objects: object) -> Path:
    lines = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in objects]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["notes.txt", "notes.md"])
def test_a_text_becomes_the_document_of_its_name(run: Run, bank_id: str, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("# Garage\n\nThe blue bicycle has a flat tyre.\n", encoding="utf-8")
    result = run("retain", str(file), "--bank", bank_id, "--timestamp", "2026-02-03", "--tags", "garage,toys")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Bank '{bank_id}': 1 document, 1 fact added, 0 unchanged.\n"
    (found,) = _answer(run, bank_id, "flat tyre")["results"]
    assert found["document_id"] == name
    assert found["mentioned_at"] == "2026-02-03T00:00:00+00:00"
    assert sorted(found["tags"]) == ["garage", "toys"]


def test_json_lines_carry_the_fields_of_a_retain_item(run: Run, bank_id: str, tmp_path: Path) -> None:
    file = _lines(
        tmp_path / "facts.jsonl",
        {
            "content": "The pump is on the shelf.",
            "timestamp": "2026-02-03T10:00:00Z",
            "document_id": "d1",
            "context": "garage",
            "tags": ["tools"],
            "entities": [{"text": "Nora"}],
            "metadata": {"source": "chat"},
        },
        "",
        {"content": "Nora's kite is torn.", "entities": ["Nora"]},
    )
    assert run("retain", str(file), "--bank", bank_id).exit_code == 0
    found = _answer(run, bank_id, "pump on the shelf")["results"][0]
    expected = {"document_id": "d1", "context": "garage", "tags": ["tools"], "entities": ["Nora"]}
    assert {name: found[name] for name in expected} == expected
    assert found["metadata"] == {"source": "chat"}
    assert found["mentioned_at"] == "2026-02-03T10:00:00+00:00"


def test_a_file_can_be_retained_again(run: Run, bank_id: str, tmp_path: Path) -> None:
    file = _lines(tmp_path / "facts.jsonl", {"content": "One kite."}, {"content": "Two kites."})
    run("retain", str(file), "--bank", bank_id)
    again = run("retain", str(file), "--bank", bank_id)
    assert again.stdout == f"Bank '{bank_id}': 2 documents, 0 facts added, 2 unchanged.\n"


def test_bad_lines_are_named_and_good_ones_are_stored(run: Run, bank_id: str, tmp_path: Path) -> None:
    file = _lines(
        tmp_path / "facts.jsonl",
        {"content": "The kite is torn.", "colour": "red"},
        '{"content": ',
        {"content": "  "},
        [1],
        {"content": "Dated", "timestamp": "yesterdayish"},
        {"content": "The pump is broken."},
    )
    result = run("retain", str(file), "--bank", bank_id)
    assert result.exit_code == 1
    for part in (
        "facts.jsonl, line 2: not JSON",
        "facts.jsonl, line 3: content must not be blank",
        "facts.jsonl, line 4: not a JSON object",
        "facts.jsonl, line 5: timestamp must be",
        "2 lines stored, 4 not.",
        "left out: colour.",
    ):
        assert part in result.stderr
    texts = {found["text"] for found in _answer(run, bank_id, "kite pump")["results"]}
    assert texts == {"The kite is torn.", "The pump is broken."}


def test_a_file_of_bad_lines_stores_nothing(run: Run, bank_id: str, tmp_path: Path) -> None:
    result = run("retain", str(_lines(tmp_path / "facts.jsonl", "nonsense")), "--bank", bank_id)
    assert result.exit_code == 1
    assert "0 lines stored, 1 not." in result.stderr
    assert run("recall", "nonsense", "--bank", bank_id).stderr == f"Bank '{bank_id}' not found\n"


@pytest.mark.parametrize(
    ("content", "sentence"), [(b"\xff\xfe", "is not text in UTF-8 (byte 0)."), (b" \n", "is empty.")]
)
def test_a_file_without_text_is_refused(
    run: Run, bank_id: str, tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    result = run("retain", str(file), "--bank", bank_id)
    assert (result.exit_code, result.stderr) == (1, f"notes.txt {sentence}\n")


def test_the_items_of_a_document_stay_in_one_batch(tmp_path: Path) -> None:
    objects = [{"content": f"turn {i}", "document_id": "long" if i % 2 else f"d{i}"} for i in range(12)]
    made = batches(read_file(_lines(tmp_path / "facts.jsonl", *objects), {}).items, 4)
    assert sum(len(batch) for batch in made) == 12
    homes = [i for i, batch in enumerate(made) if any(item.document_id == "long" for item in batch)]
    assert len(homes) == 1


def test_recall_without_a_bank_names_it(run: Run) -> None:
    result = run("recall", "anything", "--bank", "nobody-made-this")
    assert (result.exit_code, result.stderr) == (1, "Bank 'nobody-made-this' not found\n")


def test_recall_refuses_what_the_server_refuses(run: Run) -> None:
    assert "at least one word character" in run("recall", "?!").stderr
    assert "Invalid fact type(s): fact" in run("recall", "x", "--types", "fact").stderr
    assert "Invalid query_timestamp" in run("recall", "x", "--at", "soon").stderr


def test_recall_filters_and_shows_how_it_ranked(run: Run, bank_id: str, tmp_path: Path) -> None:
    file = _lines(
        tmp_path / "facts.jsonl",
        {"content": "The door code of the shop is 2290.", "tags": ["shop"], "timestamp": "2026-03-02"},
        {"content": "The door code of the flat is 4711.", "tags": ["home"], "timestamp": "2026-03-02"},
    )
    run("retain", str(file), "--bank", bank_id)
    plain = run(
        "recall",
        "door code",
        "--bank",
        bank_id,
        "--tags",
        "shop",
        "--types",
        "world,experience",
        "--budget",
        "low",
    )
    assert "2290" in plain.stdout
    assert "4711" not in plain.stdout
    traced = run("recall", "door code in March", "--bank", bank_id, "--at", "2026-09-16", "--trace").stdout
    assert "score  sem  key  graph  time" in traced
    assert "time: 2026-03-01 to 2026-03-31" in traced
    assert " ms: plan " in traced


def test_the_trace_is_part_of_the_json(run: Run, bank_id: str, tmp_path: Path) -> None:
    run("retain", str(_lines(tmp_path / "facts.jsonl", {"content": "The kite is torn."})), "--bank", bank_id)
    assert _answer(run, bank_id, "kite")["trace"] is None
    assert _answer(run, bank_id, "kite", "--trace")["trace"]["summary"]["results_returned"] == 1
