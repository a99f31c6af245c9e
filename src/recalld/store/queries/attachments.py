"""Which files came with these documents, and what is in one?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from recalld.domain.attachments import Attachment
from recalld.store.engine import ReadConnection, fetch
from recalld.store.queries.banks import BANK_NAMED

Holder = TypeVar("Holder", str, int)
Place = tuple[str, str]
"""Document id and attachment id."""

_BY_PLACE = """
    SELECT file.document_id, file.id, file.hash, file.kind, file.media_type, file.byte_size, file.filename
    FROM unnest(%(documents)s::text[], %(ids)s::text[]) AS wanted(document_id, id)
    JOIN attachments AS file
      ON file.bank_key = %(bank_key)s AND file.document_id = wanted.document_id AND file.id = wanted.id
"""

_BYTES = f"""
    SELECT file.id, file.hash, file.kind, file.media_type, file.byte_size, file.filename, file.data
    FROM attachments AS file
    JOIN banks ON banks.bank_key = file.bank_key
    WHERE {BANK_NAMED} AND file.id = %(id)s
    ORDER BY file.created_at LIMIT 1
"""


async def read_attachments(
    connection: ReadConnection, bank_key: int, places: Iterable[Place]
) -> dict[Place, Attachment]:
    """Files by place; those without bytes are missing."""
    wanted = list(dict.fromkeys(places))
    params = {
        "bank_key": bank_key,
        "documents": [document_id for document_id, _ in wanted],
        "ids": [id_ for _, id_ in wanted],
    }
    rows = await fetch(connection, _BY_PLACE, params)
    return {(row[0], row[1]): Attachment(*row[1:]) for row in rows}


async def attachments_of(
    connection: ReadConnection, bank_key: int, places: Mapping[Holder, Sequence[Place]]
) -> dict[Holder, tuple[Attachment, ...]]:
    """Files of each holder, by the places it has them in, each once; a holder without files is missing."""
    wanted = [place for group in places.values() for place in group]
    known = await read_attachments(connection, bank_key, wanted) if wanted else {}
    found = {
        holder: tuple({known[place].id: known[place] for place in group if place in known}.values())
        for holder, group in places.items()
    }
    return {holder: files for holder, files in found.items() if files}


async def read_bytes(connection: ReadConnection, bank_id: str, id_: str) -> tuple[Attachment, bytes] | None:
    """A file of the bank with its bytes; ``None`` for an unknown one."""
    rows = await fetch(connection, _BYTES, {"bank_id": bank_id, "id": id_})
    return (Attachment(*rows[0][:-1]), bytes(rows[0][-1])) if rows else None
