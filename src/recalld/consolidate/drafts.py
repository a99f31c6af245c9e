"""What consolidation makes of facts: their scopes, the dates of an observation, and what a run did. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from recalld.consolidate.scopes import Scope, scopes_of
from recalld.domain.banks import BankConfig
from recalld.store.queries.consolidation import Statement
from recalld.store.writes.observations import ObservationDraft


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What a run did."""

    facts: int = 0
    created: int = 0
    rewritten: int = 0
    deleted: int = 0

    def plus(self, other: Consolidated) -> Consolidated:
        """Both together."""
        return Consolidated(
            self.facts + other.facts,
            self.created + other.created,
            self.rewritten + other.rewritten,
            self.deleted + other.deleted,
        )


def fact_scopes(fact: Statement, config: BankConfig) -> list[Scope]:
    """The scopes a fact counts in: as it says, or else as its bank does."""
    setting = config.default_observation_scopes if fact.scopes is None else fact.scopes
    return scopes_of(fact.tags, setting)


def draft_of(id_: UUID, scope: Scope, members: Sequence[Statement]) -> ObservationDraft:
    """An observation over the time of all its members; without a text of its own it repeats the newest."""
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
