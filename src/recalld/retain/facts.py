"""Facts about to be stored: chunks as they are, or what a model found in them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID, uuid4

from recalld.domain.attachments import placeholder_ids
from recalld.domain.documents import Past, UnitDraft
from recalld.domain.indexing import embedded_text, indexed_text
from recalld.domain.memory import FactType
from recalld.encoders.protocols import PassageEmbedding, TokenCounter
from recalld.retain.documents import Piece
from recalld.retain.extract.answer import CAUSED_BY, Extracted
from recalld.retain.extract.dates import Span
from recalld.retain.types import RetainItem

APART = timedelta(milliseconds=10)
"""Between facts of one chunk, so that sorting by time keeps their order."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement from a piece of a document. ``item`` carries its own names and its own moment."""

    piece: Piece
    item: RetainItem
    text: str
    token_count: int
    fact_type: FactType = FactType.WORLD
    span: Span | None = None
    causes: tuple[UUID, ...] = ()
    id: UUID = field(default_factory=uuid4)

    @property
    def embedded_text(self) -> str:
        """What the embedder reads."""
        return embedded_text(self.text, self.item.entities)

    @property
    def links(self) -> Iterator[tuple[UUID, UUID, str]]:
        """What brought it about."""
        return ((self.id, cause, CAUSED_BY) for cause in self.causes)

    def unit(self, document_id: str, embedding: PassageEmbedding) -> UnitDraft:
        """The row to write."""
        item, occurred = self.item, self.span.start if self.span else None
        return UnitDraft(
            id=self.id,
            document_id=document_id,
            chunk_id=self.piece.chunk.chunk_id,
            text=self.text,
            context=item.context or "",
            fact_type=self.fact_type,
            mentioned_at=item.timestamp,
            metadata=dict(item.metadata),
            tags=item.tags,
            observation_scopes=item.observation_scopes,
            token_count=self.token_count,
            index_text=indexed_text(self.text, item.context, item.entities, occurred),
            attachment_ids=placeholder_ids(self.piece.chunk.text),
            vector=embedding.vector.tolist(),
            token_vectors=embedding.tokens.tobytes(),
            past=Past(occurred_start=self.span.start, occurred_end=self.span.end) if self.span else None,
        )


def plain_fact(piece: Piece) -> Fact:
    """A chunk as it is."""
    return Fact(piece, piece.item, piece.chunk.text, piece.chunk.token_count)


def found_facts(piece: Piece, found: Sequence[Extracted], tokens: TokenCounter) -> list[Fact]:
    """What a model found in a chunk, with the caller's names beside its own."""
    texts = [piece.chunk.text if one.text is None else one.text for one in found]
    facts: list[Fact] = []
    for place, (one, text, count) in enumerate(zip(found, texts, tokens.count_many(texts), strict=True)):
        said = piece.item.timestamp
        item = replace(
            piece.item,
            timestamp=said + place * APART if said else None,
            entities=merged(piece.item.entities, one.entities),
        )
        causes = tuple(facts[cause].id for cause in one.causes)
        facts.append(Fact(piece, item, text, count, one.fact_type, one.span, causes))
    return facts


def merged(names: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Names, then those of the others that are new whatever their case."""
    known = {name.lower() for name in names}
    return (*names, *(name for name in more if name.lower() not in known))
