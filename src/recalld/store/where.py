"""The conditions every retriever applies: bank, types, tags, dates. Pure: filters in, SQL out."""

from __future__ import annotations

from typing import cast

from sqlalchemy import ColumnElement, FromClause, Text, and_, false, func, not_, or_, true
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import ARRAY

from recalld.domain.filters import FactFilter
from recalld.domain.tags import NO_FILTER, TagAnd, TagLeaf, TagMatch, TagNode, TagNot, TagOr

Condition = ColumnElement[bool]


def fact_conditions(units: FromClause, facts: FactFilter) -> list[Condition]:
    """Conditions on a row of ``memory_units`` (or an alias of it), fact types apart."""
    conditions: list[Condition] = [units.c.bank_key == facts.bank_key]
    if facts.tags != NO_FILTER:
        conditions.append(tag_condition(units.c.tags, facts.tags))
    bounds = (facts.as_of, facts.occurred_from, facts.occurred_to)
    if any(bound is not None for bound in bounds):
        date = func.coalesce(units.c.occurred_start, units.c.mentioned_at, units.c.created_at)
        if facts.as_of is not None:
            conditions.append(date <= facts.as_of)
        if facts.occurred_from is not None:
            conditions.append(date >= facts.occurred_from)
        if facts.occurred_to is not None:
            conditions.append(date <= facts.occurred_to)
    return conditions


def type_condition(units: FromClause, facts: FactFilter) -> Condition:
    """The row is of one of the requested types."""
    return cast("Condition", units.c.fact_type.in_([str(t) for t in facts.types]))


def tag_condition(tags: ColumnElement[list[str]], node: TagNode) -> Condition:
    """SQL twin of ``domain.tags.matches`` over a ``text[]`` column that is never null."""
    match node:
        case TagAnd(parts):
            return and_(true(), *(tag_condition(tags, part) for part in parts))
        case TagOr(parts):
            return or_(false(), *(tag_condition(tags, part) for part in parts))
        case TagNot(part):
            return not_(tag_condition(tags, part))
        case TagLeaf():
            return _leaf_condition(tags, node)


def _leaf_condition(tags: ColumnElement[list[str]], leaf: TagLeaf) -> Condition:
    wanted = sql_cast(list(leaf.tags), ARRAY(Text))
    untagged = func.cardinality(tags) == 0
    overlap = tags.op("&&", is_comparison=True)(wanted)
    contains = tags.op("@>", is_comparison=True)(wanted)
    match leaf.match:
        case TagMatch.EXACT:
            return and_(contains, tags.op("<@", is_comparison=True)(wanted))
        case TagMatch.ANY:
            return or_(untagged, overlap)
        case TagMatch.ALL:
            return or_(untagged, contains)
        case TagMatch.ANY_STRICT:
            return cast("Condition", overlap)
        case TagMatch.ALL_STRICT:
            return and_(not_(untagged), contains)
