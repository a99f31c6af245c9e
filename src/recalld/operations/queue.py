"""The queue: submit work, follow it, cancel, retry and forget it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from recalld.domain.errors import Conflict, NotFound
from recalld.domain.operations import OPEN, Backlog, NewOperation, NewSingle, Operation, OperationFilter
from recalld.store.engine import Database
from recalld.store.queries.operations import (
    backlog_of,
    find_operation,
    list_operations,
    list_parts,
    operation_owner,
    waiting_operation,
)
from recalld.store.writes.operations import (
    cancel_operation,
    delete_operation,
    insert_operation,
    insert_single,
    retry_operation,
)

_FIRST_LOOK, _LAST_LOOK = 0.02, 0.2
"""Seconds between two looks at an operation that is waited for."""


@dataclass(frozen=True, slots=True)
class OperationQueue:
    """Operations by bank key. ``submitted`` wakes a worker of this process."""

    database: Database
    submitted: asyncio.Event = field(default_factory=asyncio.Event)

    async def submit(self, bank_key: int, new: NewOperation | NewSingle) -> None:
        """Queue an operation. One whose id this bank has used for the same type stays as it is.

        An id of another bank or another type is a ``Conflict``.
        """
        if await self._is_known(bank_key, new.id, new.type):
            return
        async with self.database.write() as connection:
            if isinstance(new, NewSingle):
                await insert_single(connection, bank_key, new)
            else:
                await insert_operation(connection, bank_key, new)
        self.submitted.set()

    async def _is_known(self, bank_key: int, id_: UUID, type_: str) -> bool:
        async with self.database.read() as connection:
            owner = await operation_owner(connection, id_)
        if owner not in {None, (bank_key, type_)}:
            raise Conflict(f"operation_id '{id_}' is in use by another operation")
        return owner is not None

    async def submit_once(self, bank_key: int, type_: str) -> tuple[UUID, bool]:
        """Queue an operation unless one of its type is waiting; its id, and whether it waited already."""
        async with self.database.read() as connection:
            waiting = await waiting_operation(connection, bank_key, type_)
        if waiting is not None:
            return waiting, True
        id_ = uuid4()
        async with self.database.write() as connection:
            await insert_single(connection, bank_key, NewSingle(id_, type_))
        self.submitted.set()
        return id_, False

    async def page(
        self, bank_key: int, shown: OperationFilter, limit: int, offset: int
    ) -> tuple[list[Operation], int]:
        """A page of operations, newest first, and the total."""
        async with self.database.read() as connection:
            return await list_operations(connection, bank_key, shown, limit, offset)

    async def find(self, bank_key: int, id_: UUID) -> tuple[Operation, list[Operation]] | None:
        """An operation with its parts; ``None`` for an unknown one."""
        async with self.database.read() as connection:
            found = await find_operation(connection, bank_key, id_)
            return None if found is None else (found, await list_parts(connection, bank_key, id_))

    async def wait_for(self, bank_key: int, id_: UUID, seconds: float) -> Operation | None:
        """An operation once it has ended, or as it stands after so many seconds."""
        end, pause = time.monotonic() + seconds, _FIRST_LOOK
        while True:
            async with self.database.read() as connection:
                found = await find_operation(connection, bank_key, id_)
            if found is None or found.status not in OPEN or time.monotonic() + pause > end:
                return found
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LAST_LOOK)

    async def backlog(self, bank_key: int, type_: str) -> Backlog | None:
        """What of a type is still to be done; ``None`` for nothing."""
        async with self.database.read() as connection:
            return await backlog_of(connection, bank_key, type_)

    async def cancel(self, bank_key: int, id_: UUID) -> None:
        """Stop what is open of an operation. What it has committed stays."""
        async with self.database.write() as connection:
            if await cancel_operation(connection, bank_key, id_):
                return
        await self._refuse(bank_key, id_, "is not pending or processing and cannot be cancelled")

    async def retry(self, bank_key: int, id_: UUID) -> None:
        """Queue again what failed or was cancelled of an operation."""
        async with self.database.write() as connection:
            if await retry_operation(connection, bank_key, id_):
                self.submitted.set()
                return
        await self._refuse(bank_key, id_, "has not failed or been cancelled and cannot be retried")

    async def delete(self, bank_key: int, id_: UUID) -> None:
        """Forget an operation that has ended."""
        async with self.database.write() as connection:
            if await delete_operation(connection, bank_key, id_):
                return
        await self._refuse(bank_key, id_, "has not ended and cannot be deleted")

    async def _refuse(self, bank_key: int, id_: UUID, why: str) -> None:
        if await self.find(bank_key, id_) is None:
            raise NotFound(f"Operation '{id_}' not found")
        raise Conflict(f"Operation '{id_}' {why}")
