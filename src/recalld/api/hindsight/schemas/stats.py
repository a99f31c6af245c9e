"""Counts of what a bank holds."""

from __future__ import annotations

from pydantic import Field

from recalld.api.hindsight.schemas.base import WireModel


class BankStatsResponse(WireModel):
    """Counts by kind."""

    bank_id: str
    total_nodes: int
    total_links: int
    total_documents: int
    nodes_by_fact_type: dict[str, int]
    links_by_link_type: dict[str, int]
    links_by_fact_type: dict[str, int]
    links_breakdown: dict[str, dict[str, int]]
    pending_operations: int
    failed_operations: int
    operations_by_status: dict[str, int] = Field(default_factory=dict)
    last_consolidated_at: str | None = None
    last_memory_write_at: str | None = None
    pending_consolidation: int = 0
    failed_consolidation: int = 0
    total_observations: int = 0
