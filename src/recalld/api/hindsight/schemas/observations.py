"""Observations: requests and responses."""

from __future__ import annotations

from recalld.api.hindsight.schemas.base import WireModel


class ConsolidationRequest(WireModel):
    """What to consolidate; all that is pending is, whatever scopes are named."""

    observation_scopes: list[list[str]] | None = None


class ConsolidationResponse(WireModel):
    """The operation that consolidates."""

    operation_id: str
    deduplicated: bool = False


class RecoverConsolidationResponse(WireModel):
    """How many facts are tried again."""

    retried_count: int


class ObservationScope(WireModel):
    """A set of tags and the number of observations made for it."""

    tags: list[str]
    count: int


class ObservationScopesResponse(WireModel):
    """A page of sets of tags."""

    scopes: list[ObservationScope]
    total: int
    limit: int
    offset: int


class ClearMemoryObservationsResponse(WireModel):
    """What was deleted."""

    deleted_count: int
