"""The pages name files, commands and settings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from recalld.cli.program import cli
from recalld.domain.tags import TagLeaf, TagMatch, flat_filter, matches
from recalld.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_SETTINGS = {"RECALLD_TEST_DATABASE_URL"}
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
WRITTEN_LATER = {"quality.md"}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_link_leads_to_a_file(page: Path) -> None:
    targets = [page.parent / target for target in LINK.findall(page.read_text(encoding="utf-8"))]
    missing = [target.name for target in targets if not target.exists()]
    assert set(missing) <= WRITTEN_LATER


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_setting_named_exists(page: Path) -> None:
    named = set(re.findall(r"RECALLD_[A-Z][A-Z0-9_]*[A-Z0-9]", page.read_text(encoding="utf-8")))
    assert named - NOT_SETTINGS <= {f"RECALLD_{name.upper()}" for name in Settings.model_fields}


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = typer.main.get_command(cli)
    assert isinstance(commands, typer.core.TyperGroup)
    assert [name for name in commands.commands if f"recalld {name}" not in text] == []


def test_the_path_in_the_readme_names_files_that_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:api|recall|store|retain|encoders)/[\w/]+\.py", text))
    assert named
    assert [name for name in sorted(named) if not (ROOT / "src" / "recalld" / name).exists()] == []


@pytest.mark.parametrize("match", TagMatch)
def test_the_tag_tables_say_what_the_filter_does(match: TagMatch) -> None:
    rows = re.findall(
        rf"^\| `{match}`.*$", (ROOT / "docs" / "tags.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    flat, empty_leaf = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    assert ("only untagged" in flat[1]) == (not matches(flat_filter((), match), ("a",)))
    assert (flat[3] == "kept") == matches(flat_filter(("a",), match), ())
    assert ("share a tag" in flat[2]) == matches(flat_filter(("a", "b"), match), ("b", "c"))
    assert (empty_leaf[1] == "kept") == matches(TagLeaf((), match), ("a",))
    assert (empty_leaf[2] == "kept") == matches(TagLeaf((), match), ())
