"""Turns a file into what retain takes: a text is one document, JSON lines are items of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from recalld.api.hindsight.convert_writes import retain_items
from recalld.api.hindsight.schemas.retain import MemoryItem, RetainRequest
from recalld.cli.terminal import first_problem
from recalld.domain.errors import InvalidRequest, RecalldError
from recalld.retain.types import RetainItem

LINES = frozenset({".jsonl", ".ndjson"})
"""Endings of files that hold one JSON object per line."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be stored, counted from 1, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds. ``unknown`` names fields that retain does not know."""

    items: tuple[RetainItem, ...]
    bad: tuple[BadLine, ...] = ()
    unknown: tuple[str, ...] = ()


def read_file(path: Path, defaults: dict[str, Any]) -> Contents:
    """The items of the file; ``defaults`` are item fields for what does not say otherwise."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{path.name} is not text in UTF-8 (byte {error.start}).") from error
    if not text.strip():
        raise InvalidRequest(f"{path.name} is empty.")
    if path.suffix.lower() in LINES:
        return _read_lines(path.name, text, defaults)
    return Contents((_item({"content": text, "document_id": path.name, **defaults}),))


def _read_lines(name: str, text: str, defaults: dict[str, Any]) -> Contents:
    items: list[RetainItem] = []
    bad: list[BadLine] = []
    unknown: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = _fields(line)
            items.append(_item({**defaults, "document_id": _document_id(name, line), **fields}))
        except ValidationError as error:
            bad.append(BadLine(number, first_problem(error)))
        except orjson.JSONDecodeError as error:
            bad.append(BadLine(number, f"not JSON ({error.msg}, column {error.colno})"))
        except RecalldError as error:
            bad.append(BadLine(number, str(error)))
        else:
            unknown.update(dict.fromkeys(fields.keys() - MemoryItem.model_fields.keys()))
    return Contents(tuple(items), tuple(bad), tuple(sorted(unknown)))


def _fields(line: str) -> dict[str, Any]:
    fields = orjson.loads(line)
    if not isinstance(fields, dict):
        raise InvalidRequest("not a JSON object")
    entities = fields.get("entities")
    if isinstance(entities, list):
        fields["entities"] = [{"text": name} if isinstance(name, str) else name for name in entities]
    return {name: value for name, value in fields.items() if value is not None}


def _item(fields: dict[str, Any]) -> RetainItem:
    (item,) = retain_items(RetainRequest(items=[MemoryItem.model_validate(fields)]))
    return item


def _document_id(name: str, line: str) -> str:
    """The same line keeps the same document, so that a file can be retained again."""
    return f"{name}#{hashlib.sha256(line.strip().encode()).hexdigest()[:12]}"


def batches(items: Sequence[RetainItem], size: int) -> list[list[RetainItem]]:
    """Batches of about ``size`` items; the items of one document stay together and in order."""
    documents: dict[str, list[RetainItem]] = {}
    for item in items:
        documents.setdefault(item.document_id, []).append(item)
    made: list[list[RetainItem]] = []
    for document in documents.values():
        if made and len(made[-1]) + len(document) <= size:
            made[-1].extend(document)
        else:
            made.append(list(document))
    return made
