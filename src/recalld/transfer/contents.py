"""What the members of an archive hold. Keys nobody knows are left alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from recalld.domain.attachments import Kind as FileKind
from recalld.domain.bank_settings import SCOPED
from recalld.domain.errors import InvalidRequest
from recalld.domain.text import not_blank, scrub, scrub_all, unscrubbed
from recalld.domain.time import as_utc

SCHEMA_VERSION = 1
MAX_FACTS = 20_000
"""Facts of one document, which is written in one transaction."""
_MOST = 2**31 - 1

Model = TypeVar("Model", bound=BaseModel)


def _decoded(value: Any) -> Any:
    """A JSON column as a value; some exporters write such columns as text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
    except RecursionError as error:
        msg = "is nested too deeply"
        raise ValueError(msg) from error


def _listed(value: Any) -> Any:
    return [] if value is None else value


def _object(value: Any) -> Any:
    value = _decoded(value)
    return {} if value is None else scrub_all(value)


def _texts_by_key(value: Any) -> Any:
    """Metadata with texts for values, whatever they were."""
    value = _object(value)
    if not isinstance(value, dict):
        return value
    return {
        key: inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
        for key, inner in value.items()
        if inner is not None
    }


def _edges(value: Any) -> Any:
    """Links in our words; those in others' are left out."""
    value = _listed(_decoded(value))
    if not isinstance(value, list):
        return value
    return [one for one in value if isinstance(one, dict) and {"from_unit", "to_unit"} <= one.keys()]


def _date(value: Any) -> Any:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str | datetime):
        msg = "should be a date in ISO 8601"
        raise ValueError(msg)  # noqa: TRY004 - pydantic collects this kind only
    return value


def _scopes(value: Any) -> Any:
    value = _decoded(value)
    if value is None or SCOPED.accepts(value):
        return value
    msg = f"should be {SCOPED.name}"
    raise ValueError(msg)


def _json_text(value: str) -> str:
    json.loads(unscrubbed(value))
    return value


Text = Annotated[str, AfterValidator(scrub)]
Statement = Annotated[str, AfterValidator(not_blank)]
# Ids and tags tell things apart and decide who sees them.
Id = Annotated[str, Field(min_length=1), AfterValidator(unscrubbed)]
Tags = Annotated[list[Annotated[str, AfterValidator(unscrubbed)]], BeforeValidator(_listed)]
Names = Annotated[list[str], BeforeValidator(_listed)]
Moment = Annotated[Annotated[datetime, AfterValidator(as_utc)] | None, BeforeValidator(_date)]
Metadata = Annotated[dict[str, str], BeforeValidator(_texts_by_key)]
Object = Annotated[dict[str, Any], BeforeValidator(_object)]
Scopes = Annotated[Any, BeforeValidator(_scopes)]
JsonText = Annotated[str, AfterValidator(_json_text)]
Index = Annotated[int, Field(ge=0, le=_MOST)]
Relation = Literal["caused_by", "causes", "enables", "prevents"]
Kind = Literal["world", "experience"]


class Content(BaseModel):
    """A part of an archive."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CausalRelation(Content):
    """A causal link to another fact of the same document, by its place in the list."""

    relation_type: Relation
    target_fact_index: Index


class Fact(Content):
    """One fact. Without a list of tags it has those of its document; an empty list means none."""

    text: Statement
    source_id: str | None = None
    fact_type: Kind = "world"
    context: Text | None = None
    event_date: Moment = None
    occurred_start: Moment = None
    occurred_end: Moment = None
    mentioned_at: Moment = None
    metadata: Metadata = Field(default_factory=dict)
    tags: list[Annotated[str, AfterValidator(unscrubbed)]] | None = None
    observation_scopes: Scopes = None
    chunk_index: Index | None = None
    entities: Names = Field(default_factory=list)
    causal_relations: Annotated[list[CausalRelation], BeforeValidator(_listed)] = Field(default_factory=list)
    created_at: Moment = None
    edited_at: Moment = None
    consolidated_at: Moment = None
    consolidation_failed_at: Moment = None


class CausalEdge(Content):
    """A causal link of a fact that was set aside, by the ids of the bank it came from."""

    from_unit: str
    to_unit: str
    link_type: Relation
    weight: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0


class InvalidatedFact(Content):
    """A fact that was set aside, and can be brought back."""

    id: str | None = None
    document_id: Id | None = None
    chunk_index: Index | None = None
    text: Statement
    fact_type: Kind = "world"
    context: Text | None = None
    occurred_start: Moment = None
    occurred_end: Moment = None
    mentioned_at: Moment = None
    metadata: Metadata = Field(default_factory=dict)
    tags: Tags = Field(default_factory=list)
    observation_scopes: Scopes = None
    entities: Names = Field(default_factory=list)
    causal_links: Annotated[list[CausalEdge], BeforeValidator(_edges)] = Field(default_factory=list)
    created_at: Moment = None
    edited_at: Moment = None
    invalidation_reason: Text | None = None
    invalidated_at: Moment = None


class Chunk(Content):
    """A piece of the document's text."""

    chunk_index: Index
    chunk_text: Text


