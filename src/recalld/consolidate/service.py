"""Consolidation: without a model, what is stated more than once becomes an observation, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from recalld.consolidate.drafts import Consolidated, draft_of, fact_scopes
from recalld.consolidate.llm import ModelConsolidation
from recalld.consolidate.scopes import Scope
from recalld.domain.banks import Bank, BankConfig
from recalld.domain.statements import says_the_same
from recalld.store.engine import Database, WriteConnection
from recalld.store.queries.consolidation import (
    Observed,
    Statement,
    observations_on,
    partners_of,
    pending_statements,
    statements,
)
from recalld.store.writes.observations import (
    create_observation,
    rewrite_observation,
    stamp_consolidated,
)
from recalld.store.writes.settle import settle
from recalld.store.writes.terms import lock_statistics

AT_ONCE = 50
"""Facts consolidated in one transaction."""


@dataclass(frozen=True, slots=True)
class ConsolidationService:
    """Makes observations of what a bank's facts have in common.

    ``model`` words them where there is one; else nothing in them is invented.
    """

    database: Database
    defaults: BankConfig
    dimension: int
    model: ModelConsolidation | None = None

    async def consolidate(self, bank: Bank) -> Consolidated:
        """Consolidate every pending fact, a few in each transaction."""
        config = self.defaults.override(bank.overrides)
        if self.model is None:
            total = await self._compare(bank, config)
        else:
            total = await self.model.run(bank, config)
        if total != Consolidated(facts=total.facts):
            await settle(self.database, bank.key, self.dimension)
        return total

    async def _compare(self, bank: Bank, config: BankConfig) -> Consolidated:
        """Every pending fact, by what its statement has in common with others."""
        total = Consolidated()
        while True:
            async with self.database.write() as connection:
                await lock_statistics(connection, bank.key)
                batch = await pending_statements(connection, bank.key, AT_ONCE)
                for fact in batch.in_company:
                    total = total.plus(await self._one(connection, bank.key, config, fact))
                await stamp_consolidated(connection, bank.key, batch.ids)
                total = total.plus(Consolidated(facts=len(batch.ids)))
            if len(batch.ids) < AT_ONCE:
                return total

    async def _one(
        self, connection: WriteConnection, bank_key: int, config: BankConfig, fact: Statement
    ) -> Consolidated:
        """One fact, in each of its scopes."""
        alike = [one for one in await partners_of(connection, bank_key, fact.id) if same_matter(fact, one)]
        done = Consolidated()
        for scope in fact_scopes(fact, config):
            group = [fact, *(one for one in alike if scope in fact_scopes(one, config))]
            if len(group) > 1:
                done = done.plus(await _observe(connection, bank_key, scope, group))
        return done


async def _observe(
    connection: WriteConnection, bank_key: int, scope: Scope, group: Sequence[Statement]
) -> Consolidated:
    """Let the observation that rests on part of a group rest on all of it, or make a new one."""
    known = await observations_on(connection, bank_key, [one.id for one in group], scope)
    if not known:
        await create_observation(connection, bank_key, draft_of(uuid4(), scope, group))
        return Consolidated(created=1)
    observed = max(known, key=lambda one: _overlap(one, group))
    missing = set(observed.source_ids) - {one.id for one in group}
    members = [*group, *await statements(connection, bank_key, sorted(missing))]
    draft = draft_of(observed.id, scope, members)
    if set(draft.source_ids) == set(observed.source_ids):
        return Consolidated()
    await rewrite_observation(connection, bank_key, draft)
    return Consolidated(rewritten=1)


def same_matter(one: Statement, other: Statement) -> bool:
    """Whether two facts found for each other are one statement, or one takes the other's place."""
    earlier, later = sorted((one, other), key=lambda fact: (fact.moment, fact.id))
    return says_the_same(other.cosine, earlier.text, later.text)


def _overlap(observed: Observed, group: Sequence[Statement]) -> int:
    return len(set(observed.source_ids) & {one.id for one in group})
