"""Writes a bank, or some of its documents, as an archive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO

from recalld.domain.bank_settings import LANGUAGE
from recalld.domain.banks import Bank
from recalld.domain.errors import InvalidRequest
from recalld.store.engine import Database, ReadConnection
from recalld.store.queries.transfer import (
    StoredFile,
    all_observations,
    document_ids,
    file_data,
    files_of,
    snapshot,
    whole_documents,
)
from recalld.transfer.archive import (
    BANKS,
    FILES,
    INVALIDATED,
    MANIFEST,
    OBSERVATIONS,
    ArchiveWriter,
)
from recalld.transfer.contents import File, Manifest, Scope
from recalld.transfer.draft import Whole
from recalld.transfer.guards import USUAL
from recalld.transfer.stored import as_whole, document_member, observation

PAGE = 100
"""Documents in memory at once."""
_OTHER_MEMBERS = 20
_USUAL_LANGUAGE = "english"

Show = Callable[[int, int], None]
"""Told how many documents are done, of how many."""


def unseen(_done: int, _total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an archive is to hold. ``documents`` are ids; ``None`` is for all."""

    documents: Sequence[str] | None = None
    data: bool = True
    bank_config: bool = True
    history: bool = False
    observations: bool = True
    whole_bank: bool = True


@dataclass(slots=True)
class _Export:
    """An archive in the making, and what is to be said at its end."""

    bank: Bank
    wanted: Wanted
    writer: ArchiveWriter
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    set_aside: list[dict[str, Any]] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    blobs: set[str] = field(default_factory=set)
    documents: int = 0
    observations: int = 0


@dataclass(frozen=True, slots=True)
class Exporter:
    """Exports what a bank held at one moment, in a limited number of members. recalld keeps no history."""

    database: Database
    members: int = USUAL.members

    async def export(self, bank: Bank, wanted: Wanted, file: BinaryIO, show: Show = unseen) -> dict[str, int]:
        """Write the archive; returns how many things of each kind are in it."""
        run = _Export(bank, wanted, await asyncio.to_thread(ArchiveWriter.on, file))
        async with snapshot(self.database) as connection:
            if wanted.data:
                await self._documents(connection, run, show)
            if wanted.data and wanted.observations:
                await self._observations(connection, run)
        return await asyncio.to_thread(_finish, run)

    async def _documents(self, connection: ReadConnection, run: _Export, show: Show) -> None:
        key = run.bank.key
        ids = await document_ids(connection, key, run.wanted.documents)
        if len(ids) > self.members - _OTHER_MEMBERS:
            raise InvalidRequest(
                f"An archive holds {self.members} members, and there are {len(ids)} documents: export some"
            )
        show(0, len(ids))
        for start in range(0, len(ids), PAGE):
            page = ids[start : start + PAGE]
            found = await whole_documents(connection, key, page)
            wholes = [as_whole(found[id_]) for id_ in page]
            await asyncio.to_thread(_add_documents, run, wholes)
            for one in await files_of(connection, key, page):
                await _add_file(connection, run, one)
            show(run.documents, len(ids))

    async def _observations(self, connection: ReadConnection, run: _Export) -> None:
        records = await all_observations(connection, run.bank.key)
        found = [one for record in records if (one := observation(record, run.places)) is not None]
        run.observations = len(found)
        if found:
            members = [one.model_dump() for one in found]
            await asyncio.to_thread(run.writer.add, OBSERVATIONS, members)


def _add_documents(run: _Export, wholes: Sequence[Whole]) -> None:
    members = []
    for one in wholes:
        document = one.document
        members.append(document_member(document, with_life=run.wanted.observations))
        run.places |= {
            fact.source_id: (document.id, place)
            for place, fact in enumerate(document.facts)
            if fact.source_id is not None
        }
        run.set_aside += [{**fact.model_dump(), "bank_id": run.bank.bank_id} for fact in one.set_aside]
    run.writer.add_documents(run.documents, members)
    run.documents += len(members)


async def _add_file(connection: ReadConnection, run: _Export, stored: StoredFile) -> None:
    """Add what is known of a document's file, and its bytes unless another document had them."""
    file = File.model_validate(stored._asdict())
    if file.member not in run.blobs:
        run.blobs.add(file.member)
        data = await file_data(connection, run.bank.key, stored)
        await asyncio.to_thread(run.writer.add_blob, file, data)
    run.files.append(file)


def _finish(run: _Export) -> dict[str, int]:
    """Write what comes after the documents."""
    wanted, writer = run.wanted, run.writer
    if run.files:
        writer.add(FILES, [file.model_dump() for file in run.files])
    if wanted.whole_bank and wanted.data:
        writer.add(INVALIDATED, run.set_aside)
    if wanted.whole_bank and wanted.bank_config:
        writer.add(BANKS, [_bank_row(run.bank)])
    counts = {
        "documents": run.documents,
        "facts": len(run.places),
        "observations": run.observations,
        "attachments": len(run.files),
        "invalidated": len(run.set_aside) if wanted.whole_bank else 0,
    }
    manifest = Manifest(
        source_bank_id=run.bank.bank_id,
        exported_at=datetime.now(UTC),
        archive_type="bank" if wanted.whole_bank else "documents",
        includes_history=wanted.history,
        scope=Scope(data=wanted.data, bank_config=wanted.bank_config, history=wanted.history)
        if wanted.whole_bank
        else None,
        counts=counts,
    )
    writer.add(MANIFEST, manifest.model_dump())
    writer.close()
    return counts


def _bank_row(bank: Bank) -> dict[str, Any]:
    language = {} if bank.language == _USUAL_LANGUAGE else {LANGUAGE: bank.language}
    return {
        "bank_id": bank.bank_id,
        "name": bank.name,
        "mission": bank.mission,
        "disposition": asdict(bank.disposition),
        "config": {**bank.overrides, **language},
    }