class Document(Content):
    """One document with what was made of it.

    ``metadata``, ``label`` and ``source_metadata`` are recalld's own; others keep metadata in the params.
    """

    id: Id
    original_text: Text | None = None
    retain_params: Object = Field(default_factory=dict)
    metadata: Annotated[dict[str, str] | None, BeforeValidator(_texts_by_key)] = None
    label: Text | None = None
    source_metadata: JsonText | None = None
    tags: Tags = Field(default_factory=list)
    created_at: Moment = None
    chunks: Annotated[list[Chunk], BeforeValidator(_listed)] = Field(default_factory=list)
    facts: Annotated[list[Fact], BeforeValidator(_listed)] = Field(default_factory=list, max_length=MAX_FACTS)

    @model_validator(mode="after")
    def _indexes_lead_somewhere(self) -> Document:
        for place, fact in enumerate(self.facts):
            for one in fact.causal_relations:
                if one.target_fact_index >= len(self.facts):
                    msg = f"facts.{place}.causal_relations: there is no fact {one.target_fact_index}"
                    raise ValueError(msg)
        if len({chunk.chunk_index for chunk in self.chunks}) < len(self.chunks):
            msg = "chunks: a chunk_index stands twice"
            raise ValueError(msg)
        return self


class Source(Content):
    """A fact an observation rests on, by its document and its place in the list there."""

    document_id: Id
    fact_index: Index


class Observation(Content):
    """A statement that rests on facts. Without ``proof_count`` it has one proof per source."""

    source_id: str | None = None
    text: Statement
    created_at: Moment = None
    tags: Tags = Field(default_factory=list)
    event_date: Moment = None
    occurred_start: Moment = None
    occurred_end: Moment = None
    mentioned_at: Moment = None
    observation_scopes: Scopes = None
    proof_count: Annotated[int, Field(ge=1, le=_MOST)] | None = None
    sources: Annotated[list[Source], BeforeValidator(_listed)] = Field(default_factory=list)


class File(Content):
    """An image or a file that came with a document, named after the SHA-256 of its bytes."""

    document_id: Id
    hash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    kind: FileKind
    media_type: Id = "application/octet-stream"
    byte_size: Index = 0
    filename: Text | None = None

    @property
    def member(self) -> str:
        """The member that holds its bytes."""
        return f"blobs/{self.hash}"


class BankRow(Content):
    """How a bank is set up."""

    name: Text | None = None
    mission: Text | None = None
    disposition: Object = Field(default_factory=dict)
    config: Object = Field(default_factory=dict)


class Scope(Content):
    """What an archive of a whole bank was to hold."""

    data: bool = True
    bank_config: bool = True
    history: bool = False


class Manifest(Content):
    """What the archive says about itself."""

    schema_version: int = SCHEMA_VERSION
    source_bank_id: str
    exported_at: Moment = None
    archive_type: Literal["documents", "bank"] = "documents"
    counts: dict[str, int] = Field(default_factory=dict)
    includes_history: bool = False
    scope: Scope | None = None


def parsed(member: str, model: type[Model], value: Any) -> Model:
    """A value as a model, or ``InvalidRequest`` that names the member and the field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _refusal(member, error) from error


def parsed_list(member: str, model: type[Model], value: Any) -> list[Model]:
    """The same for a list."""
    adapter: TypeAdapter[list[Model]] = TypeAdapter(list[model])  # type: ignore[valid-type]
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        raise _refusal(member, error) from error


def _refusal(member: str, error: ValidationError) -> InvalidRequest:
    first = error.errors(include_url=False, include_input=False)[0]
    return InvalidRequest(
        ": ".join([member, *_field(first["loc"]), first["msg"].removeprefix("Value error, ")])
    )


def _field(loc: Sequence[int | str]) -> list[str]:
    return [".".join(str(part) for part in loc)[:200]] if loc else []
