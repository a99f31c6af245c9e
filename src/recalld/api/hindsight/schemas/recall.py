"""Recall: request and response."""

from __future__ import annotations

import math
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from recalld.api.hindsight.schemas.base import FIRST_FAULT, NULL_IS_ABSENT, OMIT_EMPTY, WireModel
from recalld.domain.text import has_forbidden, has_word
from recalld.domain.time import as_utc

MAX_TAG_DEPTH = 32
MAX_TAG_LEAVES = 256
TagMatchName = Literal["any", "all", "any_strict", "all_strict", "exact"]


class Budget(StrEnum):
    """Depth of the search."""

    LOW = "low"
    MID = "mid"
    HIGH = "high"


def _clean_tag(tag: str) -> str:
    if has_forbidden(tag):
        raise ValueError("tags must not contain control characters or surrogates")
    return tag


Tag = Annotated[str, Field(), BeforeValidator(lambda tag: _clean_tag(tag) if isinstance(tag, str) else tag)]


class EntityIncludeOptions(WireModel):
    """Entities with their observations, under a token budget."""

    max_tokens: int = 500


class ChunkIncludeOptions(WireModel):
    """Source chunks, under a token budget."""

    max_tokens: int = 8192


class SourceFactsIncludeOptions(WireModel):
    """Source facts of observations; -1 is no limit."""

    max_tokens: int = 4096
    max_tokens_per_observation: int = -1


class IncludeOptions(WireModel):
    """What comes with the facts."""

    entities: EntityIncludeOptions | None = EntityIncludeOptions()
    chunks: ChunkIncludeOptions | None = None
    source_facts: SourceFactsIncludeOptions | None = None


class TagGroupLeaf(WireModel):
    """Compare a memory's tags with these."""

    tags: Annotated[list[Tag], FIRST_FAULT]
    match: TagMatchName = "any_strict"
    resolve: Literal["exact", "fuzzy"] = "exact"


class TagGroupAnd(WireModel):
    """Every part must match."""

    # Its published name, which is no identifier. OpenAPI names a schema after this.
    __qualname__ = "TagGroupAnd-Input"

    filters: Annotated[list[TagGroup], FIRST_FAULT] = Field(alias="and")


class TagGroupOr(WireModel):
    """Any part must match."""

    __qualname__ = "TagGroupOr-Input"

    filters: Annotated[list[TagGroup], FIRST_FAULT] = Field(alias="or")


class TagGroupNot(WireModel):
    """The part must not match."""

    __qualname__ = "TagGroupNot-Input"

    filter: TagGroup = Field(alias="not")


TagGroup = TagGroupLeaf | TagGroupAnd | TagGroupOr | TagGroupNot
for _model in (TagGroupAnd, TagGroupOr, TagGroupNot):
    _model.model_rebuild(force=True)


class MinScores(WireModel):
    """Inclusive floors; ``semantic`` and ``keyword`` prune their retriever, the others every result."""

    semantic: float | None = None
    keyword: float | None = None
    reranker: float | None = None
    final: float | None = None

    @field_validator("semantic", "keyword", "reranker", "final")
    @classmethod
    def _finite(cls, value: float | None) -> float | None:
        if value is not None and not math.isfinite(value):
            raise ValueError("must be a finite number")
        return value


class TemporalWindow(WireModel):
    """A span of time that ranks and never filters."""

    start: datetime
    end: datetime

    @model_validator(mode="after")
    def _ordered(self) -> TemporalWindow:
        if as_utc(self.end) < as_utc(self.start):
            raise ValueError("temporal_window.end must not be earlier than temporal_window.start")
        return self


class RerankOptions(WireModel):
    """What a decision model does beyond ordering."""

    prune: bool | None = None
    dedup: bool | None = None


