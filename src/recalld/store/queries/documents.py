"""What is stored of these documents?"""

from __future__ import annotations

from collections.abc import Sequence

from recalld.domain.documents import StoredDocument
from recalld.store.engine import ReadConnection, fetch

_DOCUMENTS = """
    SELECT id, content_hash, original_text FROM documents
    WHERE bank_key = %(bank_key)s AND id = ANY(%(ids)s)
"""

_CHUNKS = """
    SELECT document_id, chunk_index, chunk_id, content_hash FROM chunks
    WHERE bank_key = %(bank_key)s AND document_id = ANY(%(ids)s)
"""


async def stored_documents(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, StoredDocument]:
    """Documents by id; unknown ids are missing."""
    params = {"bank_key": bank_key, "ids": list(ids)}
    rows = await fetch(connection, _DOCUMENTS, params)
    stored = {id_: StoredDocument(content_hash, text or "", {}) for id_, content_hash, text in rows}
    if stored:
        for document_id, index, chunk_id, content_hash in await fetch(connection, _CHUNKS, params):
            stored[document_id].chunks[index] = (chunk_id, content_hash)
    return stored
