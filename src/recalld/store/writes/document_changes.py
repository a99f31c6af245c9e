"""Changes what a stored document and its facts are filed under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, Text, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.store.writes.removal import facts_of_documents, lock_documents, remove_derived
from recalld.store.writes.terms import lock_statistics

_DOCUMENT = text("""
    UPDATE documents SET
        tags = coalesce(:tags, tags),
        retain_params = CASE WHEN :scoped
            THEN retain_params || jsonb_build_object('observation_scopes', CAST(:scopes AS jsonb))
            ELSE retain_params END,
        updated_at = now()
    WHERE bank_key = :bank_key AND id = :id
""").bindparams(bindparam("tags", type_=ARRAY(Text)), bindparam("scopes", type_=JSONB(none_as_null=True)))

_FACTS = """
    UPDATE {table} SET
        tags = coalesce(:tags, tags),
        observation_scopes = CASE WHEN :scoped THEN CAST(:scopes AS jsonb) ELSE observation_scopes END,
        updated_at = now(){pending}
    WHERE bank_key = :bank_key AND document_id = :id
"""

_PENDING = ", consolidated_at = NULL, consolidation_failed_at = NULL"

_OF_FACTS = tuple(
    text(_FACTS.format(table=table, pending=pending)).bindparams(
        bindparam("tags", type_=ARRAY(Text)), bindparam("scopes", type_=JSONB(none_as_null=True))
    )
    for table, pending in (("memory_units", _PENDING), ("invalidated_units", ""))
)


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """New tags and new scopes of observation; ``None`` leaves them."""

    tags: list[str] | None = None
    observation_scopes: Any = None


async def change_document(
    connection: AsyncConnection, bank_key: int, document_id: str, change: DocumentChange
) -> bool:
    """Change a document and its facts; ``False`` when there is none.

    The observations that rest on them were made for other tags: they go, and the facts wait anew.
    """
    if not await lock_documents(connection, bank_key, [document_id]):
        return False
    params = {
        "bank_key": bank_key,
        "id": document_id,
        "tags": change.tags,
        "scoped": change.observation_scopes is not None,
        "scopes": change.observation_scopes,
    }
    await lock_statistics(connection, bank_key)
    await remove_derived(connection, bank_key, await facts_of_documents(connection, bank_key, [document_id]))
    for statement in (_DOCUMENT, *_OF_FACTS):
        await connection.execute(statement, params)
    return True
