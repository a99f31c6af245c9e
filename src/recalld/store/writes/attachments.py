"""Writes the files that come with a document."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.attachments import AttachmentDraft
from recalld.store.tables import attachments


async def save_attachments(
    connection: AsyncConnection,
    bank_key: int,
    document_id: str,
    new: Sequence[AttachmentDraft],
    wanted: Collection[str],
) -> None:
    """Add the document's new files, and drop those whose id is not ``wanted`` any more."""
    of_document = (attachments.c.bank_key == bank_key, attachments.c.document_id == document_id)
    await connection.execute(delete(attachments).where(*of_document, attachments.c.id.not_in(wanted)))
    await insert_attachments(connection, bank_key, document_id, new)


async def insert_attachments(
    connection: AsyncConnection, bank_key: int, document_id: str, new: Sequence[AttachmentDraft]
) -> None:
    """Add files to a document."""
    for draft in new:
        known = draft.attachment
        row = {
            "bank_key": bank_key,
            "document_id": document_id,
            "id": known.id,
            "hash": known.hash,
            "kind": known.kind,
            "media_type": known.media_type,
            "byte_size": known.byte_size,
            "filename": known.filename,
            "data": draft.data,
        }
        await connection.execute(insert(attachments).values(row).on_conflict_do_nothing())
