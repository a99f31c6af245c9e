"""Sets a bank up the way the archive's bank was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recalld.domain.bank_settings import LANGUAGE, MISSION, TRAITS, checked
from recalld.domain.banks import Bank
from recalld.domain.errors import InvalidRequest
from recalld.store.engine import Database
from recalld.store.queries.banks import text_search_languages
from recalld.store.writes.banks import change_bank
from recalld.transfer.contents import BankRow

_LEAST, _MOST = 1, 5


async def set_up(database: Database, bank: Bank, row: BankRow) -> list[str]:
    """Give the bank the name, mission, disposition and settings; returns names of settings not known here."""
    known, unknown = _sorted(row.config)
    async with database.read() as reading:
        if known.get(LANGUAGE) not in {None, *await text_search_languages(reading)}:
            unknown.append(LANGUAGE)
            del known[LANGUAGE]
    columns: dict[str, Any] = {}
    if row.name is not None:
        columns["name"] = row.name
    mission = row.mission or known.pop(MISSION, None)
    if mission:
        columns["mission"] = mission
    traits = {trait: known.pop(name) for name, trait in TRAITS.items() if known.get(name) is not None}
    disposition = {
        name: value for name, value in {**traits, **row.disposition}.items() if _is_trait(name, value)
    }
    if disposition:
        columns["disposition"] = disposition
    if known.get(LANGUAGE) is not None and not bank.unit_count:
        columns[LANGUAGE] = known[LANGUAGE]
    known.pop(LANGUAGE, None)
    own = {name: value for name, value in known.items() if name not in {MISSION, *TRAITS}}
    async with database.write() as connection:
        await change_bank(connection, bank.bank_id, columns, own)
    return sorted(unknown)


def _sorted(config: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Settings that are known here and their values fine, and the names of the others."""
    known: dict[str, Any] = {}
    unknown: list[str] = []
    for name, value in config.items():
        try:
            known |= checked({name: value})
        except InvalidRequest:
            unknown.append(name)
    return known, unknown


def _is_trait(name: str, value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return name in TRAITS.values() and whole and _LEAST <= value <= _MOST
