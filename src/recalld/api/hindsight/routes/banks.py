"""Banks: create, change, list, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization, BankPrefix
from recalld.api.hindsight.convert_writes import bank_change, bank_item, bank_profile
from recalld.api.hindsight.schemas.banks import (
    BankListResponse,
    BankProfileResponse,
    CreateBankRequest,
    DeleteResponse,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import READ, REPORTED, UNKNOWN_BANK, WRITE
from recalld.domain.banks import Disposition
from recalld.domain.errors import BankNotFound

router = APIRouter(tags=["Banks"], route_class=ReportingRoute)

Page = Annotated[int, Query(ge=0, le=2**31 - 1)]


@router.get("/v1/default/banks", operation_id="list_banks", responses=REPORTED | READ)
async def list_banks(
    app: App,
    prefix: BankPrefix,
    q: str | None = None,
    limit: Page = 100,
    offset: Page = 0,
    authorization: Authorization = None,
) -> BankListResponse:
    """A page of banks, last written first."""
    summaries, total = await app.banks.list(q, prefix, limit, offset)
    return BankListResponse(
        banks=[bank_item(summary) for summary in summaries], total=total, limit=limit, offset=offset
    )


@router.put(
    "/v1/default/banks/{bank_id}",
    operation_id="create_or_update_bank",
    responses=REPORTED | WRITE | UNKNOWN_BANK,
)
async def create_or_update_bank(
    bank_id: str, request: CreateBankRequest, app: App, authorization: Authorization = None
) -> BankProfileResponse:
    """Create a bank, or change one."""
    try:
        current = (await app.banks.get(bank_id)).disposition
    except BankNotFound:
        current = Disposition()
    return bank_profile(await app.banks.put(bank_id, bank_change(request, current)))


@router.patch(
    "/v1/default/banks/{bank_id}", operation_id="update_bank", responses=REPORTED | WRITE | UNKNOWN_BANK
)
async def update_bank(
    bank_id: str, request: CreateBankRequest, app: App, authorization: Authorization = None
) -> BankProfileResponse:
    """Change a bank that exists."""
    current = (await app.banks.get(bank_id)).disposition
    return bank_profile(await app.banks.patch(bank_id, bank_change(request, current)))


@router.delete("/v1/default/banks/{bank_id}", operation_id="delete_bank", responses=REPORTED | READ)
async def delete_bank(bank_id: str, app: App, authorization: Authorization = None) -> DeleteResponse:
    """Delete a bank with all it holds."""
    count = await app.banks.delete(bank_id)
    return DeleteResponse(success=True, message=f"Bank '{bank_id}' deleted", deleted_count=count)


@router.get(
    "/v1/default/banks/{bank_id}/profile",
    operation_id="get_bank_profile",
    responses=REPORTED | READ | UNKNOWN_BANK,
)
async def get_bank_profile(
    bank_id: str, app: App, authorization: Authorization = None
) -> BankProfileResponse:
    """A bank by itself, which older clients still ask for (D23)."""
    return bank_profile(await app.banks.get(bank_id))
