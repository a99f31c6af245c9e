"""Takes orders: what is to be exported or imported is checked and kept for the worker."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import BinaryIO
from uuid import uuid4

from recalld.domain.banks import Bank, check_bank_id
from recalld.domain.errors import Forbidden, InvalidRequest, NotFound
from recalld.domain.operations import NewSingle
from recalld.domain.text import has_forbidden
from recalld.store.engine import Database
from recalld.store.queries.banks import find_bank, known_bank
from recalld.store.queries.transfer import document_ids
from recalld.store.queries.transfer_files import is_abandoned
from recalld.store.writes.banks import bank_made_if_needed, create_bank
from recalld.transfer.archive import Archive
from recalld.transfer.export import Exporter, Wanted
from recalld.transfer.files import TransferFiles
from recalld.transfer.importer import Importer
from recalld.transfer.report import OnConflict

EXPORT_BANK, IMPORT_BANK, CLONE_BANK = "export_bank", "import_bank", "clone_bank"
EXPORT_DOCUMENTS, IMPORT_DOCUMENTS = "export_documents", "import_documents"
MODES = ("restore", "merge")


@dataclass(frozen=True, slots=True)
class Order:
    """An operation to be queued for a bank."""

    bank: Bank
    new: NewSingle


@dataclass(frozen=True, slots=True)
class ImportWish:
    """How a caller wants an archive imported. Flags are ``None`` where nothing was said."""

    mode: str = "restore"
    on_conflict: str = "skip"
    target: str | None = None
    data: bool | None = None
    bank_config: bool | None = None
    history: bool | None = None


@dataclass(frozen=True, slots=True)
class TransferService:
    """Archives in and out of banks."""

    database: Database
    files: TransferFiles
    exporter: Exporter
    importer: Importer

    async def order_export(self, bank_id: str, type_: str, wanted: Wanted) -> Order:
        """An export of documents that exist, or ``NotFound``."""
        bank = await self.bank(bank_id)
        if wanted.documents is not None:
            await self._check_documents(bank, wanted.documents)
        return Order(bank, NewSingle(uuid4(), type_, asdict(wanted)))

    async def order_import(
        self, bank_id: str, type_: str, wish: ImportWish, file: BinaryIO, prefix: str = ""
    ) -> Order:
        """An import of a file that looks like an archive, or ``InvalidRequest``.

        The bank is made here, and its id must begin with the ``prefix``. A restore is refused where there
        is one already.
        """
        check_wish(wish)
        archive = await asyncio.to_thread(Archive.open, file)
        restores = wish.mode == "restore"
        if restores:
            home = await self._known(bank_id)
            source = bank_id if home is None else archive.manifest.source_bank_id
            target = source if wish.target is None else wish.target
            if not target.startswith(prefix):
                raise Forbidden("This API key does not open the bank that is restored")
            bank = await self.new_bank(target)
        else:
            home = bank = await self.made_bank(bank_id)
        order = uuid4()
        kept = await self.files.save(bank, "upload", "upload.zip", file, str(order))
        payload = {
            "file": kept.key,
            "target": bank.bank_id,
            "mode": wish.mode,
            "on_conflict": wish.on_conflict,
            "data": wish.data is not False,
            "bank_config": restores and wish.bank_config is not False,
        }
        return Order(home or bank, NewSingle(order, type_, payload, len(archive.document_names)))

    async def order_clone(self, bank_id: str, target: str, wanted: Wanted) -> Order:
        """A copy of a bank under an id that is free."""
        bank = await self.bank(bank_id)
        await self.new_bank(target)
        payload = {"target": target, "data": wanted.data, "bank_config": wanted.bank_config}
        return Order(bank, NewSingle(uuid4(), CLONE_BANK, payload))

    async def bank(self, bank_id: str) -> Bank:
        """The bank, or ``BankNotFound``."""
        async with self.database.read() as connection:
            return await known_bank(connection, bank_id)

    async def made_bank(self, bank_id: str) -> Bank:
        """The bank, which is created if need be."""
        return await bank_made_if_needed(self.database, bank_id)

    async def _known(self, bank_id: str) -> Bank | None:
        """The bank, unless there is none, or all it has seen is a restore that failed."""
        async with self.database.read() as connection:
            bank = await find_bank(connection, bank_id)
            if bank is None or await is_abandoned(connection, bank.key):
                return None
        return bank

    async def new_bank(self, bank_id: str) -> Bank:
        """A bank under an id that is free, or was taken by restores that failed."""
        async with self.database.write() as connection:
            created = await create_bank(connection, check_bank_id(bank_id))
        bank = await self.bank(bank_id)
        if not created:
            async with self.database.read() as reading:
                abandoned = await is_abandoned(reading, bank.key)
            if bank.bank_id != bank_id or not abandoned:
                raise InvalidRequest(f"Bank '{bank_id}' exists already; mode=merge adds to it")
        return bank

    async def _check_documents(self, bank: Bank, ids: Sequence[str]) -> None:
        possible = [id_ for id_ in ids if not has_forbidden(id_)]
        async with self.database.read() as connection:
            known = set(await document_ids(connection, bank.key, possible))
        for id_ in ids:
            if id_ not in known:
                raise NotFound(f"Document '{id_}' not found")


def check_wish(wish: ImportWish) -> None:
    """Raise ``InvalidRequest`` for words nobody knows, or that do not go together."""
    if wish.mode not in MODES:
        raise InvalidRequest(f"mode must be one of: {', '.join(MODES)}")
    if wish.on_conflict not in set(OnConflict):
        raise InvalidRequest(f"document_conflict must be one of: {', '.join(OnConflict)}")
    flags = {
        "target_bank_id": wish.target,
        "include_data": wish.data,
        "include_bank_config": wish.bank_config,
        "include_history": wish.history,
    }
    said = [name for name, value in flags.items() if value is not None]
    if wish.mode == "merge" and said:
        raise InvalidRequest(f"{', '.join(said)}: only for mode=restore")
