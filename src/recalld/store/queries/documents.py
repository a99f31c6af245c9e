"""What is stored of these documents?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from recalld.domain.documents import StoredDocument
from recalld.store.engine import ReadConnection, fetch

_DOCUMENTS = """
    SELECT id, content_hash, original_text, tags, document_metadata, retain_params FROM documents
    WHERE bank_key = %(bank_key)s AND id = ANY(%(ids)s)
"""

_CHUNKS = """
    SELECT chunk.document_id, chunk.chunk_index, chunk.chunk_id, chunk.content_hash,
           CASE WHEN document.original_text IS NULL THEN chunk.chunk_text END
    FROM chunks AS chunk
    JOIN documents AS document ON document.bank_key = chunk.bank_key AND document.id = chunk.document_id
    WHERE chunk.bank_key = %(bank_key)s AND chunk.document_id = ANY(%(ids)s)
    ORDER BY chunk.document_id, chunk.chunk_index
"""


async def stored_documents(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, StoredDocument]:
    """Documents by id; unknown ids are missing. The text of one stored without it is that of its chunks."""
    params = {"bank_key": bank_key, "ids": list(ids)}
    rows = await fetch(connection, _DOCUMENTS, params)
    if not rows:
        return {}
    chunks: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    texts: dict[str, list[str]] = defaultdict(list)
    for document_id, index, chunk_id, content_hash, text in await fetch(connection, _CHUNKS, params):
        chunks[document_id][index] = (chunk_id, content_hash)
        if text is not None:
            texts[document_id].append(text)
    return {
        id_: StoredDocument(
            content_hash,
            "\n".join(texts[id_]) if text is None else text,
            chunks[id_],
            tuple(tags),
            metadata,
            params_of_retain,
        )
        for id_, content_hash, text, tags, metadata, params_of_retain in rows
    }
