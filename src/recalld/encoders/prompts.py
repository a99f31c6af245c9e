"""Prompts as files: a line with the version, then the text, with slots for what differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told. ``version`` changes whenever the text does."""

    version: int
    text: str

    def filled(self, **slots: str) -> str:
        """The text with its slots filled."""
        return Template(self.text).substitute(slots)


@cache
def read_prompt(package: str, name: str) -> Prompt:
    """The prompt in a package's folder ``prompts``."""
    lines = files(package).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    head, _, text = lines.partition("\n")
    return Prompt(int(head.removeprefix("version: ")), text.strip())
