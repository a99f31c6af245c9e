"""Keeps archives between the request that brings or wants one and the worker, in pieces."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import delete, func, insert

from recalld.store.engine import WriteConnection
from recalld.store.queries.transfer_files import TransferFile
from recalld.store.tables import transfer_files, transfer_pieces


async def save_transfer_file(
    connection: WriteConnection, file: TransferFile, pieces: Iterable[bytes], kept: timedelta
) -> None:
    """Keep an archive for some time."""
    await connection.execute(insert(transfer_files).values(**file._asdict(), expires_at=func.now() + kept))
    for position, data in enumerate(pieces):
        row = {"bank_key": file.bank_key, "key": file.key, "position": position, "data": data}
        await connection.execute(insert(transfer_pieces).values(row))


async def drop_transfer_file(connection: WriteConnection, bank_key: int, key: str) -> None:
    """Forget an archive."""
    own = (transfer_files.c.bank_key == bank_key, transfer_files.c.key == key)
    await connection.execute(delete(transfer_files).where(*own))


async def drop_expired_files(connection: WriteConnection) -> None:
    """Forget the archives of every bank whose time is over."""
    await connection.execute(delete(transfer_files).where(transfer_files.c.expires_at <= func.now()))
