"""Works out what a document becomes: chunks, the diff against what is stored, facts. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recalld.domain.attachments import AttachmentDraft
from recalld.domain.banks import BankConfig
from recalld.domain.documents import Chunk, DocumentDraft, StoredDocument, chunk_id
from recalld.domain.names import clean_names
from recalld.domain.text import has_word
from recalld.encoders.protocols import TokenCounter
from recalld.retain.chunk import chunk_text
from recalld.retain.extract.modes import chunk_size
from recalld.retain.types import RetainItem, UpdateMode


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk with the item it came from."""

    chunk: Chunk
    item: RetainItem

    @property
    def is_fact(self) -> bool:
        """Punctuation alone is kept as a chunk but is no fact."""
        return has_word(self.chunk.text)


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """One document to write: ``fresh`` chunks to add, ``kept`` ones to refresh, ``stale`` to drop.

    ``base_hash`` is the content hash the plan was made against; ``None`` for a new document.
    """

    draft: DocumentDraft
    base_hash: str | None
    fresh: tuple[Piece, ...]
    kept: tuple[Piece, ...]
    stale: tuple[str, ...]

    @property
    def facts(self) -> tuple[Piece, ...]:
        """The fresh pieces that become facts."""
        return tuple(piece for piece in self.fresh if piece.is_fact)

    @property
    def is_new(self) -> bool:
        """Whether the document was not there when the plan was made."""
        return self.base_hash is None

    @property
    def attachments(self) -> tuple[AttachmentDraft, ...]:
        """The files that came with the document's items."""
        pieces = (*self.fresh, *self.kept)
        return tuple(dict.fromkeys(draft for piece in pieces for draft in piece.item.attachments))

    def kept_by_item(self) -> list[tuple[RetainItem, list[str]]]:
        """The ids of unchanged chunks of each item."""
        groups: dict[int, tuple[RetainItem, list[str]]] = {}
        for piece in self.kept:
            groups.setdefault(id(piece.item), (piece.item, []))[1].append(piece.chunk.chunk_id)
        return list(groups.values())


def group_by_document(items: Sequence[RetainItem]) -> list[list[RetainItem]]:
    """Items that share a document id, together, in order of first appearance."""
    groups: dict[str, list[RetainItem]] = {}
    for item in items:
        groups.setdefault(item.document_id, []).append(item)
    return list(groups.values())


def plan_document(
    bank_id: str,
    items: Sequence[RetainItem],
    stored: StoredDocument | None,
    config: BankConfig,
    tokens: TokenCounter,
) -> DocumentPlan:
    """The plan for the items of one document; unchanged chunks at the same place keep their facts."""
    document_id = items[0].document_id
    texts = [item.content for item in items]
    if stored is not None and items[0].update_mode is UpdateMode.APPEND:
        texts[0] = append_text(stored.text, texts[0])
        items = [inherit(items[0], stored), *items[1:]]
    cut = [
        (text, item)
        for content, item in zip(texts, items, strict=True)
        for text in _chunks(content, config.with_strategy(item.strategy))
    ]
    counts = tokens.count_many([text for text, _ in cut])
    pieces = [
        Piece(Chunk(chunk_id(bank_id, document_id, i), i, text, count), item)
        for i, ((text, item), count) in enumerate(zip(cut, counts, strict=True))
    ]
    known = stored.chunks if stored else {}
    comparable = {} if items[0].update_mode is UpdateMode.ANEW else known
    same = {
        p.chunk.index for p in pieces if comparable.get(p.chunk.index, ("", ""))[1] == p.chunk.content_hash
    }
    return DocumentPlan(
        draft=_draft(items, "\n".join(texts), keeps_text=config.store_document_text),
        base_hash=stored.content_hash if stored else None,
        fresh=tuple(p for p in pieces if p.chunk.index not in same),
        kept=tuple(p for p in pieces if p.chunk.index in same),
        stale=tuple(id_ for index, (id_, _) in known.items() if index not in same),
    )


def inherit(item: RetainItem, stored: StoredDocument) -> RetainItem:
    """An appended item with what the document had before: its text is re-cut and must not lose it."""
    before = stored.retain_params
    names = [one["text"] for one in before.get("entities") or ()]
    params = dict(item.retain_params)
    merged = {**before, **params}
    if names or item.entities:
        merged["entities"] = [*before.get("entities", ()), *params.get("entities", ())]
    return replace(
        item,
        context=item.context or before.get("context"),
        metadata=tuple({**stored.metadata, **dict(item.metadata)}.items()),
        entities=clean_names([*names, *item.entities]),
        tags=tuple(dict.fromkeys([*stored.tags, *item.tags])),
        retain_params=tuple(merged.items()),
    )


def _chunks(content: str, config: BankConfig) -> list[str]:
    return chunk_text(content, chunk_size(config), config.retain_structured_chunk_size)


def append_text(stored: str, new: str) -> str:
    """Stored text, a newline, the new text; two JSON arrays become one."""
    try:
        before, after = json.loads(stored), json.loads(new)
    except ValueError:
        return f"{stored}\n{new}"
    if isinstance(before, list) and isinstance(after, list):
        return json.dumps(before + after, ensure_ascii=False)
    return f"{stored}\n{new}"


def _draft(items: Sequence[RetainItem], text: str, *, keeps_text: bool) -> DocumentDraft:
    tags = tuple(dict.fromkeys(tag for item in items for tag in item.tags))
    metadata = {key: value for item in items for key, value in item.metadata}
    params = dict(items[0].retain_params)
    return DocumentDraft(items[0].document_id, text, tags, metadata, params, keeps_text, items[-1].source)
