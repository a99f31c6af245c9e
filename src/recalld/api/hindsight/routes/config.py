"""Settings of a bank: look, change, reset."""

from __future__ import annotations

from fastapi import APIRouter

from recalld.api.deps import App, Authorization
from recalld.api.hindsight.schemas.config import BankConfigResponse, BankConfigUpdate
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import READ, REPORTED, UNKNOWN_BANK, WRITE, WRONG_STATE
from recalld.catalog.config import BankSettings

router = APIRouter(tags=["Banks"], route_class=ReportingRoute)

PATH = "/v1/default/banks/{bank_id}/config"


@router.get(PATH, operation_id="get_bank_config", responses=REPORTED | READ | UNKNOWN_BANK)
async def get_bank_config(bank_id: str, app: App, authorization: Authorization = None) -> BankConfigResponse:
    """Every setting, and those the bank overrides."""
    return _answer(await app.catalog.config.get(bank_id))


@router.patch(PATH, operation_id="update_bank_config", responses=REPORTED | WRITE | WRONG_STATE)
async def update_bank_config(
    bank_id: str, request: BankConfigUpdate, app: App, authorization: Authorization = None
) -> BankConfigResponse:
    """Override settings, creating the bank unless it exists. Null goes back to the server's value."""
    return _answer(await app.catalog.config.change(bank_id, request.updates))


@router.delete(PATH, operation_id="reset_bank_config", responses=REPORTED | READ | UNKNOWN_BANK)
async def reset_bank_config(
    bank_id: str, app: App, authorization: Authorization = None
) -> BankConfigResponse:
    """Override nothing any more."""
    return _answer(await app.catalog.config.reset(bank_id))


def _answer(settings: BankSettings) -> BankConfigResponse:
    return BankConfigResponse(bank_id=settings.bank_id, config=settings.values, overrides=settings.overrides)
