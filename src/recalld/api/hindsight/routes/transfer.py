"""Archives: export a bank or some documents, import, copy, download."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, File, Query, UploadFile
from fastapi.responses import StreamingResponse

from recalld.api.deps import App, Authorization, BankPrefix
from recalld.api.hindsight.schemas.transfer import (
    BankTransferSubmitResponse,
    DocumentExportSubmitResponse,
    DocumentImportSubmitResponse,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import ACCEPTED, READ, UNKNOWN, UNKNOWN_BANK, WRITE, Responses
from recalld.bootstrap import Application
from recalld.domain.errors import InvalidRequest
from recalld.transfer.export import Wanted
from recalld.transfer.service import (
    EXPORT_BANK,
    EXPORT_DOCUMENTS,
    IMPORT_BANK,
    IMPORT_DOCUMENTS,
    ImportWish,
    Order,
)

BANK = "/v1/default/banks/{bank_id}"
SUBMITTED = ACCEPTED | WRITE
OLD = ["Document Transfer"]
NEW = ["Bank Transfer"]
ARCHIVE: Responses = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter(route_class=ReportingRoute)

DocumentIds = Annotated[list[str] | None, Query()]
Upload = Annotated[UploadFile, File()]


async def wanted(
    include_data: bool = True, include_bank_config: bool = True, include_history: bool = False
) -> Wanted:
    """What the query string wants of a bank."""
    return Wanted(None, include_data, include_bank_config, include_history)


async def wish(
    mode: str = "restore",
    target_bank_id: str | None = None,
    document_conflict: str = "skip",
    include_data: bool | None = None,
    include_bank_config: bool | None = None,
    include_history: bool | None = None,
) -> ImportWish:
    """How the query string wants an archive imported."""
    return ImportWish(
        mode, document_conflict, target_bank_id, include_data, include_bank_config, include_history
    )


@router.post(
    BANK + "/transfer/export",
    operation_id="export_bank_transfer",
    status_code=202,
    tags=[*NEW],
    responses=SUBMITTED | UNKNOWN,
)
async def export_bank_transfer(
    bank_id: str,
    app: App,
    wanted: Annotated[Wanted, Depends(wanted)],
    document_id: DocumentIds = None,
    authorization: Authorization = None,
) -> BankTransferSubmitResponse:
    """Export a bank in the background. The operation tells where the archive is."""
    chosen = replace(wanted, documents=document_id)
    order = await app.transfer.order_export(bank_id, EXPORT_BANK, chosen)
    return BankTransferSubmitResponse(operation_id=await _submit(app, order))


@router.post(
    BANK + "/transfer/import",
    operation_id="import_bank_transfer",
    status_code=202,
    tags=[*NEW],
    responses=SUBMITTED,
)
async def import_bank_transfer(
    bank_id: str,
    app: App,
    file: Upload,
    wish: Annotated[ImportWish, Depends(wish)],
    prefix: BankPrefix,
    authorization: Authorization = None,
) -> BankTransferSubmitResponse:
    """Import an archive in the background.

    The operation is one of the bank in the path, or of the one that is restored where that does not exist.
    """
    order = await app.transfer.order_import(bank_id, IMPORT_BANK, wish, file.file, prefix)
    return BankTransferSubmitResponse(operation_id=await _submit(app, order))


@router.post(
    BANK + "/clone",
    operation_id="clone_bank",
    status_code=202,
    tags=[*NEW],
    responses=SUBMITTED | UNKNOWN_BANK,
)
async def clone_bank(
    bank_id: str,
    app: App,
    target_bank_id: str,
    wanted: Annotated[Wanted, Depends(wanted)],
    authorization: Authorization = None,
) -> BankTransferSubmitResponse:
    """Copy a bank in the background; the operation is one of the bank that is copied."""
    order = await app.transfer.order_clone(bank_id, target_bank_id, wanted)
    return BankTransferSubmitResponse(operation_id=await _submit(app, order))


@router.post(
    BANK + "/document-transfer/export",
    operation_id="export_documents",
    status_code=202,
    tags=[*OLD],
    deprecated=True,
    responses=SUBMITTED | UNKNOWN,
)
async def export_documents(
    bank_id: str,
    app: App,
    document_id: DocumentIds = None,
    include_observations: bool = False,
    include_knowledge_base: bool = False,
    authorization: Authorization = None,
) -> DocumentExportSubmitResponse:
    """Export documents in the background, without the bank's settings."""
    if document_id is not None and (include_observations or include_knowledge_base):
        raise InvalidRequest("include_observations and include_knowledge_base are for a whole bank")
    chosen = Wanted(document_id, bank_config=False, observations=include_observations, whole_bank=False)
    order = await app.transfer.order_export(bank_id, EXPORT_DOCUMENTS, chosen)
    return DocumentExportSubmitResponse(operation_id=await _submit(app, order))


@router.post(
    BANK + "/document-transfer",
    operation_id="import_documents",
    status_code=202,
    tags=[*OLD],
    deprecated=True,
    responses=SUBMITTED,
)
async def import_documents(
    bank_id: str, app: App, file: Upload, on_conflict: str = "skip", authorization: Authorization = None
) -> DocumentImportSubmitResponse:
    """Add the documents of an archive to a bank in the background."""
    wish = ImportWish("merge", on_conflict)
    order = await app.transfer.order_import(bank_id, IMPORT_DOCUMENTS, wish, file.file)
    return DocumentImportSubmitResponse(operation_id=await _submit(app, order))


@router.get(
    "/v1/default/files/download/{key:path}",
    operation_id="download_file",
    tags=[*OLD],
    response_class=StreamingResponse,
    responses=ARCHIVE | READ | UNKNOWN,
)
async def download_file(key: str, app: App, authorization: Authorization = None) -> StreamingResponse:
    """An archive that was exported during the last day."""
    file = await app.transfer.files.find(key, "export")
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.filename, safe='')}",
        "Content-Length": str(file.byte_size),
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingResponse(app.transfer.files.pieces(file), media_type="application/zip", headers=headers)


async def _submit(app: Application, order: Order) -> str:
    await app.operations.submit(order.bank.key, order.new)
    return str(order.new.id)
