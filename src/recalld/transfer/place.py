"""Where a document of an archive goes in the bank, which may have it already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recalld.store.engine import Database, ReadConnection
from recalld.store.queries.transfer import whole_documents
from recalld.transfer.draft import Whole, fingerprint, other_ids, same_statement
from recalld.transfer.report import OnConflict
from recalld.transfer.stored import as_whole


@dataclass(frozen=True, slots=True)
class Goal:
    """A document and the id it has in the bank.

    ``there`` is what the bank has under that id, to be replaced or left; ``is_done`` says that this import
    has written it before.
    """

    whole: Whole
    target: str
    there: Whole | None = None
    replaces: bool = False
    is_done: bool = False

    @property
    def is_to_be_written(self) -> bool:
        """Whether it is written now."""
        return not self.is_done and (self.there is None or self.replaces)


async def decide(
    database: Database,
    bank_key: int,
    wholes: Sequence[Whole],
    on_conflict: OnConflict,
    done: Collection[str],
) -> list[Goal]:
    """A goal for each document. One that the bank has as it is needs no writing, whatever the policy."""
    async with database.read() as connection:
        known = await whole_documents(connection, bank_key, [one.document.id for one in wholes])
        there = {id_: as_whole(stored) for id_, stored in known.items()}
        return [await _goal((connection, bank_key), one, on_conflict, there, done) for one in wholes]


async def _goal(
    bank: tuple[ReadConnection, int],
    one: Whole,
    on_conflict: OnConflict,
    there: Mapping[str, Whole],
    done: Collection[str],
) -> Goal:
    own = one.document.id
    if own in done:
        return Goal(one, own, is_done=True)
    found = there.get(own)
    if found is None:
        return Goal(one, own)
    mark = fingerprint(one)
    if on_conflict is OnConflict.SKIP or fingerprint(found) == mark:
        return Goal(one, own, found)
    if on_conflict is OnConflict.REPLACE:
        return Goal(one, own, found, replaces=True)
    return await _under_another_id(bank, one, mark, done)


async def _under_another_id(
    bank: tuple[ReadConnection, int], one: Whole, mark: bytes, done: Collection[str]
) -> Goal:
    connection, bank_key = bank
    for id_ in other_ids(one.document.id, mark):
        if id_ in done:
            return Goal(one, id_, is_done=True)
        stored = (await whole_documents(connection, bank_key, [id_])).get(id_)
        if stored is None:
            return Goal(one, id_)
        found = as_whole(stored)
        if fingerprint(found) == mark:
            return Goal(one, id_, found)
    return Goal(one, id_, found)


def facts_there(goal: Goal) -> list[str | None]:
    """For each fact of the archive's document the id of the same fact in the bank's."""
    if goal.there is None:
        return []
    ids: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for fact in goal.there.document.facts:
        if fact.source_id is not None:
            ids[same_statement(fact)].append(fact.source_id)
    found: list[str | None] = []
    for fact in goal.whole.document.facts:
        same = ids[same_statement(fact)]
        found.append(same.pop(0) if same else None)
    return found
