"""One step for each generated method of the official client that leads to a route we serve."""

from __future__ import annotations

import base64
from typing import Any
from uuid import uuid4

from hindsight_client_api.models.bank_config_update import BankConfigUpdate
from hindsight_client_api.models.create_bank_alias_request import CreateBankAliasRequest
from hindsight_client_api.models.create_bank_request import CreateBankRequest
from hindsight_client_api.models.recall_request import RecallRequest
from hindsight_client_api.models.retain_request import RetainRequest
from hindsight_client_api.models.set_bank_alias_primary_request import SetBankAliasPrimaryRequest
from hindsight_client_api.models.update_document_request import UpdateDocumentRequest
from hindsight_client_api.models.update_memory_request import UpdateMemoryRequest

from recalld.bootstrap import Application
from tests.contract.official_client import model_step
from tests.fixtures.facts import add_observation
from tests.fixtures.operations import work_off

SAILS, BAKES, SEEN = "Carol sails to Malta.", "Dave bakes rye bread.", "Carol is at sea."
PNG = b"\x89PNG not really \x00\xff"
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()},
}


async def filled(client: Any, bank_id: str) -> None:
    """Give the bank two memories, one with a file."""
    items = [
        {"content": SAILS, "document_id": "ships/one", "tags": ["sea"], "entities": [{"text": "Carol"}]},
        {"content": [{"type": "text", "text": BAKES}, IMAGE], "document_id": "loaf", "tags": ["land"]},
    ]
    await client.memory.retain_memories(bank_id, RetainRequest.from_dict({"items": items}))


async def row_of(client: Any, bank_id: str, start: str = SAILS) -> Any:
    """The listed memory whose text begins so."""
    rows = (await client.memory.list_memories(bank_id)).items
    return next(row for row in rows if row.text.startswith(start))


async def queued(client: Any, bank_id: str) -> str:
    """The id of an operation that waits."""
    body = {"items": [{"content": SAILS}], "async": True}
    answer = await client.memory.retain_memories(bank_id, RetainRequest.from_dict(body))
    id_: str = answer.operation_id
    return id_


@model_step
async def get_liveness(client: Any, bank_id: str, app: Application) -> None:
    assert (await client.monitoring.get_liveness()).status == "alive"


@model_step
async def get_readiness(client: Any, bank_id: str, app: Application) -> None:
    assert (await client.monitoring.get_readiness())["status"] == "healthy"


@model_step
async def health_endpoint_health_get(client: Any, bank_id: str, app: Application) -> None:
    assert (await client.monitoring.health_endpoint_health_get())["database"] == "connected"


@model_step
async def get_version(client: Any, bank_id: str, app: Application) -> None:
    assert (await client.monitoring.get_version()).api_version == "1.1.0"


@model_step
async def metrics_endpoint_metrics_get(client: Any, bank_id: str, app: Application) -> None:
    await client.monitoring.get_version()
    answer = await client.monitoring.metrics_endpoint_metrics_get_without_preload_content()
    assert b'endpoint="/version"' in await answer.read()
    await client.monitoring.metrics_endpoint_metrics_get()


@model_step
async def create_or_update_bank(client: Any, bank_id: str, app: Application) -> None:
    profile = await client.banks.create_or_update_bank(bank_id, CreateBankRequest(name="Harbour"))
    assert (profile.bank_id, profile.name, profile.mission) == (bank_id, "Harbour", "")


@model_step
async def update_bank(client: Any, bank_id: str, app: Application) -> None:
    await client.banks.create_or_update_bank(bank_id, CreateBankRequest(name="Harbour"))
    profile = await client.banks.update_bank(bank_id, CreateBankRequest(reflect_mission="Sail"))
    assert (profile.name, profile.mission) == ("Harbour", "Sail")


@model_step
async def get_bank_profile(client: Any, bank_id: str, app: Application) -> None:
    await client.banks.create_or_update_bank(bank_id, CreateBankRequest(name="Harbour"))
    answer = await client.banks.get_bank_profile_without_preload_content(bank_id)
    assert (await answer.json())["name"] == "Harbour"
    await client.banks.get_bank_profile(bank_id)


