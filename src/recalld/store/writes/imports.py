"""Writes what only an import brings: a document's age, and facts that were set aside elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, update

from recalld.store.engine import WriteConnection
from recalld.store.tables import documents, invalidated_units


async def date_document(
    connection: WriteConnection, bank_key: int, document_id: str, created_at: datetime | None
) -> None:
    """Say when a document was made; ``None`` leaves that as it is."""
    if created_at is not None:
        own = (documents.c.bank_key == bank_key, documents.c.id == document_id)
        await connection.execute(update(documents).where(*own).values(created_at=created_at))


async def insert_set_aside(
    connection: WriteConnection, bank_key: int, rows: Sequence[dict[str, Any]]
) -> None:
    """Add facts out of recall's sight."""
    if rows:
        await connection.execute(insert(invalidated_units), [{"bank_key": bank_key, **row} for row in rows])
