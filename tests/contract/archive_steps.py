"""One step for each method of the official wrapper that moves archives."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from typing import Any

from tests.contract.official_client import Caller, wrapper_step
from tests.fixtures.operations import work_off

SAILS = "Carol sails to Malta."
QUICK = {"poll_interval": 0.1, "timeout": 30.0}


def texts_in(archive: bytes) -> list[str]:
    """Texts of the facts in an archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        documents = [json.loads(file.read(name)) for name in file.namelist() if name.startswith("documents/")]
    return sorted(fact["text"] for document in documents for fact in document["facts"])


async def finished(call: Caller, name: str, *arguments: Any) -> bytes:
    """The archive that the wrapper waits for while the worker works."""
    waiting = asyncio.ensure_future(call(name, call.bank_id, *arguments, **QUICK))
    while not waiting.done():
        await work_off(call.app)
        await asyncio.sleep(0.05)
    archive: bytes = await waiting
    return archive


async def texts(call: Caller, bank_id: str) -> list[str]:
    """Texts of a bank's memories."""
    return sorted(row.text for row in (await call("list_memories", bank_id)).items)


@wrapper_step
async def export_documents(call: Caller) -> None:
    await call("retain", call.bank_id, SAILS, document_id="ship")
    await call("retain", call.bank_id, "Dave bakes rye bread.", document_id="loaf")
    assert texts_in(await finished(call, "export_documents", ["ship"])) == [SAILS]


@wrapper_step
async def export_bank(call: Caller) -> None:
    await call("retain", call.bank_id, SAILS)
    assert texts_in(await finished(call, "export_bank")) == [SAILS]


@wrapper_step
async def import_bank(call: Caller) -> None:
    await call("retain", call.bank_id, SAILS)
    target = f"{call.bank_id}-2"
    archive = await finished(call, "export_bank")
    assert await call("import_bank", call.bank_id, archive, target_bank_id=target)
    await work_off(call.app)
    assert await texts(call, target) == [SAILS]


@wrapper_step
async def clone_bank(call: Caller) -> None:
    await call("retain", call.bank_id, SAILS)
    target = f"{call.bank_id}-2"
    assert await call("clone_bank", call.bank_id, target)
    await work_off(call.app)
    assert await texts(call, target) == [SAILS]
