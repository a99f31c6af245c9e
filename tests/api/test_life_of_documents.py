"""Documents through random lives: what was acknowledged is found by its words, what is gone never is."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from recalld.api.app import create_app
from recalld.bootstrap import application
from tests.fixtures.bank import Json, TestBank
from tests.fixtures.databases import settings_for
from tests.fixtures.variants import client_of

DOCUMENTS = ["a", "b/c", "ü d"]
FILLER = "nothing of note happened on the way to the market that morning. " * 6
"""About as long as a chunk, so that a document of several parts has several."""
KEYWORD_ONLY: Json = {"min_scores": {"semantic": 2.0}, "max_tokens": 100_000}


def part(word: str) -> str:
    return f"{word} was seen. {FILLER}"


async def found(bank: TestBank, word: str) -> list[str]:
    """Texts the keyword retriever finds for a word."""
    return [text for text in await bank.texts(word, **KEYWORD_ONLY) if word in text]


async def fact_with(bank: TestBank, word: str, state: str) -> str | None:
    """Id of the one fact that holds the word."""
    params = {"q": word, "state": state}
    items = (await bank.client.get(f"{bank.path}/memories/list", params=params)).json()["items"]
    assert len(items) <= 1
    return items[0]["id"] if items else None


async def curate(bank: TestBank, id_: str, state: str) -> None:
    response = await bank.client.patch(f"{bank.path}/memories/{id_}", json={"state": state})
    assert response.status_code == 200, response.text


class Life(RuleBasedStateMachine):
    """A bank of a few documents, and what it should hold."""

    portal: ClassVar[BlockingPortal]
    client: ClassVar[httpx.AsyncClient]

    def __init__(self) -> None:
        super().__init__()
        self.bank = TestBank(self.client, f"life-{uuid4()}")
        self.words: dict[str, list[str]] = {}
        self.hidden: set[str] = set()
        self.gone: set[str] = set()
        self.count = 0

    def run(self, function: Any, *args: Any) -> Any:
        return self.portal.call(function, *args)

    def word(self) -> str:
        self.count += 1
        return f"zq{self.count}x{uuid4().hex[:6]}"

    async def _retain(self, document: str, words: list[str], mode: str) -> None:
        content = "\n".join(part(word) for word in words)
        await self.bank.retain({"content": content, "document_id": document, "update_mode": mode})

    @initialize()
    def start(self) -> None:
        self.run(self._configure)

    async def _configure(self) -> None:
        off = {"enable_graph_retrieval": False, "enable_temporal_retrieval": False}
        assert (await self.client.put(self.bank.path, json=off)).status_code == 200

    @rule(document=st.sampled_from(DOCUMENTS), parts=st.integers(1, 3))
    def replace(self, document: str, parts: int) -> None:
        words = [self.word() for _ in range(parts)]
        self.run(self._retain, document, words, "replace")
        self._forget(document)
        self.words[document] = words
        self.check(document)

    @rule(document=st.sampled_from(DOCUMENTS))
    def append(self, document: str) -> None:
        word = self.word()
        self.run(self._retain, document, [word], "append")
        # Where a chunk changed, its fact is a new one, and nobody has invalidated that.
        changed = {w for w in self.words.get(document, []) if w in self.hidden and self._is_valid(w)}
        self.hidden -= changed
        self.words.setdefault(document, []).append(word)
        self.check(document)

    @precondition(lambda self: self.words)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        document = data.draw(st.sampled_from(sorted(self.words)))
        self.run(self._delete, document)
        self._forget(document)
        self.check(document)

    async def _delete(self, document: str) -> None:
        path = f"{self.bank.path}/documents/{quote(document)}"
        assert (await self.client.delete(path)).status_code == 200

    @precondition(lambda self: set().union(*self.words.values()) - self.hidden)
    @rule(data=st.data())
    def invalidate(self, data: st.DataObject) -> None:
        word = data.draw(st.sampled_from(sorted(set().union(*self.words.values()) - self.hidden)))
        self.run(self._set_state, word, "valid", "invalidated")
        for others in self.words.values():
            if word in others:
                self.hidden |= {other for other in others if not self._is_valid(other)}
        assert word in self.hidden

    @precondition(lambda self: self.hidden)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        word = data.draw(st.sampled_from(sorted(self.hidden)))
        self.run(self._set_state, word, "invalidated", "valid")
        self.hidden = {other for other in self.hidden if not self._is_valid(other)}
        assert word not in self.hidden
        assert self.run(found, self.bank, word)

    async def _set_state(self, word: str, before: str, after: str) -> None:
        id_ = await fact_with(self.bank, word, before)
        assert id_ is not None
        await curate(self.bank, id_, after)

    def _is_valid(self, word: str) -> bool:
        return self.run(fact_with, self.bank, word, "valid") is not None

    def _forget(self, document: str) -> None:
        words = set(self.words.pop(document, []))
        self.gone |= words
        self.hidden -= words

    def check(self, document: str) -> None:
        for word in self.words.get(document, []):
            assert bool(self.run(found, self.bank, word)) is (word not in self.hidden), word
        for word in sorted(self.gone)[-3:]:
            assert self.run(found, self.bank, word) == []

    def teardown(self) -> None:
        for document in DOCUMENTS:
            self.check(document)
        for word in self.gone:
            assert self.run(found, self.bank, word) == []


@contextmanager
def living(database_url: str) -> Iterator[None]:
    """The machine's server, on an event loop in a thread of its own."""
    with start_blocking_portal() as portal:
        small = settings_for(database_url, worker_enabled=False)
        with portal.wrap_async_context_manager(application(small)) as app:
            web = create_app(running=app)
            with (
                portal.wrap_async_context_manager(web.router.lifespan_context(web)),
                portal.wrap_async_context_manager(client_of(web)) as client,
            ):
                Life.portal, Life.client = portal, client
                yield


