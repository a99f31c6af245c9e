"""Sets a bank up the way the archive's bank was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recalld.domain.bank_settings import LANGUAGE, MISSION, TRAIT, TRAITS, as_stored, checked
from recalld.domain.banks import Bank
from recalld.domain.errors import InvalidRequest
from recalld.store.engine import Database
from recalld.store.queries.banks import text_search_languages
from recalld.store.writes.banks import change_bank
from recalld.transfer.contents import BankRow


async def set_up(database: Database, bank: Bank, row: BankRow) -> list[str]:
    """Give the bank the name, mission, disposition and settings; returns names of settings not known here."""
    known, unknown = _sorted(row.config)
    async with database.read() as reading:
        if known.get(LANGUAGE) not in {None, *await text_search_languages(reading)}:
            unknown.append(LANGUAGE)
            del known[LANGUAGE]
    if bank.unit_count:
        known.pop(LANGUAGE, None)
    if row.mission:
        known[MISSION] = row.mission
    known |= {name: row.disposition[trait] for name, trait in TRAITS.items() if _has(row.disposition, trait)}
    columns, own = as_stored(known, bank.disposition)
    if row.name is not None:
        columns["name"] = row.name
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


def _has(disposition: Mapping[str, Any], trait: str) -> bool:
    return TRAIT.accepts(disposition.get(trait))
