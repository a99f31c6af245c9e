"""past.dev's recall between the wire and the domain, both ways."""

from __future__ import annotations

import json
from datetime import datetime

from recalld.api.past.errors import ApiError
from recalld.api.past.schemas import (
    RecallArtifact,
    RecallPending,
    RecallRequest,
    RecallResponse,
    RecallResult,
    RecallSource,
)
from recalld.domain.budget import Budget, estimated_tokens
from recalld.domain.memory import FactType
from recalld.domain.operations import Backlog
from recalld.domain.visibility import visible_to
from recalld.recall.types import (
    ByDocument,
    Evidence,
    Includes,
    RecallOutcome,
    RecallQuery,
    ScoredCandidate,
    SourceEvidence,
)

LEVELS = {"low": 8_000, "medium": 16_000, "high": 24_000, "extra-high": 32_000}
_DEPTHS = ((8_000, Budget.LOW), (16_000, Budget.MID))
SOURCE, CLAIM, OBSERVATION = "source", "claim", "observation"


def recall_query(bank_id: str, request: RecallRequest, now: datetime, ceiling: int) -> RecallQuery:
    """The question to the bank, or why it is none. ``ceiling`` is the most tokens of evidence."""
    start, end = request.occurred_from, request.occurred_to
    if start is not None and end is not None and start > end:
        raise ApiError(400, "recall-range-invalid", "occurredFrom lies after occurredTo.")
    tokens = LEVELS[request.level] if request.max_tokens is None else request.max_tokens
    as_of = request.query_timestamp or now
    return RecallQuery(
        bank_id=bank_id,
        text=request.query,
        budget=next((budget for most, budget in _DEPTHS if tokens <= most), Budget.HIGH),
        max_tokens=min(tokens, ceiling),
        anchor=as_of,
        tags=visible_to(request.identity, ()),
        includes=Includes(entity_tokens=None),
        as_of=as_of,
        occurred_from=start,
        occurred_to=end,
        max_results=request.limit,
        by_document=ByDocument(estimated_tokens),
        cut_if_long=True,
    )


def recall_response(outcome: RecallOutcome, sort: str, backlog: Backlog | None) -> RecallResponse:
    """The answer to a recall."""
    results = _results(outcome)
    if sort == "chronological":
        results.sort(key=lambda one: (one.occurred_at, one.rank))
    answer = empty_response(outcome.plan.query)
    told = {"used_evidence_tokens": outcome.selection.tokens_used, "results": results}
    return answer.model_copy(update={**told, "pending": None if backlog is None else _pending(backlog)})


def empty_response(query: RecallQuery) -> RecallResponse:
    """The answer of a bank that holds nothing yet."""
    return RecallResponse.model_validate({"as_of": query.as_of, "used_evidence_tokens": 0, "results": []})


def _results(outcome: RecallOutcome) -> list[RecallResult]:
    evidence = outcome.selection.evidence
    return [
        _result(rank, one, evidence[one.memory.id], outcome.superseded.get(one.memory.id))
        for rank, one in enumerate(outcome.selection.kept, 1)
    ]


def _result(rank: int, one: ScoredCandidate, evidence: Evidence, superseded: datetime | None) -> RecallResult:
    memory = one.memory
    kind = SOURCE if evidence.piece_of is not None else CLAIM
    if memory.fact_type is FactType.OBSERVATION:
        kind = OBSERVATION
    return RecallResult.model_validate(
        {
            "id": memory.id,
            "rank": rank,
            "occurred_at": evidence.occurred_at,
            "content": memory.text,
            "artifact": RecallArtifact.model_validate(
                {
                    "id": memory.id,
                    "kind": kind,
                    "occurred_at": evidence.occurred_at,
                    "superseded_at": superseded,
                }
            ),
            "sources": [_source(source) for source in evidence.sources],
        }
    )


def _source(source: SourceEvidence) -> RecallSource:
    return RecallSource(
        source_id=source.source_id,
        occurred_at=source.occurred_at,
        metadata=None if source.metadata is None else json.loads(source.metadata),
        label=source.label,
        excerpts=list(source.excerpts),
    )


def _pending(backlog: Backlog) -> RecallPending:
    many = "ingestion is" if backlog.operations == 1 else "ingestions are"
    return RecallPending(
        ingestions=backlog.operations,
        data_points=backlog.items,
        since=backlog.since,
        message=f"{backlog.operations} {many} under way and not in this recall yet.",
    )
