"""What is stored of these documents?"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.documents import StoredDocument
from recalld.store.tables import chunks, documents


async def stored_documents(
    connection: AsyncConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, StoredDocument]:
    """Documents by id; unknown ids are missing."""
    found = await connection.execute(
        select(documents.c.id, documents.c.content_hash, documents.c.original_text).where(
            documents.c.bank_key == bank_key, documents.c.id.in_(ids)
        )
    )
    stored = {id_: StoredDocument(content_hash, text or "", {}) for id_, content_hash, text in found}
    if stored:
        pieces = await connection.execute(
            select(chunks.c.document_id, chunks.c.chunk_index, chunks.c.chunk_id, chunks.c.content_hash).where(
                chunks.c.bank_key == bank_key, chunks.c.document_id.in_(list(stored))
            )
        )
        for document_id, index, chunk_id, content_hash in pieces:
            stored[document_id].chunks[index] = (chunk_id, content_hash)
    return stored
