"""Which operations does a bank have, and how far are they?"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from recalld.domain.operations import Backlog, Operation, OperationFilter, OperationStatus
from recalld.store.engine import ReadConnection, fetch

_COLUMNS = """op.id, op.parent_id, op.type, op.status, op.items_count, op.payload, op.result, op.document_id,
    op.failures, op.due_at, op.error_message, op.created_at, op.updated_at, op.completed_at,
    (SELECT count(*)::integer FROM operation_documents AS done
     JOIN operations AS part ON part.bank_key = done.bank_key AND part.id = done.operation_id
     WHERE part.bank_key = op.bank_key AND op.id IN (part.id, part.parent_id))"""

_SHOWN = """
    op.bank_key = %(bank_key)s
    AND (%(status)s::text IS NULL OR op.status = %(status)s)
    AND (%(type)s::text IS NULL OR op.type = %(type)s)
    AND (NOT %(exclude_parents)s OR NOT coalesce((op.result ->> 'is_parent')::boolean, false))
"""

_PAGE = f"""
    SELECT {_COLUMNS} FROM operations AS op WHERE {_SHOWN}
    ORDER BY op.created_at DESC, op.id LIMIT %(limit)s OFFSET %(offset)s
"""

_COUNT = f"SELECT count(*) FROM operations AS op WHERE {_SHOWN}"

_ONE = f"SELECT {_COLUMNS} FROM operations AS op WHERE op.bank_key = %(bank_key)s AND op.id = %(id)s"

_PARTS = f"""
    SELECT {_COLUMNS} FROM operations AS op WHERE op.bank_key = %(bank_key)s AND op.parent_id = %(id)s
    ORDER BY (op.payload ->> 'index')::integer, op.id
"""

_DOCUMENTS = """
    SELECT document_id, units FROM operation_documents
    WHERE bank_key = %(bank_key)s AND operation_id = %(id)s
"""

_WAITING = """
    SELECT op.id FROM operations AS op
    WHERE op.bank_key = %(bank_key)s AND op.type = %(type)s AND op.status = 'pending'
    ORDER BY op.created_at LIMIT 1
"""

_BACKLOG = """
    SELECT count(*)::integer, coalesce(sum(op.items_count), 0)::integer, min(op.created_at)
    FROM operations AS op
    WHERE op.bank_key = %(bank_key)s AND op.type = %(type)s AND op.status IN ('pending', 'processing')
"""

_OWNER = "SELECT op.bank_key, op.type FROM operations AS op WHERE op.id = %(id)s"


async def list_operations(
    connection: ReadConnection, bank_key: int, shown: OperationFilter, limit: int, offset: int
) -> tuple[list[Operation], int]:
    """A page of operations, newest first, and the total."""
    params = {
        "bank_key": bank_key,
        "status": shown.status,
        "type": shown.type,
        "exclude_parents": shown.exclude_parents,
        "limit": limit,
        "offset": offset,
    }
    total = (await fetch(connection, _COUNT, params))[0][0]
    return [_operation(row) for row in await fetch(connection, _PAGE, params)], total


async def find_operation(connection: ReadConnection, bank_key: int, id_: UUID) -> Operation | None:
    """One operation of the bank."""
    rows = await fetch(connection, _ONE, {"bank_key": bank_key, "id": id_})
    return _operation(rows[0]) if rows else None


async def list_parts(connection: ReadConnection, bank_key: int, id_: UUID) -> list[Operation]:
    """The parts of an operation, in order."""
    return [_operation(row) for row in await fetch(connection, _PARTS, {"bank_key": bank_key, "id": id_})]


async def operation_owner(connection: ReadConnection, id_: UUID) -> tuple[int, str] | None:
    """The bank and type of an operation, whichever bank it belongs to."""
    rows = await fetch(connection, _OWNER, {"id": id_})
    return (rows[0][0], rows[0][1]) if rows else None


async def waiting_operation(connection: ReadConnection, bank_key: int, type_: str) -> UUID | None:
    """The first operation of a type that nobody works on yet."""
    rows = await fetch(connection, _WAITING, {"bank_key": bank_key, "type": type_})
    return rows[0][0] if rows else None


async def backlog_of(connection: ReadConnection, bank_key: int, type_: str) -> Backlog | None:
    """What waits or is being done of a type; ``None`` for nothing."""
    rows = await fetch(connection, _BACKLOG, {"bank_key": bank_key, "type": type_})
    return Backlog(*rows[0]) if rows[0][0] else None


async def documents_done(connection: ReadConnection, bank_key: int, id_: UUID) -> dict[str, int]:
    """Documents an operation has written, with the number of facts each added."""
    rows = await fetch(connection, _DOCUMENTS, {"bank_key": bank_key, "id": id_})
    return {row[0]: row[1] for row in rows}


def _operation(row: tuple[Any, ...]) -> Operation:
    id_, parent, kind, status, *rest = row
    return Operation(id_, parent, kind, OperationStatus(status), *rest)
