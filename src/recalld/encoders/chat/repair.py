"""Reads the JSON object a language model meant to write. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_THOUGHT = "</think>"
_CLOSING = {"{": "}", "[": "]"}
_SHAPES: dict[str, type] = {"array": list, "object": dict, "string": str}


class Unusable(ValueError):
    """Not the object that was asked for. The message is meant for the model."""


def read_object(content: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object in an answer, which may come with thoughts, words or a code fence around it.

    Missing brackets at the end are added. An answer that breaks off inside a value is ``Unusable``:
    what is lost of it cannot be known. So is an object without what the schema requires at its top.
    """
    text = content.rpartition(_THOUGHT)[2]
    start = text.find("{")
    if start < 0:
        raise Unusable("it held no JSON object" if text.strip() else "it was empty")
    end, missing = _outermost(text, start)
    body = text[start:end]
    if missing:
        body = body.rstrip().removesuffix("```").rstrip().rstrip(",") + missing
    try:
        answer = json.loads(body, strict=False)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"it was not valid JSON: {error}") from error
    if not isinstance(answer, dict):
        raise Unusable("it held no JSON object")
    for name in schema.get("required", ()):
        shape = schema["properties"][name].get("type")
        if not isinstance(answer.get(name), _SHAPES.get(shape, object)):
            raise Unusable(f"its {name!r} has to be of type {shape}")
    return answer


def _outermost(text: str, start: int) -> tuple[int, str]:
    """Where the object that begins at ``start`` ends, and the brackets it lacks if the text ends first."""
    awaited: list[str] = []
    quoted = escaped = False
    for place in range(start, len(text)):
        char = text[place]
        if quoted:
            quoted, escaped = escaped or char != '"', not escaped and char == "\\"
        elif char == '"':
            quoted = True
        elif char in _CLOSING:
            awaited.append(_CLOSING[char])
        elif awaited and char == awaited[-1]:
            awaited.pop()
            if not awaited:
                return place + 1, ""
    return len(text), "".join(reversed(awaited))
