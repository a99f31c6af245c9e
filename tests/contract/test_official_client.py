"""The official Python client asks for everything it can, by its wrapper and by its models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException, NotFoundException
from hindsight_client_api.models.recall_request import RecallRequest

from tests.contract.walk import STEPS, Json, Step


@pytest.fixture(scope="module")
async def hindsight(server: str) -> AsyncIterator[Hindsight]:
    """The official client."""
    client: Any = Hindsight(base_url=server, timeout=10)
    yield client
    await client.aclose()


def as_arguments(body: Json) -> Json:
    """A recall's body as the wrapper's arguments."""
    arguments = {**body, "include_entities": True}
    include = arguments.pop("include", {})
    if "entities" in include:
        arguments["include_entities"] = include["entities"] is not None
    names = {"entities": "entity", "chunks": "chunk", "source_facts": "source_facts"}
    for part, options in include.items():
        if options is not None:
            arguments[f"include_{part}"] = True
            arguments[f"max_{names[part]}_tokens"] = options["max_tokens"]
    return arguments


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
async def test_the_wrapper(hindsight: Hindsight, walked: str, step: Step) -> None:
    async def ask(body: Json) -> Json:
        answer = await hindsight.arecall(walked, **as_arguments(body))
        found: Json = answer.to_dict()
        return found

    await step(ask)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
async def test_the_models(hindsight: Hindsight, walked: str, step: Step) -> None:
    async def ask(body: Json) -> Json:
        request = RecallRequest.from_dict(body)
        assert request is not None
        answer = await hindsight.memory.recall_memories(walked, request)
        found: Json = answer.to_dict()
        return found

    await step(ask)


async def test_a_life_of_a_bank(hindsight: Hindsight) -> None:
    bank_id = f"official-{uuid4()}"
    assert (await hindsight.aget_version()).api_version == "1.1.0"
    assert (await hindsight.acreate_bank(bank_id, name="Official")).name == "Official"
    stored = await hindsight.aretain(
        bank_id, "Carol sails to Malta.", entities=[{"text": "Carol"}], tags=["sea"]
    )
    assert (stored.success, stored.items_count) == (True, 1)
    (fact,) = (await hindsight.arecall(bank_id, "Where does Carol sail?")).results
    assert (fact.text, fact.tags, fact.entities) == ("Carol sails to Malta.", ["sea"], None)
    assert fact.scores is not None
    assert fact.scores.final > 0
    assert (await hindsight.adelete_bank(bank_id)).success
    with pytest.raises(NotFoundException):
        await hindsight.arecall(bank_id, "Where does Carol sail?")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ({"query": "?!"}, 422),
        ({"types": ["nonsense"]}, 422),
        ({"tags": ["a"], "tag_groups": [{"tags": ["a"]}]}, 422),
        ({"query": "word " * 600}, 400),
        ({"query_timestamp": "some day"}, 400),
    ],
    ids=str,
)
async def test_refusals_are_exceptions_with_the_reason(
    hindsight: Hindsight, walked: str, arguments: dict[str, Any], status: int
) -> None:
    with pytest.raises(ApiException, match="detail") as refusal:
        await hindsight.arecall(walked, **{"query": "Alice", **arguments})
    assert refusal.value.status == status
