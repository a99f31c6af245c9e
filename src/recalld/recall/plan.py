"""Plan: what is asked, where, about which time, and how deep to look."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from recalld.domain.banks import Bank, BankConfig
from recalld.domain.errors import BankNotFound, InvalidRequest
from recalld.domain.filters import FactFilter
from recalld.domain.fuzzy_tags import MAX_VOCABULARY, is_fuzzy, resolve_fuzzy
from recalld.domain.memory import FactType
from recalld.domain.tags import TagNode
from recalld.domain.text import QueryTerm, scrub
from recalld.domain.time import TimeWindow, as_utc
from recalld.encoders.protocols import TokenCounter
from recalld.recall.types import EmbedQuery, Knowledge, QueryPlan, RecallQuery

FACTS = (FactType.WORLD, FactType.EXPERIENCE)
FindWindow = Callable[[str, datetime], TimeWindow | None]


@dataclass(frozen=True, slots=True)
class QueryLimit:
    """The longest query in tokens (0: none), and whether a longer one is cut or refused (D2)."""

    tokens: TokenCounter
    max_tokens: int = 500
    truncate: bool = False

    def cut(self, text: str) -> str:
        """The part of the query within the limit."""
        if not self.max_tokens or len(text) <= self.max_tokens:
            return text
        return self.tokens.truncate(text, self.max_tokens)

    def check(self, text: str) -> None:
        """Raise ``InvalidRequest`` naming both numbers for a longer query, unless such are cut."""
        if not self.truncate and self.cut(text) != text:
            count = self.tokens.count(text)
            raise InvalidRequest(f"Query has {count} tokens, more than the limit of {self.max_tokens}.")


@dataclass(frozen=True, slots=True)
class Planner:
    """Turns a ``RecallQuery`` into a ``QueryPlan``."""

    knowledge: Knowledge
    embed: EmbedQuery
    find_window: FindWindow
    limit: QueryLimit
    defaults: BankConfig
    without_scores: str | None = None

    async def plan(self, query: RecallQuery) -> QueryPlan:
        """The plan, or ``BankNotFound``: an unknown bank is never created (D5)."""
        whole = scrub(query.text)
        text = self.limit.cut(whole)
        embedding = asyncio.ensure_future(self.embed(text))
        try:
            bank, terms = await self._look_up(query.bank_id, text)
            tags = await self._literal_tags(query.tags, bank)
            config = self.defaults.override(bank.overrides)
            types = await self._types(query, bank, config)
            self._check_floors(query, config)
            if not query.cut_if_long:
                self.limit.check(whole)
        except BaseException:
            embedding.cancel()
            raise
        anchor = query.anchor or datetime.now(UTC)
        return QueryPlan(
            bank=bank,
            config=config,
            query=query,
            text=text,
            truncated=text != whole,
            facts=_facts(bank, query, types, tags),
            now=as_utc(anchor),
            window=self._window(query, text, config, anchor),
            embedding=await embedding,
            terms=terms,
            depth=config.budget.depth(query.budget, query.max_tokens),
            fell_back=types != query.types,
        )

    async def confirm(self, plan: QueryPlan) -> None:
        """Raise ``BankNotFound`` when the bank was deleted in the meantime: its emptiness is no answer."""
        bank, _ = await self._look_up(plan.query.bank_id, "")
        if bank.key != plan.bank.key:
            raise BankNotFound(plan.query.bank_id)

    async def _look_up(self, bank_id: str, text: str) -> tuple[Bank, tuple[QueryTerm, ...]]:
        known = await self.knowledge.look_up(bank_id, text)
        if known is None:
            raise BankNotFound(bank_id)
        return known

    async def _types(self, query: RecallQuery, bank: Bank, config: BankConfig) -> tuple[FactType, ...]:
        """The types asked for; where the bank wants that and has no observation, facts instead (D22)."""
        if not config.recall_observation_fallback or query.types != (FactType.OBSERVATION,):
            return query.types
        return query.types if await self.knowledge.has_observations(bank.key) else FACTS

    async def _literal_tags(self, tags: TagNode, bank: Bank) -> TagNode:
        """The filter over tags the bank has, where it asks for similar ones."""
        if not is_fuzzy(tags):
            return tags
        return resolve_fuzzy(tags, await self.knowledge.tags(bank.key, MAX_VOCABULARY + 1))

    def _check_floors(self, query: RecallQuery, config: BankConfig) -> None:
        """A floor on relevance needs a reranker that has one (D11)."""
        name = self.without_scores if config.enable_reranking else "rrf"
        if query.floors.reranker is not None and name is not None:
            raise InvalidRequest(
                f"min_scores.reranker is not supported with the '{name}' reranker: it orders results "
                "without a relevance in [0, 1], so a floor would only keep a share of them."
            )

    def _window(
        self, query: RecallQuery, text: str, config: BankConfig, anchor: datetime
    ) -> TimeWindow | None:
        """The caller's window beats the text; with temporal retrieval off there is none."""
        if not config.enable_temporal_retrieval:
            return None
        return query.window or self.find_window(text, anchor)


def _facts(bank: Bank, query: RecallQuery, types: tuple[FactType, ...], tags: TagNode) -> FactFilter:
    return FactFilter(
        bank_key=bank.key,
        types=types,
        tags=tags,
        as_of=query.as_of,
        occurred_from=query.occurred_from,
        occurred_to=query.occurred_to,
    )
