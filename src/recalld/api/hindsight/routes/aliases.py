"""Other names of a bank. Every path takes them in place of the bank's id."""

from __future__ import annotations

from fastapi import APIRouter

from recalld.api.deps import App, Authorization, BankPrefix
from recalld.api.hindsight.convert_catalog import aliases_response
from recalld.api.hindsight.schemas.aliases import (
    BankAliasesResponse,
    CreateBankAliasRequest,
    SetBankAliasPrimaryRequest,
)
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import CREATED, READ, REPORTED, UNKNOWN, UNKNOWN_BANK, WRITE, WRONG_STATE
from recalld.domain.errors import InvalidRequest
from recalld.domain.records import Alias

router = APIRouter(tags=["Banks"], route_class=ReportingRoute)

PATH = "/v1/default/banks/{bank_id}/aliases"


@router.get(PATH, operation_id="list_bank_aliases", responses=REPORTED | READ | UNKNOWN_BANK)
async def list_bank_aliases(
    bank_id: str, app: App, authorization: Authorization = None
) -> BankAliasesResponse:
    """All aliases of a bank, oldest first."""
    return aliases_response(*await app.catalog.aliases.list(bank_id))


@router.post(
    PATH,
    operation_id="create_bank_alias",
    status_code=201,
    responses=CREATED | WRITE | UNKNOWN_BANK | WRONG_STATE,
)
async def create_bank_alias(
    bank_id: str,
    request: CreateBankAliasRequest,
    prefix: BankPrefix,
    app: App,
    authorization: Authorization = None,
) -> BankAliasesResponse:
    """Add an alias that no other bank goes by. A key for some banks names only within those."""
    if not request.alias.startswith(prefix):
        raise InvalidRequest(f"alias must begin with '{prefix}'")
    alias = Alias(request.alias, request.primary)
    return aliases_response(*await app.catalog.aliases.add(bank_id, alias))


@router.patch(PATH + "/{alias}", operation_id="set_bank_alias_primary", responses=REPORTED | WRITE | UNKNOWN)
async def set_bank_alias_primary(
    bank_id: str,
    alias: str,
    request: SetBankAliasPrimaryRequest,
    app: App,
    authorization: Authorization = None,
) -> BankAliasesResponse:
    """Show an alias in place of the bank's id, or stop that."""
    return aliases_response(*await app.catalog.aliases.change(bank_id, Alias(alias, request.primary)))


@router.delete(PATH + "/{alias}", operation_id="delete_bank_alias", responses=REPORTED | READ | UNKNOWN)
async def delete_bank_alias(
    bank_id: str, alias: str, app: App, authorization: Authorization = None
) -> BankAliasesResponse:
    """Take an alias away."""
    return aliases_response(*await app.catalog.aliases.delete(bank_id, alias))
