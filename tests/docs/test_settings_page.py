"""docs/settings.md lists every setting as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from recalld.settings import Settings
from tests.docs.settings_table import settings_row, settings_table

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_setting_stands_with_its_default(name: str) -> None:
    assert settings_row(name, Settings.model_fields[name]) in PAGE.read_text(encoding="utf-8").splitlines()


def test_nothing_else_stands_in_the_table() -> None:
    listed = {
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `RECALLD_")
    }
    assert listed == set(settings_table().splitlines()[2:]), "run: python -m tests.docs.settings_table"
