"""Requests and answers under the names past.dev has for them. Closed objects: no null, no further key."""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from recalld.domain.text import not_blank, unscrubbed
from recalld.domain.time import as_utc

MAX_NAME = 200
MAX_ITEMS = 1000
MAX_LEVELS = 100
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}")


def _without_null(schema: dict[str, Any]) -> None:
    """The schema of what is left out rather than null."""
    schema.pop("default", None)
    present = [one for one in schema.pop("anyOf", []) if one != {"type": "null"}]
    for one in present:
        schema.update(one)


def optional(**options: Any) -> Any:
    """A field that is left out where there is nothing to say."""
    return Field(default=None, json_schema_extra=_without_null, **options)


def _moment(value: Any) -> Any:
    if isinstance(value, datetime) or (isinstance(value, str) and _DATE_TIME.match(value)):
        return value
    msg = "should be a date-time of ISO 8601"
    raise ValueError(msg)


def _integral(value: Any) -> Any:
    """JSON has one kind of number: 100.0 is an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain_json(value: Any) -> Any:
    """Refuses what JSON has no words for, what no text of a database may hold, and what is nested deeply."""
    _check_json(value, MAX_LEVELS)
    return value


def _check_json(value: Any, levels: int) -> None:
    if levels < 0:
        msg = f"must not be nested more than {MAX_LEVELS} levels deep"
        raise ValueError(msg)
    if isinstance(value, float) and not math.isfinite(value):
        msg = "must not hold numbers that are not finite"
        raise ValueError(msg)
    if isinstance(value, str):
        unscrubbed(value)
    inner = value if isinstance(value, list) else []
    if isinstance(value, dict):
        inner = [part for pair in value.items() for part in pair]
    for part in inner:
        _check_json(part, levels - 1)


Moment = Annotated[datetime, BeforeValidator(_moment), AfterValidator(as_utc)]
Text = Annotated[str, AfterValidator(not_blank)]
# Ids and names tell things apart and decide who sees them.
Name = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(unscrubbed), AfterValidator(not_blank)]
Metadata = Annotated[Any, AfterValidator(_plain_json)]
Label = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_plain_json)]
Cursor = Annotated[str, AfterValidator(_plain_json)]
Tokens = Annotated[int, Field(ge=1, strict=True), BeforeValidator(_integral)]
Level = Literal["low", "medium", "high", "extra-high"]


class Closed(BaseModel):
    """An object without further keys."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Sent(Closed):
    """An object of a request, in which nothing is null but what is inside metadata."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_null(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for name, inner in value.items():
                if inner is None and name != "metadata":
                    msg = f"{name} must not be null"
                    raise ValueError(msg)
        return value


class RecallRequest(Sent):
    """What is to be recalled, for whom, and of which time."""

    query: Text = Field(description="Question in natural language.")
    limit: Annotated[int, BeforeValidator(_integral)] = Field(
        100, ge=1, le=200, strict=True, description="Most documents in the answer."
    )
    level: Level = Field(
        "low",
        description="Evidence budget: low 8,000 tokens, medium 16,000, high 24,000, extra-high 32,000. "
        "Not together with maxTokens.",
    )
    max_tokens: Tokens | None = optional(
        description="Evidence budget in tokens, a quarter of the characters of contents and excerpts. "
        "Documents are kept whole or left out.",
    )
    query_timestamp: Moment | None = optional(
        description="Moment of the read: what is dated later is not seen. Now by default."
    )
    occurred_from: Moment | None = optional(description="Start of the occurrence window, inclusive.")
    occurred_to: Moment | None = optional(
        description="End of the occurrence window, inclusive. Before its start: 400 recall-range-invalid."
    )
    sort: Literal["relevance", "chronological"] = Field(
        "relevance", description="chronological puts the oldest first; ranks stay those of relevance."
    )
    identity: Name

    @model_validator(mode="after")
    def _one_budget(self) -> RecallRequest:
        if {"level", "max_tokens"} <= self.model_fields_set:
            msg = "send level or maxTokens, never both"
            raise ValueError(msg)
        return self


class RecallSource(Closed):
    """Evidence of one source at one date."""

    source_id: str
    occurred_at: datetime
    metadata: Any = optional(description="As it was sent. Not to be trusted.")
    label: str | None = optional(description="As it was sent.")
    excerpts: list[str] = Field(description="Quotations word for word; none of an original source.")


class RecallArtifact(Closed):
    """What a document is: a source as it was sent, or a claim or an observation derived from some."""

    id: UUID
    kind: str
    occurred_at: datetime
    superseded_at: datetime | None = optional(
        description="When a later statement, visible to the identity, took its place."
    )


class RecallResult(Closed):
    """One document."""

    id: UUID
    rank: int = Field(ge=1)
    occurred_at: datetime
    content: str
    artifact: RecallArtifact
    sources: list[RecallSource]


class RecallPending(Closed):
    """Ingestions that are not in the answer yet."""

    ingestions: int = Field(ge=1, description="Ingestions that have not ended.")
    data_points: int = Field(ge=0, description="Data points they carry.")
    since: datetime = Field(description="When the oldest of them came.")
    message: str = Field(description="The same as a sentence.")


class RecallResponse(Closed):
    """Documents, best first or oldest first."""

    as_of: datetime
    used_evidence_tokens: int = Field(description="Estimate over contents and excerpts.")
    results: list[RecallResult]
    pending: RecallPending | None = optional(description="Only while ingestions are under way.")


class IngestItem(Sent):
    """One data point."""

    content: Text = Field(description="The text to remember.")
    id: Name | None = optional(description="Id of the source; a known one is replaced.")
    timestamp: Moment | None = optional(description="Date of the data point. Now by default.")
    identity: Name | None = optional(
        description="Whose it is; without one and without an audience, all see it."
    )
    audience: Name | None = optional(description="Who sees it besides.")
    label: Label | None = optional(description="Short title, given back as it is.")
    metadata: Metadata = optional(description="Any JSON, given back as it is.")


class IngestRequest(IngestItem):
    """One data point, ingested once for each key."""

    idempotency_key: Name | None = optional(description="The same key is worked on once.")


class IngestBatchRequest(Sent):
    """Several data points, ingested together."""

    items: list[IngestItem] = Field(min_length=1, max_length=MAX_ITEMS)
    idempotency_key: Name | None = optional(description="The same key is worked on once.")


ReceiptStatus = Literal["queued", "completed"]


class IngestReceipt(Closed):
    """What became of one data point."""

    project_id: str
    ingestion_id: UUID
    source_id: str
    status: ReceiptStatus
    unchanged: bool = Field(description="Nothing was written: it was there already.")


class IngestBatchItem(Closed):
    """What became of a data point of a batch."""

    ordinal: int
    source_id: str
    status: ReceiptStatus
    unchanged: bool


class IngestBatchReceipt(Closed):
    """What became of a batch."""

    project_id: str
    ingestion_id: UUID
    status: ReceiptStatus
    unchanged: bool
    items: list[IngestBatchItem]


class IngestionFailure(Closed):
    """Why an ingestion does not get on."""

    code: str
    message: str


class Ingestion(Closed):
    """How far an ingestion is."""

    project_id: str
    ingestion_id: UUID
    status: Literal["queued", "processing", "completed", "failed"]
    settled: bool = Field(description="It has ended.")
    blocked: bool = Field(description="It failed and waits to be tried again.")
    failure: IngestionFailure | None = optional()
    readiness: Literal["pending", "ready", "failed"] = Field(description="Whether recall finds all of it.")


class DeletionReceipt(Closed):
    """A data point that is gone."""

    operation_id: UUID
    ids: list[str]


class AudienceEntry(Closed):
    """An audience with the number of its data points."""

    slug: str
    data_points: int


class AudienceList(Closed):
    """All audiences of the project."""

    audiences: list[AudienceEntry]


class IdentityEntry(Closed):
    """An identity with the number of its data points."""

    identity: str
    data_points: int


class IdentityPage(Closed):
    """Identities in order; the next page begins after the cursor."""

    identities: list[IdentityEntry]
    has_more: bool
    end_cursor: str | None = optional()


class Error(BaseModel):
    """Why a request was not answered."""

    code: str = Field(description="Stable, in kebab-case.")
    status: int = Field(description="The HTTP status.")
    debug_message: str | None = optional(alias="debugMessage")
    data: Any = optional()
