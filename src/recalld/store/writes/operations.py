"""Writes operations: queue them, hand them to workers, note how they end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert

from recalld.domain.operations import (
    OPEN,
    UNDONE,
    Claim,
    NewOperation,
    NewSingle,
    OperationStatus,
    Payload,
)
from recalld.store.engine import WriteConnection
from recalld.store.tables import operations

_CLAIM = text("""
    UPDATE operations AS op
    SET status = 'processing', worker_id = :worker, claims = op.claims + 1, updated_at = now(),
        due_at = now() + make_interval(secs => :lease)
    FROM banks
    WHERE banks.bank_key = op.bank_key AND (op.bank_key, op.id) = (
        SELECT due.bank_key, due.id FROM operations AS due
        WHERE due.status IN ('pending', 'processing') AND due.due_at <= now()
          AND due.type = ANY(:types)
        ORDER BY due.due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING op.bank_key, banks.bank_id, op.id, op.parent_id, op.type, op.payload, op.claims, op.failures
""")

_HELD = "bank_key = :bank_key AND id = :id AND worker_id = :worker AND status = 'processing'"

_EXTEND = text(
    f"UPDATE operations SET due_at = now() + make_interval(secs => :lease) WHERE {_HELD}"  # noqa: S608
)

_COMPLETE = text(f"""
    UPDATE operations
    SET status = 'completed', completed_at = now(), updated_at = now(), due_at = NULL,
        error_message = NULL, result = result || :result || (
            SELECT jsonb_build_object('unit_ids_count', units, 'facts_committed', units)
            FROM (SELECT coalesce(sum(units), 0) AS units FROM operation_documents
                  WHERE bank_key = :bank_key AND operation_id = :id) AS written)
    WHERE {_HELD}
""").bindparams(bindparam("result", type_=JSONB))  # noqa: S608

_POSTPONE = text(f"""
    UPDATE operations
    SET status = CASE WHEN CAST(:seconds AS double precision) IS NULL THEN 'failed' ELSE 'pending' END,
        due_at = now() + make_interval(secs => CAST(:seconds AS double precision)),
        completed_at = CASE WHEN CAST(:seconds AS double precision) IS NULL THEN now() END,
        failures = failures + 1, error_message = :error, updated_at = now()
    WHERE {_HELD}
""")  # noqa: S608

# The parts are read under the parent's lock, so that of two that end at once the later sees both.
_SETTLE = text("""
    UPDATE operations AS parent
    SET status = told.status, updated_at = now(), error_message = told.error,
        completed_at = CASE WHEN told.status IN ('pending', 'processing') THEN NULL
                            ELSE coalesce(parent.completed_at, now()) END,
        result = parent.result || jsonb_build_object('unit_ids_count', told.units)
    FROM (
        SELECT min(part.error_message) AS error,
               coalesce(sum((part.result ->> 'unit_ids_count')::bigint), 0) AS units,
               CASE WHEN bool_and(part.status = 'completed') THEN 'completed'
                    WHEN bool_and(part.status = 'pending') THEN 'pending'
                    WHEN bool_or(part.status IN ('pending', 'processing')) THEN 'processing'
                    WHEN bool_or(part.status = 'failed') THEN 'failed'
                    ELSE 'cancelled' END AS status
        FROM operations AS part WHERE part.bank_key = :bank_key AND part.parent_id = :id
    ) AS told
    WHERE parent.bank_key = :bank_key AND parent.id = :id
""")

_NOTE = text("""
    INSERT INTO operation_documents (bank_key, operation_id, document_id, units)
    SELECT held.bank_key, held.id, :document_id, :units FROM (
        SELECT bank_key, id FROM operations
        WHERE bank_key = :bank_key AND id = :id AND status = 'processing' FOR SHARE
    ) AS held
    ON CONFLICT DO NOTHING RETURNING document_id
""")


async def insert_operation(connection: WriteConnection, bank_key: int, new: NewOperation) -> None:
    """Queue an operation with its parts, due at once."""
    now = await connection.scalar(text("SELECT now()"))
    parent = {
        "bank_key": bank_key,
        "id": new.id,
        "type": new.type,
        "status": OperationStatus.PENDING if new.parts else OperationStatus.COMPLETED,
        "items_count": new.items_count,
        "result": new.result,
    }
    # Of two callers with one id the second finds the first one's operation.
    made = await connection.execute(insert(operations).values(parent).on_conflict_do_nothing())
    if not made.rowcount:
        return
    rows = [
        {
            "bank_key": bank_key,
            "id": part.id,
            "parent_id": new.id,
            "type": new.part_type,
            "status": OperationStatus.PENDING,
            "items_count": part.items_count,
            "payload": {"index": index, **part.payload},
            "document_id": part.document_id,
            "due_at": now,
        }
        for index, part in enumerate(new.parts)
    ]
    if rows:
        await connection.execute(insert(operations), rows)


async def insert_single(connection: WriteConnection, bank_key: int, new: NewSingle) -> None:
    """Queue an operation that is its own only part, due at once."""
    row = {**asdict(new), "bank_key": bank_key, "status": OperationStatus.PENDING}
    await connection.execute(insert(operations).values(**row, due_at=func.now()))


async def claim_part(
    connection: WriteConnection, worker: str, types: Collection[str], lease: float
) -> Claim | None:
    """Take the part of these types that has been due longest, for ``lease`` seconds; ``None`` without one."""
    params = {"worker": worker, "types": list(types), "lease": lease}
    row = (await connection.execute(_CLAIM, params)).first()
    if row is None:
        return None
    claim = Claim(*row)
    await _settle(connection, claim.bank_key, claim.parent_id)
    return claim


async def extend_claim(connection: WriteConnection, claim: Claim, worker: str, lease: float) -> bool:
    """Keep a part for ``lease`` seconds more; false when it is not the worker's any longer."""
    return (await connection.execute(_EXTEND, {**_held(claim, worker), "lease": lease})).rowcount == 1


async def complete_part(connection: WriteConnection, claim: Claim, worker: str, result: Payload) -> bool:
    """The part is done; false when it was not the worker's any longer."""
    ended = (await connection.execute(_COMPLETE, {**_held(claim, worker), "result": result})).rowcount == 1
    await _settle(connection, claim.bank_key, claim.parent_id)
    return ended


async def fail_part(
    connection: WriteConnection, claim: Claim, worker: str, error: str, retry_in: float | None
) -> None:
    """The part failed: it is tried again in so many seconds, or never."""
    await connection.execute(_POSTPONE, {**_held(claim, worker), "error": error, "seconds": retry_in})
    await _settle(connection, claim.bank_key, claim.parent_id)


async def cancel_operation(connection: WriteConnection, bank_key: int, id_: UUID) -> bool:
    """End what is open of an operation; false when it has ended."""
    now = func.now()
    values = {"status": "cancelled", "due_at": None, "completed_at": now, "updated_at": now}
    return await _change(connection, bank_key, id_, OPEN, values)


async def retry_operation(connection: WriteConnection, bank_key: int, id_: UUID) -> bool:
    """Queue what failed or was cancelled of an operation again; false when nothing did."""
    values = {
        "status": "pending",
        "due_at": case((~_has_parts(), func.now())),
        "claims": 0,
        "failures": 0,
        "error_message": None,
        "completed_at": None,
        "updated_at": func.now(),
    }
    return await _change(connection, bank_key, id_, UNDONE, values)


def _has_parts() -> ColumnElement[bool]:
    """Whether others are the parts of an operation: those are worked on then, not it."""
    part = operations.alias()
    return exists().where(part.c.bank_key == operations.c.bank_key, part.c.parent_id == operations.c.id)


async def _change(
    connection: WriteConnection,
    bank_key: int,
    id_: UUID,
    whose: Collection[OperationStatus],
    values: dict[str, Any],
) -> bool:
    """Change an operation and its parts where their status is one of ``whose``; false if its own is not."""
    own = (operations.c.bank_key == bank_key, operations.c.id == id_)
    row = (
        await connection.execute(
            select(operations.c.status, operations.c.parent_id).where(*own).with_for_update()
        )
    ).first()
    if row is None or row.status not in whose:
        return False
    await connection.execute(
        update(operations)
        .where(
            operations.c.bank_key == bank_key,
            or_(operations.c.id == id_, operations.c.parent_id == id_),
            operations.c.status.in_(whose),
        )
        .values(**values)
    )
    await _settle(connection, bank_key, row.parent_id)
    return True


async def delete_operation(connection: WriteConnection, bank_key: int, id_: UUID) -> bool:
    """Forget an operation that has ended, with its parts; false while it has not."""
    mine = or_(operations.c.id == id_, operations.c.parent_id == id_)
    gone = delete(operations).where(operations.c.bank_key == bank_key, mine)
    status = await connection.scalar(
        select(operations.c.status)
        .where(operations.c.bank_key == bank_key, operations.c.id == id_)
        .with_for_update()
    )
    if status is None or status in OPEN:
        return False
    await connection.execute(gone)
    return True


async def note_document(
    connection: WriteConnection, bank_key: int, id_: UUID, document_id: str, units: int
) -> bool:
    """Note that an operation writes a document in this transaction.

    False when it has been written already, or when the operation was cancelled: it must not be then.
    """
    params = {"bank_key": bank_key, "id": id_, "document_id": document_id, "units": units}
    return (await connection.execute(_NOTE, params)).first() is not None


async def still_wanted(connection: WriteConnection, bank_key: int, id_: UUID) -> bool:
    """Whether an operation is worked on; it is not cancelled before this transaction ends then."""
    statement = select(operations.c.id).where(
        operations.c.bank_key == bank_key,
        operations.c.id == id_,
        operations.c.status == OperationStatus.PROCESSING,
    )
    return (await connection.execute(statement.with_for_update(read=True))).first() is not None


def _held(claim: Claim, worker: str) -> dict[str, Any]:
    """A part that is still the worker's."""
    return {"bank_key": claim.bank_key, "id": claim.id, "worker": worker}


async def _settle(connection: WriteConnection, bank_key: int, parent: UUID | None) -> None:
    """Work out the parent's status from its parts."""
    if parent is None:
        return
    await connection.execute(
        select(operations.c.id)
        .where(operations.c.bank_key == bank_key, operations.c.id == parent)
        .with_for_update()
    )
    await connection.execute(_SETTLE, {"bank_key": bank_key, "id": parent})
