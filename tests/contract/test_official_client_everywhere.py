"""The official Python client, 1.1.0: every method that needs no LLM does here what it promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from recalld.bootstrap import Application
from tests.contract import (
    archive_model_steps,
    archive_steps,
    generated_steps,
    observation_steps,
    wrapper_steps,
)
from tests.contract.official_client import (
    LIFE,
    MODEL_STEPS,
    OURS,
    WRAPPER_STEPS,
    Caller,
    generated_methods,
    wrapper_methods,
)
from tests.fixtures.bank import Json

STEP_MODULES = (archive_model_steps, archive_steps, generated_steps, observation_steps, wrapper_steps)
"""Imported for the steps they add."""
pytestmark = pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning:hindsight_client_api")
ID = "00000000-0000-4000-8000-000000000000"
LLM, PAGES, LATER = "needs an LLM", "pages are written by an LLM", "not served yet"
REFUSED: dict[str, tuple[str, Json, int]] = {
    "reflect": (LLM, {"query": "Who sails?"}, 400),
    "create_mental_model": (LLM, {"name": "a", "source_query": "b"}, 501),
    "get_mental_model": (LLM, {"mental_model_id": ID}, 404),
    "get_mental_model_history": (LLM, {"mental_model_id": ID}, 404),
    "update_mental_model": (LLM, {"mental_model_id": ID, "name": "a"}, 404),
    "refresh_mental_model": (LLM, {"mental_model_id": ID}, 404),
    "dry_run_refresh_mental_model": (LLM, {"mental_model_id": ID}, 404),
    "clear_mental_model": (LLM, {"mental_model_id": ID}, 404),
    "delete_mental_model": (LLM, {"mental_model_id": ID}, 404),
    "create_directive": (LLM, {"name": "a", "content": "b"}, 501),
    "get_directive": (LLM, {"directive_id": ID}, 404),
    "update_directive": (LLM, {"directive_id": ID, "name": "a"}, 404),
    "delete_directive": (LLM, {"directive_id": ID}, 404),
    "get_knowledge_base_tree": (PAGES, {}, 501),
    "create_knowledge_folder": (PAGES, {"name": "a"}, 501),
    "create_knowledge_page": (PAGES, {"name": "a", "source_query": "b"}, 501),
    "get_knowledge_page": (PAGES, {"page_id": ID}, 501),
    "search_knowledge_base": (PAGES, {"q": "a"}, 501),
    "update_knowledge_node": (PAGES, {"node_id": ID, "name": "a"}, 501),
    "delete_knowledge_node": (PAGES, {"node_id": ID}, 501),
    "export_knowledge_base": (PAGES, {}, 501),
    "retain_files": (LATER, {"files": [__file__]}, 404),
}
"""What is refused: why, the arguments besides the bank, and the status."""


@pytest.fixture(scope="module")
async def official(server: str) -> AsyncIterator[Any]:
    """The client, for its async methods."""
    client: Any = Hindsight(base_url=f"{server}/", timeout=10)
    yield client
    await client.aclose()


@pytest.fixture(params=["waiting", "async"])
async def call(
    request: pytest.FixtureRequest, server: str, official: Any, app: Application
) -> AsyncIterator[Caller]:
    """The wrapper on a bank that nobody else knows, by its waiting methods or by their twins."""
    bank_id = f"official é {uuid4()}"
    if request.param == "async":
        yield Caller(official, bank_id, app)
        return
    with closing(asyncio.new_event_loop()) as loop, ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.set_event_loop, loop).result()
        caller = Caller(Hindsight(base_url=server, timeout=10), bank_id, app, thread)
        yield caller
        thread.submit(caller.client.close).result()


@pytest.mark.parametrize("name", WRAPPER_STEPS)
async def test_the_wrapper(call: Caller, name: str) -> None:
    await WRAPPER_STEPS[name](call)
    assert name in call.called


@pytest.mark.parametrize("name", REFUSED)
async def test_the_wrapper_hands_on_a_refusal(call: Caller, name: str) -> None:
    await call("create_bank", call.bank_id)
    _, arguments, status = REFUSED[name]
    with pytest.raises(ApiException) as refusal:
        await call(name, call.bank_id, **arguments)
    assert refusal.value.status == status
    assert "detail" in str(refusal.value.body)


async def test_suspended_retains_send_nothing(call: Caller) -> None:
    await call("create_bank", call.bank_id)
    with call.client.suspend_retains():
        if call.thread is None:
            assert (await call("retain", call.bank_id, "not stored")).items_count == 0
            assert (await call("retain_files", call.bank_id, [__file__])).operation_ids == []
        assert (await call("list_memories", call.bank_id)).total == 0
        assert (await call("recall", call.bank_id, "not stored")).results == []


async def test_settings_that_are_refused_are_an_error(call: Caller) -> None:
    with pytest.raises(aiohttp.ClientResponseError) as refusal:
        await call("update_bank_config", call.bank_id, retain_chunk_size=-1)
    assert refusal.value.status == 400


@pytest.mark.parametrize("name", MODEL_STEPS)
async def test_the_generated_methods(
    official: Any, app: Application, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    for group in (group for group, names in generated_methods().items() if name in names):
        api = getattr(official, group)
        method = getattr(api, name)

        async def spy(*arguments: Any, method: Any = method, **options: Any) -> Any:
            seen.append(name)
            return await method(*arguments, **options)

        monkeypatch.setattr(api, name, spy)
    await MODEL_STEPS[name](official, f"generated-{uuid4()}", app)
    assert seen


def test_every_method_of_the_wrapper_is_called() -> None:
    names = wrapper_methods() - LIFE
    known = WRAPPER_STEPS.keys() | REFUSED.keys()
    assert names == known | {f"a{name}" for name in known}
    assert not WRAPPER_STEPS.keys() & REFUSED.keys()


def test_every_generated_method_that_we_serve_is_called() -> None:
    assert MODEL_STEPS.keys() == OURS & set().union(*generated_methods().values())
