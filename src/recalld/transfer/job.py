"""Exports and imports as background work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote

from recalld.domain.errors import NotFound
from recalld.domain.operations import Claim, Payload
from recalld.store.queries.transfer_files import TransferFile
from recalld.transfer.archive import Archive
from recalld.transfer.export import Wanted
from recalld.transfer.files import file_key, temporary
from recalld.transfer.report import Behind, Choices, OnConflict
from recalld.transfer.service import (
    CLONE_BANK,
    EXPORT_BANK,
    EXPORT_DOCUMENTS,
    IMPORT_BANK,
    IMPORT_DOCUMENTS,
    TransferService,
)

DOWNLOAD = "/v1/default/files/download/"


@dataclass(frozen=True, slots=True)
class ExportJob:
    """Makes the archive and keeps it for its download."""

    service: TransferService

    async def __call__(self, claim: Claim) -> Payload:
        """Export; returns where the archive is, and what is in it."""
        bank = await self.service.bank(claim.bank_id)
        name = f"{bank.bank_id}-documents.zip"
        with temporary() as file:
            counts = await self.service.exporter.export(bank, _wanted(claim.payload), file)
            kept = await self.service.files.save(bank, "export", name, file)
        place = {"storage_key": kept.key, "download_url": DOWNLOAD + quote(kept.key, safe="")}
        return {"filename": name, "byte_size": kept.byte_size, **place, "counts": counts}


@dataclass(frozen=True, slots=True)
class ImportJob:
    """Imports an upload."""

    service: TransferService

    async def __call__(self, claim: Claim) -> Payload:
        """Import; returns counts."""
        file = await self.service.files.find(claim.payload["file"], "upload")
        return await _imported(self.service, file, claim)

    async def tidy(self, claim: Claim) -> None:
        """Forget the upload."""
        await self.service.files.drop(await self.service.files.find(claim.payload["file"], "upload"))


@dataclass(frozen=True, slots=True)
class CloneJob:
    """Copies a bank by way of an archive, which is made once, however often the work is taken up again."""

    service: TransferService

    async def __call__(self, claim: Claim) -> Payload:
        """Copy; returns counts."""
        bank = await self.service.bank(claim.bank_id)
        name = _copy(claim)
        try:
            file = await self.service.files.find(file_key(bank, name), "upload")
        except NotFound:
            with temporary() as made:
                await self.service.exporter.export(bank, _wanted(claim.payload), made)
                file = await self.service.files.save(bank, "upload", "clone.zip", made, name)
        return await _imported(self.service, file, claim)

    async def tidy(self, claim: Claim) -> None:
        """Forget the archive."""
        key = file_key(await self.service.bank(claim.bank_id), _copy(claim))
        await self.service.files.drop(await self.service.files.find(key, "upload"))


def transfer_jobs(
    service: TransferService,
) -> tuple[dict[str, Callable[[Claim], Awaitable[Payload]]], dict[str, Callable[[Claim], Awaitable[None]]]]:
    """What is done for each type of operation, and what is put away afterwards."""
    exporting, importing, cloning = ExportJob(service), ImportJob(service), CloneJob(service)
    return (
        {
            EXPORT_BANK: exporting,
            EXPORT_DOCUMENTS: exporting,
            IMPORT_BANK: importing,
            IMPORT_DOCUMENTS: importing,
            CLONE_BANK: cloning,
        },
        {IMPORT_BANK: importing.tidy, IMPORT_DOCUMENTS: importing.tidy, CLONE_BANK: cloning.tidy},
    )


def _copy(claim: Claim) -> str:
    """What the archive of a copy is called."""
    return f"copy-{claim.id}"


async def _imported(service: TransferService, file: TransferFile, claim: Claim) -> Payload:
    bank = await service.bank(claim.payload["target"])
    choices = Choices(
        OnConflict(claim.payload.get("on_conflict", OnConflict.SKIP)),
        claim.payload["data"],
        claim.payload["bank_config"],
    )
    async with service.files.opened(file) as opened:
        archive = Archive.open(opened)
        report = await service.importer.run(bank, archive, choices, Behind(claim.bank_key, claim.id))
    return {"bank_id": bank.bank_id, **report.as_result}


def _wanted(payload: dict[str, Any]) -> Wanted:
    return Wanted(**{one.name: payload[one.name] for one in fields(Wanted) if one.name in payload})
