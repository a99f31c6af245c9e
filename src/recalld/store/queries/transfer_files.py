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

# What a restore made of a bank before it was found that it cannot go on.
_ABANDONED = """
    SELECT EXISTS (SELECT FROM operations WHERE bank_key = %(bank_key)s AND type = %(type)s
                     AND payload ->> 'mode' = 'restore' AND status IN ('failed', 'cancelled'))
       AND NOT EXISTS (SELECT FROM operations WHERE bank_key = %(bank_key)s
                         AND status IN ('pending', 'processing', 'completed'))
       AND NOT EXISTS (SELECT FROM documents WHERE bank_key = %(bank_key)s)
       AND NOT EXISTS (SELECT FROM memory_units WHERE bank_key = %(bank_key)s)
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


async def is_abandoned_restore(connection: ReadConnection, bank_key: int, type_: str) -> bool:
    """Whether all a bank has ever seen is restores that failed; ``type_`` is that of their operations."""
    rows = await fetch(connection, _ABANDONED, {"bank_key": bank_key, "type": type_})
    return bool(rows[0][0])
