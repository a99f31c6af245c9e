"""Other names of a bank."""

from __future__ import annotations

from recalld.api.hindsight.schemas.base import WireModel


class CreateBankAliasRequest(WireModel):
    """A name to add."""

    alias: str
    primary: bool = False


class SetBankAliasPrimaryRequest(WireModel):
    """Whether to show the alias in place of the bank's id."""

    primary: bool


class BankAliasEntry(WireModel):
    """One alias."""

    alias: str
    primary: bool = False


class BankAliasesResponse(WireModel):
    """All aliases of a bank."""

    bank_id: str
    aliases: list[BankAliasEntry]
