"""From what an archive says to what is written, and whether the bank has it already. Pure."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

import orjson

from recalld.domain.attachments import placeholder_ids
from recalld.domain.documents import Chunk as ChunkDraft
from recalld.domain.documents import DocumentDraft, Past, SourceNote, UnitDraft, chunk_id
from recalld.domain.indexing import embedded_text, indexed_text
from recalld.domain.memory import FACT_TYPES
from recalld.domain.names import clean_names
from recalld.encoders.protocols import PassageEmbedding, TokenCounter
from recalld.transfer.contents import CausalEdge, Chunk, Document, Fact, InvalidatedFact

_REMAPPED = UUID("a3c9a9f4-6f0b-4d41-8a53-0a0c1a9e7d51")
FACT, SET_ASIDE, OBSERVATION = "fact", "set aside", "observation"


@dataclass(frozen=True, slots=True)
class Whole:
    """A document as it is written: facts have their tags and chunks, and those set aside are beside it."""

    document: Document
    set_aside: tuple[InvalidatedFact, ...] = ()

    @property
    def names(self) -> list[str]:
        """Every name its facts mention, as often as they do."""
        return [name for fact in self.document.facts for name in fact.entities]

    @property
    def seen(self) -> dict[str, tuple[datetime, datetime]]:
        """The first and last date of the facts that mention a name, by the name in lower case."""
        dates: dict[str, list[datetime]] = defaultdict(list)
        for fact in self.document.facts:
            if moment := fact.occurred_start or fact.mentioned_at:
                for name in fact.entities:
                    dates[name.lower()].append(moment)
        return {name: (min(moments), max(moments)) for name, moments in dates.items()}

    @property
    def texts(self) -> list[str]:
        """What the embedder reads, fact by fact."""
        return [embedded_text(fact.text, fact.entities) for fact in self.document.facts]


def whole(document: Document, set_aside: Sequence[InvalidatedFact], *, keeps_text: bool) -> Whole:
    """The document with what it leaves open filled in.

    Facts without a list of tags have the document's. Without chunks each fact is its own chunk; a chunk
    that is not there is none.
    """
    chunks = document.chunks or [
        Chunk(chunk_index=i, chunk_text=fact.text) for i, fact in enumerate(document.facts)
    ]
    known = {chunk.chunk_index for chunk in document.chunks}
    facts = [
        fact.model_copy(
            update={
                "entities": list(clean_names(fact.entities)),
                "tags": document.tags if fact.tags is None else fact.tags,
                "chunk_index": _known(fact.chunk_index, known) if known else place,
            }
        )
        for place, fact in enumerate(document.facts)
    ]
    aside = tuple(
        fact.model_copy(
            update={
                "entities": list(clean_names(fact.entities)),
                "chunk_index": _known(fact.chunk_index, known),
            }
        )
        for fact in set_aside
    )
    params = document.retain_params.get("metadata")
    metadata = document.metadata
    if metadata is None:
        metadata = params if isinstance(params, dict) else {}
        metadata = {key: value for key, value in metadata.items() if isinstance(value, str)}
    filled = {
        "chunks": chunks,
        "facts": facts,
        "metadata": metadata,
        "original_text": document.original_text if keeps_text else None,
    }
    return Whole(document.model_copy(update=filled), aside)


def fingerprint(one: Whole) -> bytes:
    """Equal for documents that are the same but for ids, when they were written, and the order of facts."""
    document = one.document
    bases = [_base(fact) for fact in document.facts]
    facts = [
        [base, sorted([one.relation_type, bases[one.target_fact_index]] for one in fact.causal_relations)]
        for base, fact in zip(bases, document.facts, strict=True)
    ]
    told = [
        document.original_text,
        document.retain_params,
        document.metadata,
        document.label,
        document.source_metadata,
        sorted(set(document.tags)),
        sorted([chunk.chunk_index, chunk.chunk_text] for chunk in document.chunks),
        sorted(facts),
        sorted(_base_aside(fact) for fact in one.set_aside),
    ]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).digest()


def same_statement(fact: Fact) -> tuple[Any, ...]:
    """What two facts have in common that are taken for one."""
    return fact.text, fact.fact_type, fact.occurred_start, fact.mentioned_at


def other_ids(document_id: str, mark: bytes) -> Iterator[str]:
    """Ids for a document whose own is taken: always the same for the same document."""
    for number in range(100):
        yield str(uuid5(_REMAPPED, f"{document_id}\x00{mark.hex()}\x00{number}"))


def unit_id(seed: UUID, document_id: str, kind: str, place: int) -> UUID:
    """The id of what an import writes: the same whenever the import is taken up again.

    Facts of one document are in the order of their ids.
    """
    digest = bytearray(hashlib.sha256(f"{seed}\x00{kind}\x00{document_id}".encode()).digest()[:16])
    digest[6] = 0x80 | digest[6] & 0x0F
    digest[8] = 0x80 | digest[8] & 0x3F
    return UUID(bytes=bytes(digest[:12]) + place.to_bytes(4, "big"))


def document_draft(one: Whole, document_id: str) -> DocumentDraft:
    """The document's own row."""
    document = one.document
    text = document.original_text
    return DocumentDraft(
        document_id,
        "\n".join(chunk.chunk_text for chunk in document.chunks) if text is None else text,
        tuple(dict.fromkeys(document.tags)),
        document.metadata or {},
        document.retain_params,
        keeps_text=text is not None,
        source=SourceNote(document.label, document.source_metadata),
    )


