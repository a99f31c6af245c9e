"""Consolidation with a language model: it says which observations to make, change and delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from recalld.consolidate.changes import Changes, Matter, Wanted, answer_schema, read_changes
from recalld.consolidate.drafts import Consolidated, draft_of, fact_scopes
from recalld.consolidate.scopes import Scope
from recalld.domain.banks import Bank, BankConfig
from recalld.domain.errors import Contended
from recalld.domain.indexing import indexed_text
from recalld.encoders.http import all_of
from recalld.encoders.prompts import NO_MISSION, read_prompt, told
from recalld.encoders.protocols import ChatModel, EmbedPassages, TokenCounter
from recalld.store.engine import Database, WriteConnection
from recalld.store.queries.consolidation import (
    Statement,
    current_texts,
    observations_near,
    pending_facts,
    statements,
)
from recalld.store.writes.observation_texts import Wording, drop_observations, make_observation, reword
from recalld.store.writes.observations import stamp_consolidated
from recalld.store.writes.terms import lock_statistics

BATCH = 10
"""Facts the model sees at once, unless the bank says otherwise."""
MOST = 50
NEAREST = 20
"""Observations it sees beside them."""
ATTEMPTS = 5
"""Tries for facts that others keep changing while the model thinks."""


@dataclass(frozen=True, slots=True)
class ModelConsolidation:
    """Works in rounds of a few facts. What a round changes is written at once, or not at all."""

    database: Database
    model: ChatModel
    embed: EmbedPassages
    tokens: TokenCounter

    async def run(self, bank: Bank, config: BankConfig) -> Consolidated:
        """Consolidate every pending fact, earliest first. Raises ``EncoderFailed`` where the model fails."""
        total = Consolidated()
        while (done := await self._round(bank, config)) is not None:
            total = total.plus(done)
        return total

    async def _round(self, bank: Bank, config: BankConfig) -> Consolidated | None:
        """A few facts, in each of their scopes; ``None`` when none are left."""
        for _ in range(ATTEMPTS):
            facts, matters = await self._read(bank, config)
            if not facts:
                return None
            changes = await all_of(self._ask(config, matter) for matter in matters)
            wordings = await self._worded([one for change in changes for one in change.wanted])
            async with self.database.write() as connection:
                await lock_statistics(connection, bank.key)
                if await _unchanged(connection, bank.key, facts, matters):
                    done = await self._write(connection, bank, changes, wordings)
                    await stamp_consolidated(connection, bank.key, [fact.id for fact in facts])
                    return done.plus(Consolidated(facts=len(facts)))
        raise Contended("The memories kept changing while they were consolidated; try again.")

    async def _read(self, bank: Bank, config: BankConfig) -> tuple[list[Statement], list[Matter]]:
        most = min(bank.overrides.get("consolidation_llm_batch_size") or BATCH, MOST)
        async with self.database.write() as connection:
            facts = await pending_facts(connection, bank.key, most)
            by_scope: dict[Scope, list[Statement]] = {}
            for fact in facts:
                for scope in fact_scopes(fact, config):
                    by_scope.setdefault(scope, []).append(fact)
            matters = [
                Matter(
                    scope,
                    members,
                    await observations_near(
                        connection, bank.key, [one.id for one in members], scope, NEAREST
                    ),
                )
                for scope, members in by_scope.items()
            ]
        return facts, matters

    async def _ask(self, config: BankConfig, matter: Matter) -> Changes:
        prompt = read_prompt("recalld.consolidate", "consolidation")
        system = prompt.filled(mission=told(config.observations_mission) or NO_MISSION)
        done = await self.model.complete(system, matter.question, answer_schema())
        return read_changes(matter, done.answer)

    async def _worded(self, wanted: Sequence[Wanted]) -> dict[str, Wording]:
        """The texts that are new, in the form they are stored in."""
        texts = list(dict.fromkeys(one.text for one in wanted))
        embeddings = await self.embed(texts) if texts else []
        counts = self.tokens.count_many(texts)
        return {
            text: Wording(
                text,
                count,
                indexed_text(text, None, ()),
                embedding.vector.tolist(),
                embedding.tokens.tobytes(),
            )
            for text, count, embedding in zip(texts, counts, embeddings, strict=True)
        }

    async def _write(
        self,
        connection: WriteConnection,
        bank: Bank,
        changes: Sequence[Changes],
        wordings: Mapping[str, Wording],
    ) -> Consolidated:
        created = rewritten = 0
        for one in (one for change in changes for one in change.wanted):
            members = await statements(connection, bank.key, one.source_ids)
            draft = draft_of(one.before.id if one.before else uuid4(), one.scope, members)
            if one.before is None:
                created += 1
                await make_observation(connection, bank, draft, wordings[one.text])
            else:
                rewritten += 1
                await reword(connection, bank, draft, wordings[one.text])
        deleted = [id_ for change in changes for id_ in change.deleted]
        await drop_observations(connection, bank.key, deleted)
        return Consolidated(created=created, rewritten=rewritten, deleted=len(deleted))


async def _unchanged(
    connection: WriteConnection, bank_key: int, facts: Sequence[Statement], matters: Sequence[Matter]
) -> bool:
    """Whether the facts still wait, and everything still says what the model read."""
    read = {fact.id: fact.text for fact in facts}
    read |= {one.id: one.text for matter in matters for one in matter.observed}
    return await current_texts(connection, bank_key, list(read)) == read