@pytest.mark.timeout(300)
def test_random_lives_of_documents(database_url: str) -> None:
    with living(database_url):
        run_state_machine_as_test(
            Life, settings=settings(max_examples=12, stateful_step_count=15, deadline=None)
        )


async def test_eight_writers_on_one_document_lose_no_append(bank: TestBank) -> None:
    randomness = random.Random(8)
    acknowledged: list[str] = []

    async def write(writer: int) -> None:
        for turn in range(4):
            word = f"zw{writer}t{turn}x{uuid4().hex[:6]}"
            item = {"content": part(word), "document_id": "d", "update_mode": "append"}
            await asyncio.sleep(randomness.random() / 50)
            response = await bank.post_items(item)
            if response.status_code == 200:
                acknowledged.append(word)
            else:
                assert response.status_code == 409, response.text

    await asyncio.gather(*(write(writer) for writer in range(8)))
    document = (await bank.client.get(f"{bank.path}/documents/d")).json()["original_text"]
    for word in acknowledged:
        assert document.count(word) == 1
        assert len(await found(bank, word)) == 1
    assert document.count(" was seen.") == len(acknowledged)
    assert len(acknowledged) >= 8


async def test_eight_writers_that_append_and_replace_leave_what_the_document_says(bank: TestBank) -> None:
    words: list[str] = []

    async def write(writer: int) -> None:
        for turn in range(4):
            word = f"zv{writer}t{turn}x{uuid4().hex[:6]}"
            words.append(word)
            mode = "replace" if (writer + turn) % 4 == 0 else "append"
            await bank.post_items({"content": part(word), "document_id": "d", "update_mode": mode})

    await asyncio.gather(*(write(writer) for writer in range(8)))
    document = (await bank.client.get(f"{bank.path}/documents/d")).json()["original_text"]
    for word in words:
        assert document.count(word) <= 1
        assert len(await found(bank, word)) == document.count(word)