def chunk_drafts(one: Whole, bank_id: str, document_id: str, tokens: TokenCounter) -> list[ChunkDraft]:
    """Its chunks."""
    chunks = one.document.chunks
    counts = tokens.count_many([chunk.chunk_text for chunk in chunks]) if chunks else []
    return [
        ChunkDraft(chunk_id(bank_id, document_id, one.chunk_index), one.chunk_index, one.chunk_text, count)
        for one, count in zip(chunks, counts, strict=True)
    ]


def unit_drafts(
    one: Whole, place: tuple[str, str], ids: Sequence[UUID], embedded: Sequence[tuple[int, PassageEmbedding]]
) -> list[UnitDraft]:
    """Its facts. ``place`` names bank and document, ``embedded`` has token counts beside the vectors."""
    bank_id, document_id = place
    return [
        UnitDraft(
            id=id_,
            document_id=document_id,
            chunk_id=_chunk(bank_id, document_id, fact.chunk_index),
            text=fact.text,
            context=fact.context or "",
            fact_type=FACT_TYPES[fact.fact_type],
            mentioned_at=fact.mentioned_at,
            metadata=fact.metadata,
            tags=tuple(fact.tags or ()),
            observation_scopes=fact.observation_scopes,
            token_count=count,
            index_text=indexed_text(fact.text, fact.context, fact.entities, fact.occurred_start),
            attachment_ids=placeholder_ids(fact.text),
            vector=embedding.vector.tolist(),
            token_vectors=embedding.tokens.tobytes(),
            past=_past(fact),
        )
        for id_, fact, (count, embedding) in zip(ids, one.document.facts, embedded, strict=True)
    ]


def set_aside_rows(
    one: Whole, place: tuple[str, str], seed: UUID, ids: Sequence[UUID], now: datetime
) -> list[dict[str, Any]]:
    """Rows of its facts that were set aside, with the causal links that lead from them to its other facts."""
    bank_id, document_id = place
    own = [unit_id(seed, document_id, SET_ASIDE, i) for i in range(len(one.set_aside))]
    new = {fact.source_id: id_ for fact, id_ in zip(one.document.facts, ids, strict=True) if fact.source_id}
    new |= {fact.id: id_ for fact, id_ in zip(one.set_aside, own, strict=True) if fact.id}
    return [
        {
            "id": id_,
            "document_id": document_id,
            "chunk_id": _chunk(bank_id, document_id, fact.chunk_index),
            "text": fact.text,
            "context": fact.context or "",
            "fact_type": fact.fact_type,
            "event_date": fact.occurred_start or fact.mentioned_at,
            "occurred_start": fact.occurred_start,
            "occurred_end": fact.occurred_end,
            "mentioned_at": fact.mentioned_at,
            "metadata": fact.metadata,
            "tags": fact.tags,
            "observation_scopes": fact.observation_scopes,
            "proof_count": 1,
            "source_memory_ids": [],
            "attachment_ids": list(placeholder_ids(fact.text)),
            "entities": fact.entities,
            "causal_links": [link for edge in fact.causal_links if (link := _link(edge, id_, new))],
            "created_at": fact.created_at or now,
            "updated_at": now,
            "edited_at": fact.edited_at,
            "reason": fact.invalidation_reason,
            "invalidated_at": fact.invalidated_at or now,
        }
        for id_, fact in zip(own, one.set_aside, strict=True)
    ]


def causal_links(one: Whole, ids: Sequence[UUID]) -> set[tuple[UUID, UUID, str]]:
    """Its causal links, without those of a fact to itself."""
    return {
        (start, ids[link.target_fact_index], link.relation_type)
        for start, fact in zip(ids, one.document.facts, strict=True)
        for link in fact.causal_relations
        if ids[link.target_fact_index] != start
    }


def set_aside_by_document(facts: Sequence[InvalidatedFact]) -> dict[str | None, list[InvalidatedFact]]:
    """Facts that were set aside by the document they came from."""
    found: dict[str | None, list[InvalidatedFact]] = defaultdict(list)
    for fact in facts:
        found[fact.document_id].append(fact)
    return found


def _past(fact: Fact) -> Past:
    return Past(
        occurred_start=fact.occurred_start,
        occurred_end=fact.occurred_end,
        created_at=fact.created_at,
        edited_at=fact.edited_at,
        consolidated_at=fact.consolidated_at,
        consolidation_failed_at=fact.consolidation_failed_at,
    )


def _link(edge: CausalEdge, own: UUID, new: dict[str, UUID]) -> dict[str, Any] | None:
    """A causal link as a fact set aside keeps it; its own end may bear an id nobody knows."""
    start, end = (new.get(id_, own) for id_ in (edge.from_unit, edge.to_unit))
    if (start == own) == (end == own):
        return None
    outward = start == own
    other = end if outward else start
    return {"other": str(other), "kind": edge.link_type, "weight": edge.weight, "outward": outward}


def _known(index: int | None, known: set[int]) -> int | None:
    return index if index in known else None


def _chunk(bank_id: str, document_id: str, index: int | None) -> str | None:
    return None if index is None else chunk_id(bank_id, document_id, index)


def _base(fact: Fact) -> str:
    return _told(fact, fact.tags or (), fact.entities)


def _base_aside(fact: InvalidatedFact) -> str:
    return _told(fact, fact.tags, fact.entities) + (fact.invalidation_reason or "")


def _told(fact: Fact | InvalidatedFact, tags: Sequence[str], names: Sequence[str]) -> str:
    told = [
        fact.text,
        fact.fact_type,
        fact.context or "",
        fact.occurred_start,
        fact.occurred_end,
        fact.mentioned_at,
        fact.metadata,
        sorted(set(tags)),
        fact.observation_scopes,
        fact.chunk_index,
        sorted(name.lower() for name in names),
    ]
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()
