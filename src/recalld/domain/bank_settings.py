"""The settings a bank can override: their names, defaults, and the values they take."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from recalld.domain.banks import PLAIN_KEYS, Bank, BankConfig, Disposition
from recalld.domain.budget import Budget
from recalld.domain.errors import InvalidRequest

MAX_DEPTH = 20
"""Levels of lists and objects in one value."""

SCOPES = ("per_tag", "combined", "all_combinations", "shared")
_PREFIXES = ("HINDSIGHT_API_", "RECALLD_")
MISSION = "reflect_mission"
TRAITS = {f"disposition_{trait}": trait for trait in ("skepticism", "literalism", "empathy")}
"""These and the mission lie in columns of the bank's row."""

_MOST = 2**31 - 1
_DEEPEST = 10_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: what it is called in a refusal, and the test for it."""

    name: str
    accepts: Callable[[Any], bool]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(least: int = 0, most: int = _MOST) -> Kind:
    return Kind(
        f"a whole number from {least} to {most}", lambda value: _is_whole(value) and least <= value <= most
    )


def _is_share(value: Any) -> bool:
    return (_is_whole(value) or isinstance(value, float)) and math.isfinite(value) and 0 < value <= 1


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _is_scopes(value: Any) -> bool:
    if isinstance(value, str):
        return value in SCOPES
    return isinstance(value, list) and all(_is_list_of(tags, str) for tags in value)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_]{0,62}", value) is not None


FLAG = Kind("true or false", lambda value: isinstance(value, bool))
TEXT = Kind("a text", lambda value: isinstance(value, str))
TEXTS = Kind("a list of texts", lambda value: _is_list_of(value, str))
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
OBJECTS = Kind("a list of objects", lambda value: _is_list_of(value, dict))
SHARE = Kind("a number above 0 and up to 1", _is_share)
SCOPED = Kind(f"one of {', '.join(SCOPES)}, or a list of lists of tags", _is_scopes)
FUNCTION = Kind("'fixed' or 'adaptive'", lambda value: value in ["fixed", "adaptive"])
COUNT = _whole()
DEPTH = _whole(1, _DEEPEST)
TRAIT = _whole(1, 5)

LANGUAGE = "text_search_language"
"""Lies in a column too: facts are indexed by it."""

_CARRIED: dict[str, tuple[Kind, Any]] = {
    MISSION: (TEXT, None),
    "reflect_source_facts_max_tokens": (_whole(-1), -1),
    "reflect_default_options": (OBJECT, None),
    "reflect_use_decision_model": (FLAG, False),
    "retain_chunk_batch_size": (_whole(1), None),
    "retain_max_attachments_per_chunk": (COUNT, None),
    "entity_labels": (OBJECTS, None),
    "entities_allow_free_form": (FLAG, True),
    "max_observations_per_scope": (_whole(-1), -1),
    "observation_scope_limits": (OBJECTS, None),
    "consolidation_strategies": (OBJECTS, None),
    "consolidation_use_decision_model": (FLAG, False),
    "consolidation_llm_batch_size": (_whole(1), None),
    "consolidation_llm_parallelism": (_whole(1), None),
    "consolidation_max_memories_per_round": (_whole(1), None),
    "consolidation_source_facts_max_tokens": (_whole(-1), -1),
    "consolidation_source_facts_max_tokens_per_observation": (_whole(-1), -1),
    "knowledge_page_default_trigger": (OBJECT, None),
    "mental_model_min_refresh_interval_seconds": (COUNT, None),
    "mental_model_refresh_use_decision_model": (FLAG, False),
    "mental_model_delta_use_decision_model": (FLAG, False),
    "recall_include_chunks": (FLAG, True),
    "recall_max_tokens": (COUNT, 2048),
    "recall_chunks_max_tokens": (COUNT, 1000),
    "mcp_enabled_tools": (TEXTS, None),
    "llm_gemini_safety_settings": (OBJECTS, None),
    "memory_defense": (OBJECT, None),
    "audit_log_enabled": (FLAG, False),
    **dict.fromkeys(TRAITS, (TRAIT, 3)),
}
"""What recalld keeps for clients, and the value it answers where a bank sets none."""

_PLAIN: dict[str, Kind] = {
    "retain_chunk_size": _whole(100, 20_000),
    "retain_structured_chunk_size": _whole(100, 200_000),
    "retain_default_strategy": TEXT,
    "retain_strategies": OBJECT,
    "default_observation_scopes": SCOPED,
    "retain_extraction_mode": TEXT,
    "retain_mission": TEXT,
    "retain_custom_instructions": TEXT,
    "observations_mission": TEXT,
}
_BUDGETS: dict[str, Kind] = {
    "recall_budget_function": FUNCTION,
    **{f"recall_budget_fixed_{budget}": DEPTH for budget in Budget},
    **{f"recall_budget_adaptive_{budget}": SHARE for budget in Budget},
    "recall_budget_min": DEPTH,
    "recall_budget_max": DEPTH,
}

KINDS: dict[str, Kind] = {
    **{name: kind for name, (kind, _) in _CARRIED.items()},
    **{name: _PLAIN.get(name, FLAG) for name in PLAIN_KEYS},
    **_BUDGETS,
    LANGUAGE: Kind("the name of a text search configuration, such as german", _is_name),
}
"""Every setting of a bank, by name."""


def checked(updates: Mapping[str, Any]) -> dict[str, Any]:
    """Updates by plain name, or ``InvalidRequest``. Names may be those of environment variables."""
    plain: dict[str, Any] = {}
    for given, value in updates.items():
        name = plain_name(given)
        kind = KINDS.get(name)
        if kind is None:
            raise InvalidRequest(f"'{given[:100]}' is not a setting of a bank")
        if not _is_shallow(value):
            raise InvalidRequest(f"'{name}' is nested more than {MAX_DEPTH} levels deep")
        if value is not None and not kind.accepts(value):
            raise InvalidRequest(f"'{name}' must be {kind.name}")
        plain[name] = value
    return plain


def plain_name(given: str) -> str:
    """``HINDSIGHT_API_RECALL_BUDGET_MIN`` as ``recall_budget_min``; other names as they are."""
    for prefix in _PREFIXES:
        if given.startswith(prefix):
            return given.removeprefix(prefix).lower()
    return given


def resolved(bank: Bank, defaults: BankConfig) -> dict[str, Any]:
    """The value of every setting as the bank has it."""
    config = defaults.override(bank.overrides)
    budget = config.budget
    return {
        **{name: default for name, (_, default) in _CARRIED.items()},
        **{name: value for name, value in overridden(bank).items() if name in _CARRIED and value is not None},
        **{name: getattr(config, name) for name in PLAIN_KEYS},
        "recall_budget_function": budget.function,
        **{f"recall_budget_fixed_{one}": budget.fixed[one] for one in Budget},
        **{f"recall_budget_adaptive_{one}": budget.adaptive[one] for one in Budget},
        "recall_budget_min": budget.minimum,
        "recall_budget_max": budget.maximum,
        LANGUAGE: bank.language,
    }


def overridden(bank: Bank) -> dict[str, Any]:
    """What the bank sets itself, the mission and the disposition of its row included."""
    traits = {name: getattr(bank.disposition, trait) for name, trait in TRAITS.items()}
    own: dict[str, Any] = {name: value for name, value in traits.items() if value != _CARRIED[name][1]}
    if bank.mission:
        own[MISSION] = bank.mission
    return {**bank.overrides, **own}


def as_stored(values: Mapping[str, Any], disposition: Disposition) -> tuple[dict[str, Any], dict[str, Any]]:
    """Checked values as columns of the bank's row, and the rest, which are overrides.

    A trait that is not named stays what it is in ``disposition``.
    """
    columns: dict[str, Any] = {}
    if MISSION in values:
        columns["mission"] = values[MISSION] or ""
    if values.get(LANGUAGE) is not None:
        columns[LANGUAGE] = values[LANGUAGE]
    traits = {trait: values[name] for name, trait in TRAITS.items() if name in values}
    if traits:
        neutral = asdict(Disposition())
        given = {trait: neutral[trait] if value is None else value for trait, value in traits.items()}
        columns["disposition"] = {**asdict(disposition), **given}
    return columns, {
        name: value for name, value in values.items() if name not in {MISSION, LANGUAGE, *TRAITS}
    }


def _is_shallow(value: Any) -> bool:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return False
        level = [
            inner
            for node in level
            if isinstance(node, dict | list)
            for inner in (node.values() if isinstance(node, dict) else node)
        ]
    return True
