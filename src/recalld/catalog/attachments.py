"""The bytes of images and files that came with content."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.domain.attachments import Attachment
from recalld.domain.errors import NotFound
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database
from recalld.store.queries.attachments import read_bytes


@dataclass(frozen=True, slots=True)
class AttachmentCatalog:
    """Hands out bytes."""

    database: Database

    async def get(self, bank_id: str, id_: str) -> tuple[Attachment, bytes]:
        """One file of a bank, or ``NotFound``."""
        if not has_forbidden(bank_id + id_):
            async with self.database.read() as connection:
                if (found := await read_bytes(connection, bank_id, id_)) is not None:
                    return found
        raise NotFound(f"Attachment '{id_}' not found")