class RecallRequest(WireModel):
    """One question to a bank."""

    query: str
    types: Annotated[list[str] | None, FIRST_FAULT] = None
    prefer_observations: bool | None = None
    budget: Budget = Budget.MID
    max_tokens: int = 4096
    trace: bool = False
    query_timestamp: str | None = None
    include: IncludeOptions = Field(default_factory=IncludeOptions, json_schema_extra={"default": {}})
    tags: Annotated[list[Tag] | None, FIRST_FAULT] = None
    tags_match: TagMatchName = "any"
    tag_groups: Annotated[list[TagGroup] | None, FIRST_FAULT] = None
    min_scores: MinScores | None = None
    temporal_window: TemporalWindow | None = None
    rerank: Annotated[RerankOptions, NULL_IS_ABSENT] = Field(default_factory=RerankOptions)

    @field_validator("query")
    @classmethod
    def _has_word(cls, query: str) -> str:
        if not has_word(query):
            raise ValueError("query must contain at least one word character after normalization")
        return query

    @field_validator("tag_groups", mode="before")
    @classmethod
    def _bounded(cls, groups: Any) -> Any:
        check_tag_tree(groups)
        return groups

    @model_validator(mode="after")
    def _one_tag_filter(self) -> RecallRequest:
        if self.tags is not None and self.tag_groups is not None:
            raise ValueError(
                "'tags' and 'tag_groups' are mutually exclusive. Use 'tag_groups' for compound filtering."
            )
        return self


class RecallScores(WireModel):
    """Scores of one result; ``final`` is what results are ordered by."""

    final: float
    reranker: float | None = None
    semantic: float | None = None
    keyword: float | None = None


class ChunkAttachment(WireModel):
    """A file that came with the content."""

    id: str
    hash: str
    kind: str
    media_type: str
    byte_size: int
    filename: str | None = None
    url: str


class RecallResult(WireModel):
    """One fact."""

    id: str
    text: str
    type: str | None = None
    entities: list[str] | None = None
    context: str | None = None
    occurred_start: str | None = None
    occurred_end: str | None = None
    mentioned_at: str | None = None
    document_id: str | None = None
    metadata: dict[str, str] | None = None
    chunk_id: str | None = None
    tags: list[str] | None = None
    source_fact_ids: list[str] | None = None
    scores: RecallScores | None = None
    attachments: list[ChunkAttachment] | None = OMIT_EMPTY


class EntityObservationResponse(WireModel):
    """An observation about an entity."""

    text: str
    mentioned_at: str | None = None


class EntityStateResponse(WireModel):
    """An entity of the results."""

    entity_id: str
    canonical_name: str
    observations: list[EntityObservationResponse]


class ChunkData(WireModel):
    """A source chunk."""

    id: str
    text: str
    chunk_index: int
    truncated: bool = False
    attachments: list[ChunkAttachment] | None = OMIT_EMPTY


class RecallResponse(WireModel):
    """Facts, best first, with what was asked for."""

    results: list[RecallResult]
    trace: dict[str, Any] | None = None
    entities: dict[str, EntityStateResponse] | None = None
    chunks: dict[str, ChunkData] | None = None
    source_facts: dict[str, RecallResult] | None = None
    source_facts_truncated: bool | None = None


def check_tag_tree(groups: Any) -> None:
    """Refuse trees that are too deep or too wide, before anything walks them by recursion (D8).

    A group without parts counts as a leaf.
    """
    level, depth, leaves = [groups], 0, 0
    while level:
        depth += any(isinstance(node, dict) for node in level)
        if depth > MAX_TAG_DEPTH:
            raise ValueError(f"tag_groups may be nested {MAX_TAG_DEPTH} levels deep at most")
        deeper: list[Any] = []
        for node in level:
            parts = _parts(node)
            leaves += not parts
            deeper += parts
            if leaves + len(deeper) > MAX_TAG_LEAVES:
                raise ValueError(f"tag_groups may hold {MAX_TAG_LEAVES} leaves at most")
        level = deeper


def _parts(node: Any) -> list[Any]:
    """Lists and objects directly inside a node, none for a leaf."""
    if isinstance(node, dict):
        inside = [] if "tags" in node else list(node.values())
    else:
        inside = node if isinstance(node, list) else []
    return [part for part in inside if isinstance(part, dict | list)]
