"""Consolidation without a model: what is stated more than once becomes an observation, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from recalld.consolidate.scopes import Scope, scopes_of
from recalld.consolidate.statements import says_the_same
from recalld.domain.banks import Bank, BankConfig
from recalld.store.engine import Database, WriteConnection
from recalld.store.queries.consolidation import (
    Observed,
    Statement,
    observations_on,
    partners_of,
    pending_statements,
    statements,
)
from recalld.store.writes.links import link_pending
from recalld.store.writes.observations import (
    ObservationDraft,
    create_observation,
    rewrite_observation,
    stamp_consolidated,
)
from recalld.store.writes.terms import lock_statistics, reweigh_if_drifted

AT_ONCE = 50
"""Facts consolidated in one transaction."""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What a run did."""

    facts: int = 0
    created: int = 0
    rewritten: int = 0

    def plus(self, other: Consolidated) -> Consolidated:
        """Both together."""
        return Consolidated(
            self.facts + other.facts, self.created + other.created, self.rewritten + other.rewritten
        )


@dataclass(frozen=True, slots=True)
class ConsolidationService:
    """Makes observations of what a bank's facts have in common. Nothing in them is invented."""

    database: Database
    defaults: BankConfig
    dimension: int

    async def consolidate(self, bank: Bank) -> Consolidated:
        """Consolidate every pending fact, a few in each transaction."""
        config = self.defaults.override(bank.overrides)
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
                break
        if total.created or total.rewritten:
            await link_pending(self.database, bank.key, self.dimension)
            async with self.database.write() as connection:
                await reweigh_if_drifted(connection, bank.key)
        return total

    async def _one(
        self, connection: WriteConnection, bank_key: int, config: BankConfig, fact: Statement
    ) -> Consolidated:
        """One fact, in each of its scopes."""
        alike = [one for one in await partners_of(connection, bank_key, fact.id) if same_matter(fact, one)]
        done = Consolidated()
        for scope in _scopes(fact, config):
            group = [fact, *(one for one in alike if scope in _scopes(one, config))]
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


def draft_of(id_: UUID, scope: Scope, members: Sequence[Statement]) -> ObservationDraft:
    """An observation that says what the newest member says, over the time of all of them."""
    ordered = sorted(members, key=lambda one: (one.moment, one.id))
    starts = [one.occurred_start for one in ordered if one.occurred_start]
    ends = [one.occurred_end for one in ordered if one.occurred_end]
    mentions = [one.mentioned_at for one in ordered if one.mentioned_at]
    return ObservationDraft(
        id=id_,
        newest_id=ordered[-1].id,
        scope=scope,
        source_ids=[one.id for one in ordered],
        event_date=ordered[0].moment,
        occurred_start=min(starts, default=None),
        occurred_end=max(ends, default=None),
        mentioned_at=max(mentions, default=ordered[-1].moment),
    )


def _scopes(fact: Statement, config: BankConfig) -> list[Scope]:
    setting = config.default_observation_scopes if fact.scopes is None else fact.scopes
    return scopes_of(fact.tags, setting)


def _overlap(observed: Observed, group: Sequence[Statement]) -> int:
    return len(set(observed.source_ids) & {one.id for one in group})
