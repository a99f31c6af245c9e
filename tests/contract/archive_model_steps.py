"""One step for each generated method of the official client that moves archives."""

from __future__ import annotations

from typing import Any

from hindsight_client_api.models.retain_request import RetainRequest

from recalld.bootstrap import Application
from tests.contract.archive_steps import SAILS, texts_in
from tests.contract.official_client import model_step
from tests.fixtures.operations import work_off

DOWNLOAD = "/v1/default/files/download/"


async def filled(client: Any, bank_id: str) -> None:
    """Give the bank one memory."""
    items = {"items": [{"content": SAILS, "document_id": "ship"}]}
    await client.memory.retain_memories(bank_id, RetainRequest.from_dict(items))


async def downloaded(client: Any, bank_id: str, app: Application, submitted: Any) -> bytes:
    """The archive that an operation leaves."""
    await work_off(app)
    status = await client.operations.get_operation_status(bank_id, submitted.operation_id)
    key = status.result_metadata["storage_key"]
    assert status.result_metadata["download_url"].startswith(DOWNLOAD)
    answer = await client.document_transfer.download_file_without_preload_content(key)
    archive: bytes = await answer.read()
    return archive


async def texts(client: Any, bank_id: str) -> list[str]:
    """Texts of a bank's memories."""
    return sorted(row.text for row in (await client.memory.list_memories(bank_id)).items)


@model_step
async def export_bank_transfer(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    submitted = await client.bank_transfer.export_bank_transfer(bank_id)
    assert texts_in(await downloaded(client, bank_id, app, submitted)) == [SAILS]


@model_step
async def export_documents(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    submitted = await client.document_transfer.export_documents(bank_id, document_id=["ship"])
    assert texts_in(await downloaded(client, bank_id, app, submitted)) == [SAILS]


@model_step
async def download_file(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    submitted = await client.bank_transfer.export_bank_transfer(bank_id)
    assert (await downloaded(client, bank_id, app, submitted)).startswith(b"PK")
    status = await client.operations.get_operation_status(bank_id, submitted.operation_id)
    await client.document_transfer.download_file(status.result_metadata["storage_key"])


@model_step
async def import_bank_transfer(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    submitted = await client.bank_transfer.export_bank_transfer(bank_id)
    archive = await downloaded(client, bank_id, app, submitted)
    target = f"{bank_id}-2"
    await client.bank_transfer.import_bank_transfer(bank_id, archive, target_bank_id=target)
    await work_off(app)
    assert await texts(client, target) == [SAILS]


@model_step
async def import_documents(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    submitted = await client.document_transfer.export_documents(bank_id)
    archive = await downloaded(client, bank_id, app, submitted)
    await client.documents.delete_document(bank_id, "ship")
    await client.document_transfer.import_documents(bank_id, archive)
    await work_off(app)
    assert await texts(client, bank_id) == [SAILS]


@model_step
async def clone_bank(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    await client.bank_transfer.clone_bank(bank_id, target_bank_id=f"{bank_id}-2")
    await work_off(app)
    assert await texts(client, f"{bank_id}-2") == [SAILS]
