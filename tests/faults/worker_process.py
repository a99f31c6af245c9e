"""A worker in a process of its own, with an embedder that loads no model: quick to start and to kill."""

from __future__ import annotations

import asyncio
import sys

from recalld.consolidate.job import OPERATION, ConsolidationJob
from recalld.consolidate.service import ConsolidationService
from recalld.domain.banks import BankConfig
from recalld.encoders.embedders.fake import FakeEmbedder
from recalld.encoders.executor import AsyncEmbedder
from recalld.encoders.token_counter import O200kTokenCounter
from recalld.operations.worker import Job, Pace, Worker
from recalld.retain.job import PART, RetainJob
from recalld.retain.service import RetainService
from recalld.store.engine import Database, PoolLimits
from recalld.transfer.export import Exporter
from recalld.transfer.files import TransferFiles
from recalld.transfer.importer import Importer
from recalld.transfer.job import transfer_jobs
from recalld.transfer.service import TransferService


async def work(url: str) -> None:
    database = Database(url, PoolLimits(8))
    await database.open()
    model = FakeEmbedder()
    embed = AsyncEmbedder(model).embed_passages
    service = RetainService(database, embed, O200kTokenCounter(), BankConfig(), model.dimension)
    consolidation = ConsolidationService(database, BankConfig(), model.dimension)
    importer = Importer(database, embed, O200kTokenCounter(), BankConfig(), model.dimension)
    transfer = TransferService(database, TransferFiles(database), Exporter(database), importer)
    transfers, tidying = transfer_jobs(transfer)
    jobs: dict[str, Job] = {PART: RetainJob(service), OPERATION: ConsolidationJob(consolidation)}
    pace = Pace(lease=0.3, poll=0.02)
    worker = Worker(database, {**jobs, **transfers}, asyncio.Event(), pace, tidying)
    print("working", flush=True)  # noqa: T201 - the test waits for this line
    await worker.run()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
