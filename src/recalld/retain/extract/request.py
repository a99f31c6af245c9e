"""What a model is asked for one chunk. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from recalld.domain.attachments import in_words
from recalld.domain.banks import BankConfig
from recalld.encoders.prompts import NO_MISSION, object_schema, read_prompt, told
from recalld.retain.extract.modes import Mode, mode_of
from recalld.retain.types import RetainItem

Json = dict[str, Any]

NO_INSTRUCTIONS = "Keep what will still be useful in weeks or months."
_DATED = ("occurred_start", "occurred_end")


class Request(NamedTuple):
    """A question about a text; equal ones have equal answers."""

    mode: Mode
    system: str
    user: str


def request_of(text: str, item: RetainItem, config: BankConfig) -> Request:
    """The question about a chunk of an item, under the settings its strategy makes."""
    mode = mode_of(config)
    slots = {"mission": told(config.retain_mission) or NO_MISSION}
    if mode is Mode.CUSTOM:
        slots["instructions"] = told(config.retain_custom_instructions) or NO_INSTRUCTIONS
    known: Json = {
        "date": _day(item.timestamp),
        "context": item.context or "unknown",
        "names": list(item.entities),
        "text": in_words(text),
    }
    prompt = read_prompt("recalld.retain.extract", mode)
    return Request(mode, prompt.filled(**slots), json.dumps(known, ensure_ascii=False))


def schema_of(mode: Mode) -> Mapping[str, Any]:
    """The JSON schema of the answer."""
    parts = ("when", "where", "who") if mode is Mode.VERBATIM else ("what", "when", "where", "who", "why")
    fact: Json = {name: {"type": "string"} for name in parts}
    fact["fact_kind"] = {"type": "string", "enum": ["event", "conversation"]}
    fact |= {name: {"type": ["string", "null"]} for name in _DATED}
    fact["fact_type"] = {"type": "string", "enum": ["world", "assistant"]}
    fact["entities"] = {"type": "array", "items": {"type": "string"}}
    if mode is not Mode.VERBATIM:
        cause = {
            "target_index": {"type": "integer"},
            "relation_type": {"type": "string", "enum": ["caused_by"]},
        }
        fact["causal_relations"] = {"type": "array", "items": object_schema(cause)}
    return object_schema({"facts": {"type": "array", "items": object_schema(fact)}})


def _day(moment: datetime | None) -> str:
    return f"{moment:%A}, {moment.isoformat(timespec='minutes')}" if moment else "unknown"
