"""Which facts a recall may see at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recalld.domain.memory import ALL_FACT_TYPES, FactType
from recalld.domain.tags import NO_FILTER, TagNode


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Every condition that holds inside each retriever, before its limit.

    ``as_of`` hides what is dated later. ``occurred_from`` and ``occurred_to`` bound the same date,
    inclusively.
    """

    bank_key: int
    types: tuple[FactType, ...] = ALL_FACT_TYPES
    tags: TagNode = NO_FILTER
    as_of: datetime | None = None
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None
