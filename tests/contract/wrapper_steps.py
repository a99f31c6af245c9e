"""One step for each method of the official wrapper that needs no LLM: call it, look at what it did."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import NotFoundException

from recalld.domain.bank_settings import KINDS
from tests.contract.official_client import Caller, wrapper_step
from tests.fixtures.operations import work_off

SAILS, BAKES, OLD = "Carol sails to Malta.", "Dave bakes rye bread.", "Carol had a dinghy."
PICTURE = "iVBORw=="
SETTINGS: dict[str, Any] = {
    "reflect_mission": "Sail",
    "retain_mission": "Ships",
    "retain_extraction_mode": "verbatim",
    "retain_custom_instructions": "Note every harbour.",
    "retain_chunk_size": 700,
    "retain_structured_chunk_size": 900,
    "retain_max_attachments_per_chunk": 3,
    "enable_observations": True,
    "observations_mission": "What is at sea?",
    "enable_text_search": False,
    "enable_temporal_retrieval": False,
    "enable_graph_retrieval": False,
    "enable_reranking": False,
    "disposition_skepticism": 5,
    "disposition_literalism": 1,
    "disposition_empathy": 2,
}
"""What can be set while the bank is created."""


async def texts(call: Caller, **options: Any) -> list[str]:
    """Texts of a list of memories."""
    return sorted(row.text for row in (await call("list_memories", call.bank_id, **options)).items)


async def settings(call: Caller) -> dict[str, Any]:
    """The bank's settings."""
    config: dict[str, Any] = (await call("get_bank_config", call.bank_id))["config"]
    return config


async def filled(call: Caller) -> None:
    """Give the bank two memories."""
    await call(
        "retain_batch",
        call.bank_id,
        [
            {"content": SAILS, "document_id": "ship", "tags": ["sea"], "entities": [{"text": "Carol"}]},
            {"content": BAKES, "document_id": "loaf", "timestamp": "2026-03-01T10:00:00Z"},
        ],
    )


@wrapper_step
async def get_version(call: Caller) -> None:
    version = await call("get_version")
    assert version.api_version == "1.1.0"
    assert version.features.bank_config_api


@wrapper_step
async def create_bank(call: Caller) -> None:
    profile = await call("create_bank", call.bank_id, name="Harbour", **SETTINGS)
    assert (profile.bank_id, profile.name, profile.mission) == (call.bank_id, "Harbour", "Sail")
    assert profile.disposition.to_dict() == {"skepticism": 5, "literalism": 1, "empathy": 2}
    assert SETTINGS.items() <= (await settings(call)).items()
    legacy = {"skepticism": 2, "literalism": 3, "empathy": 4}
    changed = await call("create_bank", call.bank_id, background="Row", disposition=legacy)
    assert (changed.name, changed.mission, changed.disposition.to_dict()) == ("Harbour", "Row", legacy)


@wrapper_step
async def set_mission(call: Caller) -> None:
    assert (await call("set_mission", call.bank_id, "Dive")).mission == "Dive"
    assert (await settings(call))["reflect_mission"] == "Dive"
    assert (await call("set_mission", call.bank_id, "")).mission == ""


@wrapper_step
async def set_reflect_mission(call: Caller) -> None:
    assert (await call("set_reflect_mission", call.bank_id, "Swim")).mission == "Swim"
    assert (await settings(call))["reflect_mission"] == "Swim"


@wrapper_step
async def retain(call: Caller) -> None:
    stored = await call(
        "retain",
        call.bank_id,
        SAILS,
        timestamp=datetime(2026, 5, 4, 10, tzinfo=UTC),
        context="a postcard",
        document_id="ship",
        metadata={"source": "post"},
        entities=[{"text": "Carol", "type": "PERSON"}, {"text": "Malta"}],
        resolve_entities=False,
        tags=["sea"],
        observation_scopes=[["sea"]],
        strategy="unheard of",
    )
    assert (stored.success, stored.bank_id, stored.items_count) == (True, call.bank_id, 1)
    assert (stored.var_async, stored.operation_id, stored.usage.total_tokens) == (False, None, 0)
    (fact,) = (await call("recall", call.bank_id, "Where does Carol sail?", include_entities=True)).results
    assert (fact.text, fact.context, fact.document_id) == (SAILS, "a postcard", "ship")
    assert (fact.metadata, fact.tags) == ({"source": "post"}, ["sea"])
    assert sorted(fact.entities) == ["Carol", "Malta"]
    assert datetime.fromisoformat(fact.mentioned_at) == datetime(2026, 5, 4, 10, tzinfo=UTC)
    await call("retain", call.bank_id, BAKES, document_id="ship", update_mode="append")
    assert await texts(call, document_id="ship") == [f"{SAILS}\n{BAKES}"]
    blocks = [{"type": "text", "text": "At sea."}, {"type": "image", "source": picture()}]
    await call("retain", call.bank_id, blocks, timestamp="unset", update_mode="replace", document_id="ship")
    (seen,) = (await call("recall", call.bank_id, "at sea")).results
    assert (seen.mentioned_at, seen.attachments[0].media_type) == (None, "image/png")
    queued = await call("retain", call.bank_id, OLD, retain_async=True, operation_id=(id_ := str(uuid4())))
    assert (queued.var_async, queued.operation_id, queued.usage) == (True, id_, None)
    assert OLD not in await texts(call)
    await work_off(call.app)
    assert OLD in await texts(call)


def picture() -> dict[str, str]:
    """The source of an image's block."""
    return {"type": "base64", "media_type": "image/png", "data": PICTURE}


