"""Operations: list, follow, cancel, retry, forget."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.convert_operations import operation_row, operation_status, operation_uuid
from recalld.api.hindsight.schemas.operations import (
    CancelOperationResponse,
    DeleteOperationResponse,
    OperationsListResponse,
    OperationStatusResponse,
    RetryOperationResponse,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import BAD_VALUE, READ, REPORTED, UNKNOWN_BANK, WRONG_STATE
from recalld.domain.errors import BankNotFound
from recalld.domain.operations import OperationFilter
from recalld.domain.text import scrub

router = APIRouter(tags=["Operations"], route_class=ReportingRoute)

PATH = "/v1/default/banks/{bank_id}/operations"
CHANGE = REPORTED | READ | BAD_VALUE | UNKNOWN_BANK | WRONG_STATE


async def shown(
    status: str | None = None,
    type: str | None = None,  # noqa: A002 - the parameter's published name
    exclude_parents: bool = False,
) -> OperationFilter:
    """Which operations the query string asks for."""
    return OperationFilter(status and scrub(status), type and scrub(type), exclude_parents)


Shown = Annotated[OperationFilter, Depends(shown)]


@router.get(PATH, operation_id="list_operations", responses=REPORTED | READ | UNKNOWN_BANK)
async def list_operations(
    bank_id: str,
    app: App,
    shown: Shown,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    authorization: Authorization = None,
) -> OperationsListResponse:
    """A page of operations, newest first."""
    bank = await app.banks.get(bank_id)
    found, total = await app.operations.page(bank.key, shown, limit, offset)
    rows = [operation_row(operation) for operation in found]
    return OperationsListResponse(
        bank_id=bank.bank_id, total=total, limit=limit, offset=offset, operations=rows
    )


@router.get(
    PATH + "/{operation_id}", operation_id="get_operation_status", responses=REPORTED | READ | BAD_VALUE
)
async def get_operation_status(
    bank_id: str,
    operation_id: str,
    app: App,
    include_payload: bool = False,
    authorization: Authorization = None,
) -> OperationStatusResponse:
    """One operation. An unknown one, or one of an unknown bank, has the status ``not_found``."""
    id_ = operation_uuid(operation_id)
    try:
        found = await app.operations.find((await app.banks.get(bank_id)).key, id_)
    except BankNotFound:
        found = None
    if found is None:
        return OperationStatusResponse(operation_id=str(id_), status="not_found")
    return operation_status(*found, with_payload=include_payload)


@router.delete(PATH + "/{operation_id}", operation_id="cancel_operation", responses=CHANGE)
async def cancel_operation(
    bank_id: str, operation_id: str, app: App, authorization: Authorization = None
) -> CancelOperationResponse:
    """Stop what is open of an operation."""
    id_ = operation_uuid(operation_id)
    await app.operations.cancel((await app.banks.get(bank_id)).key, id_)
    return CancelOperationResponse(success=True, message=f"Operation {id_} cancelled", operation_id=str(id_))


@router.post(PATH + "/{operation_id}/retry", operation_id="retry_operation", responses=CHANGE)
async def retry_operation(
    bank_id: str, operation_id: str, app: App, authorization: Authorization = None
) -> RetryOperationResponse:
    """Queue what failed or was cancelled again."""
    id_ = operation_uuid(operation_id)
    await app.operations.retry((await app.banks.get(bank_id)).key, id_)
    return RetryOperationResponse(
        success=True, message=f"Operation {id_} queued again", operation_id=str(id_)
    )


@router.delete(PATH + "/{operation_id}/delete", operation_id="delete_operation", responses=CHANGE)
async def delete_operation(
    bank_id: str, operation_id: str, app: App, authorization: Authorization = None
) -> DeleteOperationResponse:
    """Forget an operation that has ended."""
    id_ = operation_uuid(operation_id)
    await app.operations.delete((await app.banks.get(bank_id)).key, id_)
    return DeleteOperationResponse(success=True, message=f"Operation {id_} deleted", operation_id=str(id_))
