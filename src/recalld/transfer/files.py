"""Archives that wait: uploads for the worker that imports them, exports for their download."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import BinaryIO, cast

from recalld.domain.banks import Bank
from recalld.domain.documents import escaped
from recalld.domain.errors import NotFound
from recalld.store.engine import Database
from recalld.store.queries.transfer_files import TransferFile, find_transfer_file, read_piece
from recalld.store.writes.transfer_files import drop_expired_files, drop_transfer_file, save_transfer_file

PIECE = 4 * 1024 * 1024
KEPT = timedelta(hours=24)
IN_MEMORY = 16 * 1024 * 1024
"""Larger archives are worked on in a temporary file."""


@dataclass(frozen=True, slots=True)
class TransferFiles:
    """Keeps archives in the database for a day, or until they were used."""

    database: Database

    async def save(
        self, bank: Bank, kind: str, filename: str, file: BinaryIO, name: str | None = None
    ) -> TransferFile:
        """Keep an archive; nobody guesses its key, which begins with that of the bank.

        What is kept under a ``name`` is found again by it.
        """
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        key = file_key(bank, name or secrets.token_hex(32))
        kept = TransferFile(bank.key, key, kind, filename, size)
        async with self.database.write() as connection:
            await drop_expired_files(connection)
            await drop_transfer_file(connection, bank.key, key)
            await save_transfer_file(connection, kept, _pieces(file), KEPT)
        return kept

    async def find(self, key: str, kind: str) -> TransferFile:
        """The archive of that kind under a key, or ``NotFound``."""
        async with self.database.read() as connection:
            found = await find_transfer_file(connection, key)
        if found is None or found.kind != kind:
            raise NotFound("File not found")
        return found

    async def pieces(self, file: TransferFile) -> AsyncIterator[bytes]:
        """Its bytes, a piece at a time."""
        position = 0
        while True:
            async with self.database.read() as connection:
                data = await read_piece(connection, file, position)
            if data is None:
                return
            yield data
            position += 1

    @asynccontextmanager
    async def opened(self, file: TransferFile) -> AsyncIterator[BinaryIO]:
        """The archive as a file for the length of the block."""
        with temporary() as held:
            async for data in self.pieces(file):
                await asyncio.to_thread(held.write, data)
            yield held

    async def drop(self, file: TransferFile) -> None:
        """Forget an archive."""
        async with self.database.write() as connection:
            await drop_transfer_file(connection, file.bank_key, file.key)


def file_key(bank: Bank, name: str) -> str:
    """The key of a bank's archive: the API keys that open the bank open it."""
    return f"{escaped(bank.bank_id)}_{name}"


def temporary() -> BinaryIO:
    """A file that is gone once it is closed."""
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(IN_MEMORY))


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while data := file.read(PIECE):
        yield data
