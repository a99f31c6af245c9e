"""From facts of the asked time along links: how far, how strongly, and never out of the filters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from recalld.bootstrap import Application
from recalld.domain.filters import FactFilter
from recalld.domain.memory import FactType
from recalld.domain.tags import TagLeaf
from recalld.store.queries.temporal import WindowSearch, linked_facts
from tests.fixtures.bank import TestBank
from tests.fixtures.encoders import bundled
from tests.fixtures.facts import add_fact, add_link, bank_key
from tests.fixtures.values import window

MAY = window("2026-05-01", "2026-05-31")
INSIDE, OUTSIDE = datetime(2026, 5, 5, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)


class Story:
    """Facts by name, and what is reached from some of them."""

    def __init__(self, app: Application, bank_id: str) -> None:
        self.app, self.bank_id = app, bank_id
        self.ids: dict[str, str] = {}

    async def fact(self, name: str, when: datetime | None = INSIDE, **columns: Any) -> None:
        text = f"The story tells of {name}."
        self.ids[name] = await add_fact(self.app, self.bank_id, text, mentioned_at=when, **columns)

    async def link(self, start: str, end: str, kind: str = "caused_by", weight: float = 1.0) -> None:
        await add_link(self.app, self.bank_id, (self.ids[start], self.ids[end]), kind, weight)

    async def reached(self, *seeds: str, floor: float = -1.0, **filters: Any) -> dict[str, float]:
        facts = FactFilter(await bank_key(self.app, self.bank_id), **filters)
        vector = bundled(self.app).embed_query("The story").vector
        search = WindowSearch(np.asarray(vector), MAY, 100, floor)
        async with self.app.database.read() as connection:
            found = await linked_facts(connection, facts, search, {self.ids[s]: 1.0 for s in seeds})
        names = {id_: name for name, id_ in self.ids.items()}
        return {names[fact.id]: path for fact, path in found}


@pytest.fixture
def story(app: Application, bank: TestBank) -> Story:
    """An empty story."""
    return Story(app, bank.bank_id)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("caused_by", 0.7), ("causes", 0.7), ("enables", 0.525), ("prevents", 0.525), ("temporal", 0.35)],
)
async def test_a_kind_of_link_weighs_what_it_means(story: Story, kind: str, expected: float) -> None:
    for name in ("seed", "other"):
        await story.fact(name)
    await story.link("seed", "other", kind, 0.5)
    assert await story.reached("seed") == {"other": pytest.approx(expected)}


async def test_causes_are_found_outside_the_window_and_both_ways(story: Story) -> None:
    await story.fact("effect")
    await story.fact("cause", OUTSIDE)
    await story.link("effect", "cause")
    assert await story.reached("effect") == {"cause": pytest.approx(1.4)}
    assert await story.reached("cause") == {"effect": pytest.approx(1.4)}


async def test_f15_a_neighbour_in_time_has_to_lie_in_the_window(story: Story) -> None:
    await story.fact("seed")
    await story.fact("near")
    await story.fact("far", OUTSIDE)
    await story.link("seed", "near", "temporal")
    await story.link("seed", "far", "temporal")
    assert set(await story.reached("seed")) == {"near"}


async def test_two_links_are_followed_and_the_best_path_counts(story: Story) -> None:
    for name in ("seed", "middle", "end", "beyond"):
        await story.fact(name)
    await story.link("seed", "middle", weight=0.5)
    await story.link("middle", "end", weight=0.5)
    await story.link("seed", "end", "enables", 0.2)
    await story.link("end", "beyond")
    found = await story.reached("seed")
    assert found["middle"] == pytest.approx(0.7)
    assert found["end"] == pytest.approx(0.49)
    assert found["beyond"] == pytest.approx(0.2 * 1.5 * 0.7 * 2 * 0.7)


async def test_weak_paths_end(story: Story) -> None:
    for name in ("seed", "weak", "beyond", "feeble"):
        await story.fact(name)
    await story.link("seed", "weak", "temporal", 0.25)
    await story.link("weak", "beyond")
    await story.link("seed", "feeble", weight=0.05)
    assert set(await story.reached("seed")) == {"weak"}


async def test_seeds_semantic_links_and_other_banks_are_left_out(story: Story, app: Application) -> None:
    for name in ("seed", "second", "alike"):
        await story.fact(name)
    await story.link("seed", "second")
    await story.link("seed", "alike", "semantic")
    assert await story.reached("seed", "second") == {}


async def test_all_types_come_from_one_statement_and_filters_hold(story: Story) -> None:
    await story.fact("seed")
    await story.fact("event", fact_type=FactType.EXPERIENCE)
    await story.fact("tagged", tags=["t"])
    for name in ("event", "tagged"):
        await story.link("seed", name)
    assert set(await story.reached("seed")) == {"event", "tagged"}
    assert set(await story.reached("seed", types=(FactType.EXPERIENCE,))) == {"event"}
    assert set(await story.reached("seed", tags=TagLeaf(("t",)))) == {"tagged"}


async def test_what_has_nothing_to_do_with_the_query_is_left_out(story: Story) -> None:
    await story.fact("seed")
    await story.fact("other")
    await story.link("seed", "other")
    assert await story.reached("seed", floor=0.99) == {}
