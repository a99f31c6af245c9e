"""What a caller may narrow a list by, and which page of it is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recalld.domain.tags import NO_FILTER, TagNode

_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Page:
    """``limit`` rows from the ``offset``-th on."""

    limit: int = 100
    offset: int = 0

    @property
    def bounds(self) -> dict[str, int]:
        """Both numbers as far as PostgreSQL counts."""
        return {"limit": min(self.limit, _MOST), "offset": min(self.offset, _MOST)}


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Rows that have a date in ``column``, from ``start`` up to but not including ``end``, newest first."""

    column: str
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Which memories to list; ``None`` leaves a condition out.

    ``consolidation`` is ``failed``, ``pending`` or ``done``. ``invalidated`` lists those set aside instead.
    """

    fact_type: str | None = None
    search: str | None = None
    document_id: str | None = None
    entity_id: str | None = None
    tags: TagNode = NO_FILTER
    invalidated: bool = False
    consolidation: str | None = None
    time: TimeRange | None = None


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Which documents to list; ``None`` leaves a condition out."""

    search: str | None = None
    tags: TagNode = NO_FILTER
    time: TimeRange | None = None
