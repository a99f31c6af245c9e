"""The conditions every retriever applies: bank, types, tags, dates. Pure: filters in, SQL out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recalld.domain.filters import FactFilter
from recalld.domain.listing import TimeRange
from recalld.domain.tags import NO_FILTER, TagAnd, TagLeaf, TagMatch, TagNode, TagNot, TagOr

# An observation spans the dates of its sources, and says what the last of them says.
_RESTS_ON_SEEN = """({unit}.fact_type <> 'observation' OR NOT EXISTS (
    SELECT FROM memory_units AS source
    WHERE source.bank_key = {unit}.bank_key AND source.id = ANY({unit}.source_memory_ids)
      AND NOT ({source})))"""


@dataclass(frozen=True, slots=True)
class Conditions:
    """A boolean SQL expression and its named parameters."""

    sql: str
    params: dict[str, Any] = field(default_factory=dict)

    def __and__(self, other: Conditions) -> Conditions:
        return Conditions(f"{self.sql} AND {other.sql}", {**self.params, **other.params})


def fact_conditions(facts: FactFilter, unit: str = "unit") -> Conditions:
    """Conditions on a row of ``memory_units`` under the alias ``unit``, fact types apart."""
    found = _seen(facts, unit)
    for name, value, comparison in (
        ("occurred_from", facts.occurred_from, ">="),
        ("occurred_to", facts.occurred_to, "<="),
    ):
        if value is not None:
            found &= Conditions(f"{date_of(unit)} {comparison} %({name})s", {name: value})
    if facts.as_of is not None:
        source = _seen(facts, "source")
        found &= Conditions(_RESTS_ON_SEEN.format(unit=unit, source=source.sql), source.params)
    return found


def _seen(facts: FactFilter, unit: str) -> Conditions:
    found = Conditions(f"{unit}.bank_key = %(bank_key)s", {"bank_key": facts.bank_key})
    if facts.tags != NO_FILTER:
        found &= tag_conditions(facts.tags, f"{unit}.tags")
    if facts.as_of is not None:
        found &= Conditions(f"{date_of(unit)} <= %(as_of)s", {"as_of": facts.as_of})
    return found


def date_of(unit: str) -> str:
    """The date of a row of ``memory_units``: when it happened, was told, or was stored."""
    return f"coalesce({unit}.occurred_start, {unit}.mentioned_at, {unit}.created_at)"


def of_types(facts: FactFilter, unit: str = "unit") -> Conditions:
    """The row is of one of the requested types."""
    return Conditions(f"{unit}.fact_type = ANY(%(types)s)", {"types": [str(t) for t in facts.types]})


def tag_conditions(node: TagNode, tags: str) -> Conditions:
    """SQL twin of ``domain.tags.matches`` over ``tags``, a ``text[]`` column that is never null."""
    params: dict[str, Any] = {}
    return Conditions(_node(node, tags, params), params)


def time_conditions(time: TimeRange | None, row: str) -> Conditions:
    """The row's date lies in the range. The column is a name of ours."""
    if time is None:
        return Conditions("true")
    column = f"{row}.{time.column}"
    found = Conditions(f"{column} IS NOT NULL")
    if time.start is not None:
        found &= Conditions(f"{column} >= %(range_start)s", {"range_start": time.start})
    if time.end is not None:
        found &= Conditions(f"{column} < %(range_end)s", {"range_end": time.end})
    return found


def _node(node: TagNode, tags: str, params: dict[str, Any]) -> str:
    match node:
        case TagAnd(parts):
            return "(" + " AND ".join(["true", *(_node(part, tags, params) for part in parts)]) + ")"
        case TagOr(parts):
            return "(" + " OR ".join(["false", *(_node(part, tags, params) for part in parts)]) + ")"
        case TagNot(part):
            return f"(NOT {_node(part, tags, params)})"
        case TagLeaf():
            return _leaf(node, tags, params)


def _leaf(leaf: TagLeaf, tags: str, params: dict[str, Any]) -> str:
    name = f"tags_{len(params)}"
    params[name] = list(leaf.tags)
    wanted, untagged = f"%({name})s::text[]", f"{tags} = '{{}}'"
    match leaf.match:
        case TagMatch.EXACT:
            return f"({tags} @> {wanted} AND {tags} <@ {wanted})"
        case TagMatch.ANY:
            return f"({untagged} OR {tags} && {wanted})"
        case TagMatch.ALL:
            return f"({untagged} OR {tags} @> {wanted})"
        case TagMatch.ANY_STRICT:
            return f"{tags} && {wanted}"
        case TagMatch.ALL_STRICT:
            return f"(NOT {untagged} AND {tags} @> {wanted})"
