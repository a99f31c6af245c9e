"""Which archive lies under a key, and what is in it?"""

from __future__ import annotations

from typing import NamedTuple

from recalld.domain.text import has_forbidden
from recalld.store.engine import ReadConnection, fetch

_FIND = """
    SELECT bank_key, key, kind, filename, byte_size FROM transfer_files
    WHERE key = %(key)s AND expires_at > now()
"""

_PIECE = """
    SELECT data FROM transfer_pieces
    WHERE bank_key = %(bank_key)s AND key = %(key)s AND position = %(position)s
"""

# The key of an upload ends with the id of its operation, which may be another bank's.
_ABANDONED = """
    SELECT bool_and(coalesce(op.status IN ('failed', 'cancelled'), false))
       AND NOT EXISTS (SELECT FROM documents WHERE bank_key = %(bank_key)s)
       AND NOT EXISTS (SELECT FROM memory_units WHERE bank_key = %(bank_key)s)
    FROM transfer_files AS file
    LEFT JOIN operations AS op ON op.id = right(file.key, 36)::uuid
    WHERE file.bank_key = %(bank_key)s AND file.kind = 'upload'
"""


class TransferFile(NamedTuple):
    """An archive without its bytes."""

    bank_key: int
    key: str
    kind: str
    filename: str
    byte_size: int


async def find_transfer_file(connection: ReadConnection, key: str) -> TransferFile | None:
    """The archive under a key, unless its time is over."""
    if has_forbidden(key):
        return None
    rows = await fetch(connection, _FIND, {"key": key})
    return TransferFile(*rows[0]) if rows else None


async def read_piece(connection: ReadConnection, file: TransferFile, position: int) -> bytes | None:
    """One piece of it; ``None`` after the last."""
    params = {"bank_key": file.bank_key, "key": file.key, "position": position}
    rows = await fetch(connection, _PIECE, params)
    return bytes(rows[0][0]) if rows else None


async def is_abandoned(connection: ReadConnection, bank_key: int) -> bool:
    """Whether a bank is empty, and the imports into it that it was made for failed or were cancelled."""
    rows = await fetch(connection, _ABANDONED, {"bank_key": bank_key})
    return bool(rows[0][0])
