"""Prompts as files: a line with the version, then the text, with slots for what differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

NO_MISSION = "Nothing in particular: it serves whoever asks later."


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told. ``version`` changes whenever the text does."""

    version: int
    text: str

    def filled(self, **slots: str) -> str:
        """The text with its slots filled."""
        return Template(self.text).substitute(slots)


def told(setting: Any) -> str:
    """What a bank's setting tells the model; empty where it says nothing."""
    return setting.strip() if isinstance(setting, str) else ""


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object that has every one of the properties, as strict endpoints want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def read_prompt(package: str, name: str) -> Prompt:
    """The prompt in a package's folder ``prompts``."""
    lines = files(package).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    head, _, text = lines.partition("\n")
    return Prompt(int(head.removeprefix("version: ")), text.strip())
