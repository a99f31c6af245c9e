"""Documents and chunks: list, look at one, change, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_catalog import chunk_response, document_item, document_response
from recalld.api.hindsight.convert_lists import document_query, page
from recalld.api.hindsight.schemas.documents import (
    ChunkResponse,
    DeleteDocumentResponse,
    DocumentResponse,
    ListChunksParams,
    ListChunksResponse,
    ListDocumentsParams,
    ListDocumentsResponse,
    UpdateDocumentRequest,
    UpdateDocumentResponse,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import BAD_VALUE, IN_THE_WAY, READ, REPORTED, UNKNOWN, UNKNOWN_BANK, WRITE
from recalld.domain.errors import Unprocessable

router = APIRouter(tags=["Documents"], route_class=ReportingRoute)

PATH = "/v1/default/banks/{bank_id}/documents"
ONE = PATH + "/{document_id:path}"
"""Takes any number of slashes, so whatever ends in more than an id is declared before it."""


@router.get(PATH, operation_id="list_documents", responses=REPORTED | READ | BAD_VALUE | UNKNOWN_BANK)
async def list_documents(
    bank_id: str,
    params: Annotated[ListDocumentsParams, Query()],
    app: App,
    authorization: Authorization = None,
) -> ListDocumentsResponse:
    """A page of documents, last changed first unless a time field says otherwise."""
    bank, found, total = await app.catalog.documents.list(bank_id, document_query(params), page(params))
    items = [document_item(bank.bank_id, document) for document in found]
    return ListDocumentsResponse(items=items, total=total, limit=params.limit, offset=params.offset)


@router.get(ONE + "/chunks", operation_id="list_document_chunks", responses=REPORTED | READ | UNKNOWN)
async def list_document_chunks(
    bank_id: str,
    document_id: str,
    params: Annotated[ListChunksParams, Query()],
    app: App,
    authorization: Authorization = None,
) -> ListChunksResponse:
    """A page of a document's chunks, in their order."""
    found, total = await app.catalog.documents.chunks(bank_id, document_id, page(params))
    items = [chunk_response(chunk) for chunk in found]
    return ListChunksResponse(items=items, total=total, limit=params.limit, offset=params.offset)


@router.get(ONE, operation_id="get_document", responses=REPORTED | READ | UNKNOWN)
async def get_document(
    bank_id: str, document_id: str, app: App, authorization: Authorization = None
) -> DocumentResponse:
    """A document with its text."""
    return document_response(await app.catalog.documents.get(bank_id, document_id))


@router.patch(ONE, operation_id="update_document", responses=REPORTED | WRITE | UNKNOWN | IN_THE_WAY)
async def update_document(
    bank_id: str,
    document_id: str,
    request: UpdateDocumentRequest,
    app: App,
    authorization: Authorization = None,
) -> UpdateDocumentResponse:
    """Give a document and its memories new tags or scopes of observation."""
    values = request.model_dump(exclude_none=True)
    if not values:
        raise Unprocessable("Name tags or observation_scopes")
    await app.catalog.documents.change(bank_id, document_id, values)
    return UpdateDocumentResponse()


@router.delete(ONE, operation_id="delete_document", responses=REPORTED | READ | UNKNOWN | IN_THE_WAY)
async def delete_document(
    bank_id: str, document_id: str, app: App, authorization: Authorization = None
) -> DeleteDocumentResponse:
    """Delete a document with all that came from it."""
    count = await app.catalog.documents.delete(bank_id, document_id)
    return DeleteDocumentResponse(
        success=True,
        message=f"Document '{document_id}' and {count} memories deleted",
        document_id=document_id,
        memory_units_deleted=count,
    )


@router.get(
    "/v1/default/chunks/{chunk_id:path}", operation_id="get_chunk", responses=REPORTED | READ | UNKNOWN
)
async def get_chunk(chunk_id: str, app: App, authorization: Authorization = None) -> ChunkResponse:
    """One chunk; its id names its bank."""
    return chunk_response(await app.catalog.documents.chunk(chunk_id))
