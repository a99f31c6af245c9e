"""Steps for the generated methods about observations, as ``generated_steps`` has them for the rest."""

from __future__ import annotations

from typing import Any

from hindsight_client_api.models.bank_config_update import BankConfigUpdate
from hindsight_client_api.models.consolidation_request import ConsolidationRequest
from hindsight_client_api.models.retain_request import RetainRequest

from recalld.bootstrap import Application
from tests.contract.official_client import model_step
from tests.fixtures.operations import work_off

BERLIN, MUNICH = "Alice lives in Berlin.", "Alice lives in Munich."


async def say(client: Any, bank_id: str, day: int, text: str) -> None:
    """Retain what was said on a day."""
    item = {"content": text, "timestamp": f"2026-05-0{day}", "entities": [{"text": "Alice"}]}
    await client.memory.retain_memories(bank_id, RetainRequest.from_dict({"items": [item]}))


async def consolidate(client: Any, bank_id: str, app: Application) -> None:
    """Ask for it, and do the work."""
    queued = await client.banks.trigger_consolidation(bank_id, consolidation_request=ConsolidationRequest())
    await work_off(app)
    done = await client.operations.get_operation_status(bank_id, queued.operation_id)
    assert done.status == "completed"


async def observed(client: Any, bank_id: str, app: Application) -> str:
    """The id of an observation that was made of two memories."""
    settings = {"enable_observations": True, "enable_auto_consolidation": False}
    await client.banks.update_bank_config(bank_id, BankConfigUpdate(updates=settings))
    await say(client, bank_id, 1, BERLIN)
    await say(client, bank_id, 2, BERLIN)
    await consolidate(client, bank_id, app)
    (row,) = (await client.memory.list_memories(bank_id, type="observation")).items
    assert row.text == BERLIN
    id_: str = row.id
    return id_


@model_step
async def trigger_consolidation(client: Any, bank_id: str, app: Application) -> None:
    await observed(client, bank_id, app)
    first = await client.banks.trigger_consolidation(bank_id, consolidation_request=ConsolidationRequest())
    again = await client.banks.trigger_consolidation(bank_id)
    assert (again.operation_id, again.deduplicated) == (first.operation_id, True)
    await work_off(app)


@model_step
async def recover_consolidation(client: Any, bank_id: str, app: Application) -> None:
    await observed(client, bank_id, app)
    assert (await client.banks.recover_consolidation(bank_id)).retried_count == 0


@model_step
async def list_observation_scopes(client: Any, bank_id: str, app: Application) -> None:
    await observed(client, bank_id, app)
    page = await client.memory.list_observation_scopes(bank_id, limit=5)
    assert ([(scope.tags, scope.count) for scope in page.scopes], page.total) == ([([], 1)], 1)


@model_step
async def get_observation_history(client: Any, bank_id: str, app: Application) -> None:
    id_ = await observed(client, bank_id, app)
    await say(client, bank_id, 3, MUNICH)
    await consolidate(client, bank_id, app)
    answer = await client.memory.get_observation_history_without_preload_content(bank_id, id_)
    assert [version["previous_text"] for version in await answer.json()] == [BERLIN]
    await client.memory.get_observation_history(bank_id, id_)


@model_step
async def clear_observations(client: Any, bank_id: str, app: Application) -> None:
    await observed(client, bank_id, app)
    assert (await client.banks.clear_observations(bank_id)).deleted_count == 1
    assert (await client.memory.list_memories(bank_id)).total == 2


@model_step
async def clear_memory_observations(client: Any, bank_id: str, app: Application) -> None:
    await observed(client, bank_id, app)
    row = (await client.memory.list_memories(bank_id, type="world")).items[0]
    assert (await client.memory.clear_memory_observations(bank_id, row.id)).deleted_count == 1