@wrapper_step
async def retain_batch(call: Caller) -> None:
    items = [
        {"content": SAILS, "tags": ["sea"], "timestamp": "2026-05-04", "observation_scopes": "per_tag"},
        {"content": BAKES, "document_id": "loaf", "entities": [{"text": "Dave"}], "metadata": {"a": "b"}},
    ]
    stored = await call("retain_batch", call.bank_id, items, document_id="ship", document_tags=["all"])
    assert (stored.success, stored.items_count, stored.operation_ids) == (True, 2, None)
    rows = {row.document_id: row for row in (await call("list_memories", call.bank_id)).items}
    assert {name: row.text for name, row in rows.items()} == {"ship": SAILS, "loaf": BAKES}
    assert [sorted(rows[name].tags) for name in ("ship", "loaf")] == [["all", "sea"], ["all"]]
    again = [{"content": OLD, "strategy": "a"}, {"content": OLD, "strategy": "b"}]
    queued = await call("retain_batch", call.bank_id, again, retain_async=True)
    assert len(queued.operation_ids) == 2
    assert await work_off(call.app) == 2
    assert await texts(call, search_query="dinghy", type="world") == [OLD, OLD]


@wrapper_step
async def recall(call: Caller) -> None:
    await filled(call)
    answer = await call(
        "recall",
        call.bank_id,
        "Where does Carol sail?",
        types=["world"],
        max_tokens=1000,
        budget="low",
        trace=True,
        query_timestamp="2026-08-01T00:00:00Z",
        include_entities=True,
        max_entity_tokens=100,
        include_chunks=True,
        max_chunk_tokens=1000,
        include_source_facts=True,
        max_source_facts_tokens=100,
        tag_groups=[{"or": [{"tags": ["sea"]}, {"not": {"tags": ["land"]}}]}],
        prefer_observations=True,
        min_scores={"final": 0.0},
        temporal_window={"start": "2026-01-01T00:00:00Z", "end": "2026-12-31T00:00:00Z"},
    )
    best = answer.results[0]
    assert (best.text, best.entities, best.type) == (SAILS, ["Carol"], "world")
    assert answer.chunks[best.chunk_id].text == SAILS
    assert answer.entities["Carol"].canonical_name == "Carol"
    assert answer.trace["query"]["budget"] == 100
    assert answer.source_facts_truncated is False
    strict = await call("recall", call.bank_id, "bread and sails", tags=["sea"], tags_match="all_strict")
    assert [fact.text for fact in strict.results] == [SAILS]


@wrapper_step
async def list_memories(call: Caller) -> None:
    await call("update_bank_config", call.bank_id, enable_auto_consolidation=False)
    await filled(call)
    page = await call("list_memories", call.bank_id, limit=1, offset=1)
    assert (page.total, page.limit, page.offset, len(page.items)) == (2, 1, 1, 1)
    none = await call("list_memories", call.bank_id, limit=0)
    assert (none.total, none.items) == (2, [])
    found: list[tuple[dict[str, Any], list[str]]] = [
        ({"type": "world"}, [SAILS, BAKES]),
        ({"type": "observation"}, []),
        ({"search_query": "RYE"}, [BAKES]),
        ({"tags": ["sea"], "tags_match": "any_strict"}, [SAILS]),
        ({"tags": ["land"]}, [BAKES]),
        ({"document_id": "ship"}, [SAILS]),
        ({"state": "valid"}, [SAILS, BAKES]),
        ({"state": "invalidated"}, []),
        ({"consolidation_state": "pending"}, [SAILS, BAKES]),
        ({"consolidation_state": "failed"}, []),
        ({"time_field": "mentioned_at", "start_date": "2026-03-01", "end_date": "2026-03-02"}, [BAKES]),
        ({"entity_id": str(uuid4())}, []),
    ]
    for options, wanted in found:
        assert await texts(call, **options) == wanted, options


@wrapper_step
async def list_mental_models(call: Caller) -> None:
    await filled(call)
    page = await call("list_mental_models", call.bank_id, limit=3)
    assert (page.items, page.total, page.limit) == ([], 0, 3)


@wrapper_step
async def list_directives(call: Caller) -> None:
    await filled(call)
    assert (await call("list_directives", call.bank_id)).items == []


@wrapper_step
async def get_bank_config(call: Caller) -> None:
    await filled(call)
    answer = await call("get_bank_config", call.bank_id)
    assert (answer["bank_id"], answer["overrides"]) == (call.bank_id, {})
    assert answer["config"].keys() >= KINDS.keys()


@wrapper_step
async def update_bank_config(call: Caller) -> None:
    more = {
        "recall_prefer_observations": True,
        "recall_budget_fixed_low": 50,
        "mcp_enabled_tools": ["recall"],
    }
    changed = await call("update_bank_config", call.bank_id, **SETTINGS, **more)
    assert changed["overrides"] == {**SETTINGS, **more}
    options = inspect.signature(Hindsight.update_bank_config).parameters.keys() - {"self", "bank_id"}
    assert options <= (await settings(call)).keys()


@wrapper_step
async def reset_bank_config(call: Caller) -> None:
    await call("update_bank_config", call.bank_id, retain_chunk_size=700)
    answer = await call("reset_bank_config", call.bank_id)
    assert (answer["overrides"], answer["config"]["retain_chunk_size"]) == ({}, 500)


@wrapper_step
async def delete_bank(call: Caller) -> None:
    await filled(call)
    answer = await call("delete_bank", call.bank_id)
    assert answer.success
    assert answer.deleted_count >= 2
    with pytest.raises(NotFoundException, match="detail"):
        await call("list_memories", call.bank_id)
    assert (await call("delete_bank", call.bank_id)).deleted_count == 0
