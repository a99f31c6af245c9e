"""The documents of a bank: list, look at one and its chunks, change, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recalld.catalog.attempts import undisturbed
from recalld.domain.attachments import placeholder_ids
from recalld.domain.banks import Bank
from recalld.domain.documents import bank_of_chunk
from recalld.domain.errors import NotFound
from recalld.domain.listing import DocumentQuery, Page
from recalld.domain.records import ChunkRecord, DocumentRecord, Held, WithFiles
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database, ReadConnection
from recalld.store.queries.attachments import attachments_of
from recalld.store.queries.banks import find_bank, known_bank
from recalld.store.queries.document_list import list_chunks, list_documents, read_chunk, read_document
from recalld.store.writes.document_changes import DocumentChange, change_document
from recalld.store.writes.removal import delete_documents, lock_documents
from recalld.store.writes.terms import reweigh_if_drifted


@dataclass(frozen=True, slots=True)
class DocumentCatalog:
    """Shows, changes and deletes documents."""

    database: Database

    async def list(
        self, bank_id: str, query: DocumentQuery, page: Page
    ) -> tuple[Bank, Sequence[DocumentRecord], int]:
        """The bank, a page of its documents, and their total."""
        async with self.database.read() as connection:
            bank = await known_bank(connection, bank_id)
            return bank, *await list_documents(connection, bank.key, query, page)

    async def get(self, bank_id: str, document_id: str) -> WithFiles[DocumentRecord]:
        """One document with its files, or ``NotFound``."""
        async with self.database.read() as connection:
            bank, document = await _document(connection, bank_id, document_id)
            return (await _with_files(connection, bank, [(document_id, document.text or "", document)]))[0]

    async def chunks(
        self, bank_id: str, document_id: str, page: Page
    ) -> tuple[Sequence[WithFiles[ChunkRecord]], int]:
        """A page of a document's chunks with their files, and the total."""
        async with self.database.read() as connection:
            bank, _ = await _document(connection, bank_id, document_id)
            chunks, total = await list_chunks(connection, bank.key, document_id, page)
            return await _chunks_with_files(connection, bank, chunks), total

    async def chunk(self, chunk_id: str) -> WithFiles[ChunkRecord]:
        """One chunk of whatever bank its id names, with its files, or ``NotFound``."""
        bank_id = bank_of_chunk(chunk_id)
        if not has_forbidden(chunk_id):
            async with self.database.read() as connection:
                bank = await find_bank(connection, bank_id)
                chunk = await read_chunk(connection, bank.key, chunk_id) if bank else None
                if bank is not None and chunk is not None:
                    return (await _chunks_with_files(connection, bank, [chunk]))[0]
        raise NotFound("Chunk not found")

    async def change(self, bank_id: str, document_id: str, values: dict[str, Any]) -> None:
        """Give a document and its facts new ``tags`` or ``observation_scopes``, or raise ``NotFound``."""
        bank = await self._bank(bank_id, document_id)

        async def write() -> None:
            async with self.database.write() as connection:
                change = DocumentChange(**values)
                if not await change_document(connection, bank.key, document_id, change):
                    raise document_not_found()
                await reweigh_if_drifted(connection, bank.key)

        await undisturbed(write)

    async def delete(self, bank_id: str, document_id: str) -> int:
        """Delete a document with all that came from it; returns how many facts went."""
        bank = await self._bank(bank_id, document_id)

        async def write() -> int:
            async with self.database.write() as connection:
                if not await lock_documents(connection, bank.key, [document_id]):
                    raise document_not_found()
                count = await delete_documents(connection, bank.key, [document_id])
                await reweigh_if_drifted(connection, bank.key)
            return count

        return await undisturbed(write)

    async def _bank(self, bank_id: str, document_id: str) -> Bank:
        async with self.database.read() as connection:
            bank = await find_bank(connection, bank_id)
        if bank is None or has_forbidden(document_id):
            raise document_not_found()
        return bank


def document_not_found() -> NotFound:
    """There is no such document, or no such bank."""
    return NotFound("Document not found")


async def _document(
    connection: ReadConnection, bank_id: str, document_id: str
) -> tuple[Bank, DocumentRecord]:
    bank = await find_bank(connection, bank_id)
    document = await read_document(connection, bank.key, document_id) if bank else None
    if bank is None or document is None:
        raise document_not_found()
    return bank, document


async def _chunks_with_files(
    connection: ReadConnection, bank: Bank, chunks: Sequence[ChunkRecord]
) -> list[WithFiles[ChunkRecord]]:
    return await _with_files(connection, bank, [(chunk.document_id, chunk.text, chunk) for chunk in chunks])


async def _with_files(
    connection: ReadConnection, bank: Bank, holders: Sequence[tuple[str, str, Held]]
) -> list[WithFiles[Held]]:
    """What texts of documents stand for, beside what holds the text."""
    places = {
        place: [(id_, file) for file in placeholder_ids(text)] for place, (id_, text, _) in enumerate(holders)
    }
    files = await attachments_of(connection, bank.key, places)
    return [
        WithFiles(bank.bank_id, holder, files.get(place, ())) for place, (_, _, holder) in enumerate(holders)
    ]