@model_step
async def list_banks(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    page = await client.banks.list_banks(q=bank_id.upper(), limit=5)
    (bank,) = page.banks
    assert (bank.bank_id, bank.fact_count, page.total) == (bank_id, 2, 1)
    assert (await client.banks.list_banks(q=bank_id, limit=0)).total == 1


@model_step
async def delete_bank(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    assert (await client.banks.delete_bank(bank_id)).success
    assert (await client.banks.list_banks(q=bank_id)).total == 0


@model_step
async def create_bank_alias(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    name = f"{bank_id}-also"
    answer = await client.banks.create_bank_alias(bank_id, CreateBankAliasRequest(alias=name))
    assert [entry.alias for entry in answer.aliases] == [name]
    assert (await row_of(client, name)).text == SAILS


@model_step
async def list_bank_aliases(client: Any, bank_id: str, app: Application) -> None:
    await create_bank_alias(client, bank_id, app)
    answer = await client.banks.list_bank_aliases(f"{bank_id}-also")
    assert answer.bank_id == bank_id
    assert [(entry.alias, entry.primary) for entry in answer.aliases] == [(f"{bank_id}-also", False)]


@model_step
async def set_bank_alias_primary(client: Any, bank_id: str, app: Application) -> None:
    await create_bank_alias(client, bank_id, app)
    change = SetBankAliasPrimaryRequest(primary=True)
    answer = await client.banks.set_bank_alias_primary(bank_id, f"{bank_id}-also", change)
    assert [entry.primary for entry in answer.aliases] == [True]
    (bank,) = (await client.banks.list_banks(q=bank_id)).banks
    assert (bank.display_alias, bank.matched_aliases) == (f"{bank_id}-also", [f"{bank_id}-also"])


@model_step
async def delete_bank_alias(client: Any, bank_id: str, app: Application) -> None:
    await create_bank_alias(client, bank_id, app)
    assert (await client.banks.delete_bank_alias(bank_id, f"{bank_id}-also")).aliases == []


@model_step
async def get_agent_stats(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    await queued(client, bank_id)
    stats = await client.banks.get_agent_stats(bank_id, refresh=True)
    assert (stats.total_nodes, stats.total_documents) == (2, 2)
    assert (stats.nodes_by_fact_type, stats.pending_operations) == ({"world": 2}, 2)
    await work_off(app)


@model_step
async def get_bank_config(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    assert (await client.banks.get_bank_config(bank_id)).config["retain_chunk_size"] == 500


@model_step
async def update_bank_config(client: Any, bank_id: str, app: Application) -> None:
    change = BankConfigUpdate(updates={"retain_chunk_size": 700})
    answer = await client.banks.update_bank_config(bank_id, change)
    assert (answer.overrides, answer.config["retain_chunk_size"]) == ({"retain_chunk_size": 700}, 700)


@model_step
async def reset_bank_config(client: Any, bank_id: str, app: Application) -> None:
    await update_bank_config(client, bank_id, app)
    assert (await client.banks.reset_bank_config(bank_id)).overrides == {}


@model_step
async def retain_memories(client: Any, bank_id: str, app: Application) -> None:
    id_ = await queued(client, bank_id)
    assert (await client.memory.list_memories(bank_id)).total == 0
    await work_off(app)
    assert (await row_of(client, bank_id)).text == SAILS
    assert (await client.operations.get_operation_status(bank_id, id_)).status == "completed"


@model_step
async def recall_memories(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    request = RecallRequest(query="Who sails?", tags=["sea"], tags_match="any_strict")
    (fact,) = (await client.memory.recall_memories(bank_id, request)).results
    assert (fact.text, fact.entities) == (SAILS, ["Carol"])


@model_step
async def list_memories(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    page = await client.memory.list_memories(bank_id, q="malta", tags=["sea", "land"], limit=1)
    assert (page.total, [row.text for row in page.items]) == (1, [SAILS])


@model_step
async def get_memory(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    row = await row_of(client, bank_id)
    answer = await client.memory.get_memory_without_preload_content(bank_id, row.id)
    assert (await answer.json())["text"] == SAILS
    await client.memory.get_memory(bank_id, row.id)


@model_step
async def update_memory(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    row = await row_of(client, bank_id)
    edit = UpdateMemoryRequest(text="Carol sails to Crete.", entities=["Carol", "Crete"], reason="moved")
    await client.memory.update_memory(bank_id, row.id, edit)
    assert (await row_of(client, bank_id, "Carol sails")).text == "Carol sails to Crete."
    await client.memory.update_memory(bank_id, row.id, UpdateMemoryRequest(state="invalidated"))
    (aside,) = (await client.memory.list_memories(bank_id, state="invalidated")).items
    assert (aside.id, aside.text) == (row.id, "Carol sails to Crete.")


@model_step
async def clear_bank_memories(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    assert (await client.memory.clear_bank_memories(bank_id, type="observation")).deleted_count == 0
    assert (await client.memory.clear_bank_memories(bank_id)).deleted_count == 2
    assert (await client.documents.list_documents(bank_id)).total == 0


@model_step
async def list_tags(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    page = await client.memory.list_tags(bank_id, q="S*", source="memories")
    assert [(item.tag, item.count) for item in page.items] == [("sea", 1)]


@model_step
async def get_bank_attachment(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    document = await client.documents.get_document(bank_id, "loaf")
    (file,) = document.attachments
    assert bytes(await client.memory.get_bank_attachment(bank_id, file.id)) == PNG


@model_step
async def list_documents(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    page = await client.documents.list_documents(bank_id, q="SHIPS", time_field="created_at")
    (document,) = page.items
    assert (document.id, document.memory_unit_count, page.total) == ("ships/one", 1, 1)


@model_step
async def get_document(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    document = await client.documents.get_document(bank_id, "ships/one")
    assert (document.original_text, document.memory_unit_count, document.tags) == (SAILS, 1, ["sea"])


@model_step
async def list_document_chunks(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    page = await client.documents.list_document_chunks(bank_id, "ships/one", limit=1)
    assert [(chunk.chunk_text, chunk.chunk_index) for chunk in page.items] == [(SAILS, 0)]


@model_step
async def get_chunk(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    chunk = await client.documents.get_chunk((await row_of(client, bank_id)).chunk_id)
    assert (chunk.chunk_text, chunk.bank_id, chunk.document_id) == (SAILS, bank_id, "ships/one")


@model_step
async def update_document(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    change = UpdateDocumentRequest.from_dict({"tags": ["harbour"], "observation_scopes": "combined"})
    assert (await client.documents.update_document(bank_id, "ships/one", change)).success
    assert (await row_of(client, bank_id)).tags == ["harbour"]


@model_step
async def delete_document(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    answer = await client.documents.delete_document(bank_id, "ships/one")
    assert (answer.document_id, answer.memory_units_deleted) == ("ships/one", 1)
    assert (await client.memory.list_memories(bank_id)).total == 1


@model_step
async def list_entities(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    page = await client.entities.list_entities(bank_id, tag_groups='[{"tags": ["sea"]}]')
    assert [(entity.canonical_name, entity.mention_count) for entity in page.items] == [("Carol", 1)]


@model_step
async def get_entity(client: Any, bank_id: str, app: Application) -> None:
    await filled(client, bank_id)
    await add_observation(app, bank_id, SEEN, [(await row_of(client, bank_id)).id])
    (listed,) = (await client.entities.list_entities(bank_id)).items
    entity = await client.entities.get_entity(bank_id, listed.id)
    assert (entity.canonical_name, [one.text for one in entity.observations]) == ("Carol", [SEEN])


@model_step
async def list_operations(client: Any, bank_id: str, app: Application) -> None:
    id_ = await queued(client, bank_id)
    page = await client.operations.list_operations(bank_id, status="pending", type="batch_retain", limit=1)
    assert [row.id for row in page.operations] == [id_]
    parts = await client.operations.list_operations(bank_id, exclude_parents=True)
    assert [row.task_type for row in parts.operations] == ["retain"]
    await work_off(app)


@model_step
async def get_operation_status(client: Any, bank_id: str, app: Application) -> None:
    id_ = await queued(client, bank_id)
    status = await client.operations.get_operation_status(bank_id, id_, include_payload=True)
    assert (status.status, len(status.child_operations)) == ("pending", 1)
    await work_off(app)
    assert (await client.operations.get_operation_status(bank_id, id_)).status == "completed"
    assert (await client.operations.get_operation_status(bank_id, str(uuid4()))).status == "not_found"


@model_step
async def cancel_operation(client: Any, bank_id: str, app: Application) -> None:
    id_ = await queued(client, bank_id)
    assert (await client.operations.cancel_operation(bank_id, id_)).success
    assert (await client.operations.get_operation_status(bank_id, id_)).status == "cancelled"


@model_step
async def retry_operation(client: Any, bank_id: str, app: Application) -> None:
    id_ = await queued(client, bank_id)
    await client.operations.cancel_operation(bank_id, id_)
    assert (await client.operations.retry_operation(bank_id, id_)).operation_id == id_
    await work_off(app)
    assert (await client.memory.list_memories(bank_id)).total == 1


@model_step
async def delete_operation(client: Any, bank_id: str, app: Application) -> None:
    id_ = await queued(client, bank_id)
    await work_off(app)
    assert (await client.operations.delete_operation(bank_id, id_)).success
    assert (await client.operations.list_operations(bank_id)).total == 0
