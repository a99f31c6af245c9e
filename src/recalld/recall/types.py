"""The values that travel between the stages of a recall, and the services the stages are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from recalld.domain.attachments import Attachment
from recalld.domain.banks import Bank, BankConfig
from recalld.domain.budget import Budget
from recalld.domain.filters import FactFilter
from recalld.domain.memory import ALL_FACT_TYPES, FactType, Memory, RankedFact
from recalld.domain.tags import NO_FILTER, TagNode
from recalld.domain.text import QueryTerm
from recalld.domain.time import TimeWindow
from recalld.encoders.protocols import ByteArray, QueryEmbedding
from recalld.telemetry import StageTiming


class RetrieverName(StrEnum):
    """The four retrievers, in the order in which fusion breaks ties."""

    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    GRAPH = "graph"
    TEMPORAL = "temporal"

    # As for FactType.
    __hash__ = str.__hash__


@dataclass(frozen=True, slots=True)
class ScoreFloors:
    """Inclusive floors: two inside a retriever, two over every result."""

    semantic: float | None = None
    keyword: float | None = None
    reranker: float | None = None
    final: float | None = None


@dataclass(frozen=True, slots=True)
class Includes:
    """What comes with the facts; ``None`` leaves a part out, a number is its token budget."""

    entity_tokens: int | None = 500
    chunk_tokens: int | None = None
    source_fact_tokens: int | None = None
    source_fact_tokens_each: int = -1


@dataclass(frozen=True, slots=True)
class ByDocument:
    """The caller wants documents, each with the evidence for it.

    Pieces of one document count as the best of them. ``estimate`` tells what a document's texts cost of
    ``max_tokens``: it is kept whole or left out, the best one too.
    """

    estimate: Callable[[Sequence[str]], int]


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One question to a bank, whichever front door it came through.

    ``as_of`` hides what is dated later, and the occurrence window what is dated outside it.
    ``cut_if_long`` lets a query over the limit be cut, whatever the server is set to.
    """

    bank_id: str
    text: str
    types: tuple[FactType, ...] = ALL_FACT_TYPES
    budget: Budget = Budget.MID
    max_tokens: int = 4096
    anchor: datetime | None = None
    tags: TagNode = NO_FILTER
    floors: ScoreFloors = ScoreFloors()
    window: TimeWindow | None = None
    prefer_observations: bool | None = None
    includes: Includes = Includes()
    trace: bool = False
    as_of: datetime | None = None
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None
    max_results: int | None = None
    by_document: ByDocument | None = None
    cut_if_long: bool = False
    prune: bool | None = None
    dedup: bool | None = None


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """Everything the retrievers and the ranking need to know, worked out once.

    ``now`` is the moment ages are measured from, in UTC. ``depth`` is the number of candidates
    per retriever and fact type. ``text`` is the query as used, cut when ``truncated``. ``fell_back``
    tells that facts are served to a caller who asked for observations, of which the bank has none.
    """

    bank: Bank
    config: BankConfig
    query: RecallQuery
    text: str
    truncated: bool
    facts: FactFilter
    now: datetime
    window: TimeWindow | None
    embedding: QueryEmbedding
    terms: tuple[QueryTerm, ...]
    depth: int
    fell_back: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one retriever, best first, over all fact types."""

    retriever: RetrieverName
    facts: tuple[RankedFact, ...]


class FusedCandidate(NamedTuple):
    """A fact with its fused score, and the rank (from 1) and score each retriever gave it."""

    id: str
    rrf_score: float
    ranks: Mapping[RetrieverName, int]
    scores: Mapping[RetrieverName, float]


class Candidate(NamedTuple):
    """A fused candidate with the stored fact and what reranking reads.

    ``similarity`` is the cosine with the query and ``bm25`` the keyword score, both worked out for
    every candidate, whichever retriever found it. ``token_vectors`` has shape (tokens, dimension).
    ``document_chunks`` is how many chunks the fact's document has, 1 for a fact without a document.
    """

    fused: FusedCandidate
    memory: Memory
    similarity: float
    bm25: float
    token_vectors: ByteArray
    document_chunks: int = 1


class ScoredCandidate(NamedTuple):
    """A candidate with its relevance in [0, 1] and the boosts that make ``final``.

    ``reranker`` is what the response shows: the relevance, or ``None`` when nothing reranked or the
    relevance is only a place in an order. ``helps`` is what a decision model thinks, in [0, 1].
    """

    candidate: Candidate
    relevance: float
    reranker: float | None
    recency: float = 0.5
    proximity: float = 0.5
    proof: float = 0.5
    final: float = 0.0
    helps: float | None = None

    @property
    def memory(self) -> Memory:
        """The stored fact."""
        return self.candidate.memory


@dataclass(frozen=True, slots=True)
class Reranked:
    """Scored candidates and what served them.

    They come in fused order, or, where ``in_order``, in the order of a decision model, which no boost
    changes.
    """

    scored: tuple[ScoredCandidate, ...]
    served_by: str
    failed: bool = False
    in_order: bool = False


class SourceEvidence(NamedTuple):
    """What a source says for a fact, word for word, and what the caller told of the source.

    ``metadata`` is JSON text.
    """

    source_id: str
    occurred_at: datetime
    excerpts: tuple[str, ...]
    metadata: str | None
    label: str | None


class Evidence(NamedTuple):
    """The date of a fact and the sources it rests on, the earliest first.

    ``piece_of`` is the document the fact is a piece of, word for word; ``None`` for what was derived.
    """

    occurred_at: datetime
    piece_of: str | None
    sources: tuple[SourceEvidence, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What survives: ``window`` before the token cut (chunks come from it), ``kept`` after it.

    ``evidence`` is by id, for all that were ranked, where the caller wants documents.
    """

    ranked: tuple[ScoredCandidate, ...]
    window: tuple[ScoredCandidate, ...]
    kept: tuple[ScoredCandidate, ...]
    tokens_used: int
    evidence: Mapping[str, Evidence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityState:
    """An entity named by the results, with its newest observations."""

    entity_id: str
    name: str
    observations: tuple[tuple[str, datetime | None], ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A source chunk, cut when ``truncated``."""

    chunk_id: str
    text: str
    index: int
    truncated: bool
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Enrichment:
    """What comes with the facts. ``None`` means not asked for. ``attachments`` are by fact id."""

    entities: tuple[EntityState, ...] | None = None
    entity_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chunks: tuple[ChunkText, ...] | None = None
    source_facts: tuple[Memory, ...] | None = None
    source_facts_truncated: bool | None = None
    attachments: Mapping[str, tuple[Attachment, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """The answer and how it came about. ``degraded`` names the parts that did not answer.

    ``superseded`` tells by fact id when a later statement took its place, where documents are wanted.
    """

    plan: QueryPlan
    rankings: tuple[Ranking, ...]
    fused: tuple[FusedCandidate, ...]
    reranked: Reranked
    selection: Selection
    enrichment: Enrichment
    degraded: tuple[str, ...]
    timings: tuple[StageTiming, ...]
    superseded: Mapping[str, datetime] = field(default_factory=dict)


class Retriever(Protocol):
    """One way of finding facts."""

    @property
    def name(self) -> RetrieverName:
        """Which of the four it is."""

    def applies(self, plan: QueryPlan) -> bool:
        """Whether it has anything to do for this plan."""

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        """The hits under ``plan.facts``, at most ``plan.depth`` per fact type."""


class Knowledge(Protocol):
    """What planning reads from the store."""

    async def look_up(self, bank_id: str, text: str) -> tuple[Bank, tuple[QueryTerm, ...]] | None:
        """The bank and the query's terms in it; ``None`` for an unknown bank."""

    async def tags(self, bank_key: int, limit: int) -> list[str]:
        """The bank's tags, the most frequent first, at most ``limit``."""

    async def has_observations(self, bank_key: int) -> bool:
        """Whether the bank holds any observation."""


EmbedQuery = Callable[[str], Awaitable[QueryEmbedding]]


class AsyncReranker(Protocol):
    """A reranker behind the bounded executor."""

    @property
    def name(self) -> str:
        """Identity of the model."""

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Relevance in [0, 1] for each document."""
