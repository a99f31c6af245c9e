"""The table of docs/settings.md, made from the settings themselves.

``python -m tests.docs.settings_table`` prints it.
"""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from recalld.settings import Settings

HEADER = ("| name | alias | default | meaning |", "|---|---|---|---|")


def settings_table() -> str:
    """One row per setting, in the order of ``settings.py``."""
    rows = (settings_row(name, field) for name, field in Settings.model_fields.items())
    return "\n".join((*HEADER, *rows))


def settings_row(name: str, field: FieldInfo) -> str:
    """A setting as a row."""
    meaning = f"{field.description}{_choices(field)}"
    return f"| `RECALLD_{name.upper()}` | {_aliases(field)} | {_shown(field.default)} | {meaning} |"


def _aliases(field: FieldInfo) -> str:
    assert isinstance(field.validation_alias, AliasChoices)
    names = (str(name) for name in field.validation_alias.choices)
    return ", ".join(f"`{name}`" for name in names if name.startswith("HINDSIGHT_API_"))


def _shown(default: Any) -> str:
    if default is None or not str(default):
        return "empty"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _choices(field: FieldInfo) -> str:
    if get_origin(field.annotation) is not Literal:
        return ""
    choices = [f"`{choice}`" for choice in get_args(field.annotation)]
    told = all(choice in (field.description or "") for choice in choices)
    return "" if told else f" One of {', '.join(choices)}."


if __name__ == "__main__":
    print(settings_table())  # noqa: T201 - what it is for
