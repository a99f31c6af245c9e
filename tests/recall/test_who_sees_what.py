"""Whoever asks, and of whatever moment: no retriever finds what is not theirs to see, or not yet there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from recalld.bootstrap import Application
from recalld.domain.budget import estimated_tokens
from recalld.domain.visibility import visibility_tags, visible_to
from recalld.recall.types import ByDocument, RecallOutcome, RecallQuery, RetrieverName
from recalld.retain.types import RetainItem
from recalld.store.engine import fetch
from recalld.store.tables import memory_units

FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAYS = 40
IDENTITIES, AUDIENCES = ("ann", "ben", "cem"), ("team", "club")
QUERY = "Where did Ada live in March 2026?"


@dataclass(frozen=True, slots=True)
class Told:
    """A document of a random corpus; ``occurs`` if its fact is dated by when it happened."""

    day: int
    occurs: bool
    identity: str | None
    audience: str | None
    place: str

    @property
    def moment(self) -> datetime:
        return FIRST + timedelta(days=self.day)

    def item(self, number: int) -> RetainItem:
        return RetainItem(
            content=f"Ada lives in {self.place}.",
            document_id=str(number),
            timestamp=self.moment,
            entities=("Ada",),
            tags=visibility_tags(self.identity, self.audience),
            observation_scopes="combined",
        )


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, of which moment, and of which days."""

    identity: str
    as_of: int
    start: int | None
    end: int | None

    def sees(self, told: Told, audiences: set[str]) -> bool:
        """Whether a document is this viewer's to see."""
        owned = told.identity == self.identity or told.audience in audiences
        return told.day <= self.as_of and (owned or told.identity is told.audience is None)

    def query(self, bank_id: str, audiences: set[str]) -> RecallQuery:
        return RecallQuery(
            bank_id,
            QUERY,
            tags=visible_to(self.identity, sorted(audiences)),
            anchor=FIRST + timedelta(days=DAYS),
            as_of=FIRST + timedelta(days=self.as_of),
            occurred_from=None if self.start is None else FIRST + timedelta(days=self.start),
            occurred_to=None if self.end is None else FIRST + timedelta(days=self.end),
            by_document=ByDocument(estimated_tokens),
        )

    def in_window(self, told: Told) -> bool:
        after = self.start is None or told.day >= self.start
        return after and (self.end is None or told.day <= self.end)


DAY = st.integers(0, DAYS)
TOLD = st.builds(
    Told,
    DAY,
    st.booleans(),
    st.none() | st.sampled_from(IDENTITIES),
    st.none() | st.sampled_from(AUDIENCES),
    st.sampled_from(["Berlin", "Munich", "Rome", "Oslo"]),
)
VIEWERS = st.lists(
    st.builds(Viewer, st.sampled_from(IDENTITIES), DAY, st.none() | DAY, st.none() | DAY),
    min_size=3,
    max_size=6,
)


def audiences_of(identity: str, corpus: list[Told]) -> set[str]:
    return {told.audience for told in corpus if told.identity == identity and told.audience is not None}


async def filled(app: Application, corpus: list[Told]) -> str:
    """The id of a bank with the corpus and what is observed in it."""
    bank_id = f"seen-{uuid4()}"
    await app.retain.retain(bank_id, [told.item(number) for number, told in enumerate(corpus)])
    bank = await app.banks.get(bank_id)
    occurring = [str(number) for number, told in enumerate(corpus) if told.occurs]
    async with app.database.write() as connection:
        await connection.execute(
            update(memory_units)
            .where(memory_units.c.bank_key == bank.key, memory_units.c.document_id.in_(occurring))
            .values(occurred_start=memory_units.c.mentioned_at, mentioned_at=None)
        )
    await app.consolidation.consolidate(bank)
    return bank_id


async def documents_behind(app: Application, outcome: RecallOutcome, ids: set[str]) -> dict[str, set[int]]:
    """The documents each fact rests on, by fact id."""
    query = """
        SELECT unit.id::text, coalesce(source.document_id, unit.document_id)::integer
        FROM memory_units AS unit LEFT JOIN memory_units AS source
          ON source.bank_key = unit.bank_key AND source.id = ANY(unit.source_memory_ids)
        WHERE unit.bank_key = %(key)s AND unit.id = ANY(%(ids)s::uuid[])
    """
    async with app.database.read() as connection:
        rows = await fetch(connection, query, {"key": outcome.plan.bank.key, "ids": sorted(ids)})
    found: dict[str, set[int]] = {}
    for id_, document in rows:
        found.setdefault(id_, set()).add(document)
    return found


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TOLD, min_size=4, max_size=14), VIEWERS)
@pytest.mark.timeout(300)
async def test_no_retriever_finds_what_a_viewer_may_not_see(
    app: Application, corpus: list[Told], viewers: list[Viewer]
) -> None:
    bank_id = await filled(app, corpus)
    for viewer in viewers:
        audiences = audiences_of(viewer.identity, corpus)
        outcome = await app.recall.recall(viewer.query(bank_id, audiences))
        found = {fact.id for ranking in outcome.rankings for fact in ranking.facts}
        behind = await documents_behind(app, outcome, found)
        assert behind.keys() == found
        for documents in behind.values():
            assert all(viewer.sees(corpus[number], audiences) for number in documents), viewer
        expected = {
            number
            for number, told in enumerate(corpus)
            if viewer.sees(told, audiences) and viewer.in_window(told)
        }
        kept = [one.memory for one in outcome.selection.kept]
        assert {int(one.document_id) for one in kept if one.document_id} == expected
        for fact, moment in outcome.superseded.items():
            (number,) = behind[fact]
            rivals = [told for told in corpus if viewer.sees(told, audiences) and told.moment == moment]
            assert corpus[number].moment < moment
            assert any(told.place != corpus[number].place for told in rivals)


async def test_the_corpora_make_every_retriever_work(app: Application) -> None:
    corpus = [
        Told(day, day % 2 == 0, "ann", None, place)
        for day, place in enumerate(["Berlin", "Munich", "Rome"] * 10)
    ]
    bank_id = await filled(app, corpus)
    outcome = await app.recall.recall(Viewer("ann", DAYS, None, None).query(bank_id, set()))
    assert {one.retriever for one in outcome.rankings if one.facts} == set(RetrieverName)
    assert any(scored.memory.source_ids for scored in outcome.reranked.scored)
