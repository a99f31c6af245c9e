"""Recall against the embedding of its query alone, in one process: prints medians and their ratio.

    python benchmarks/recall_latency.py BANK QUERY [QUERY ...]

Reads the bank from the database that the settings name; nothing is written.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections import defaultdict

from recalld.bootstrap import application
from recalld.recall.types import RecallQuery
from recalld.settings import Settings

ROUNDS = 30
WARM_UP = 5


async def measure(bank: str, queries: list[str]) -> None:
    """Time embedding and recall in turn, so that a change of the machine's speed meets both."""
    embedding: list[float] = []
    recall: list[float] = []
    stages: dict[str, list[float]] = defaultdict(list)
    async with application(Settings()) as app:
        for round_ in range(WARM_UP + ROUNDS):
            for query in queries:
                start = time.perf_counter()
                await app.embedder.embed_query(query)
                embedded = time.perf_counter()
                outcome = await app.recall.recall(RecallQuery(bank, query))
                done = time.perf_counter()
                if round_ >= WARM_UP:
                    embedding.append(embedded - start)
                    recall.append(done - embedded)
                    for timing in outcome.timings:
                        stages[timing.name].append(timing.seconds)
    alone, whole = statistics.median(embedding), statistics.median(recall)
    print(f"embedding alone {alone * 1e3:6.2f} ms")
    print(f"recall          {whole * 1e3:6.2f} ms   ratio {whole / alone:.1f}")
    for name, seconds in stages.items():
        print(f"  {name:13} {statistics.median(seconds) * 1e3:6.2f} ms")


if __name__ == "__main__":
    asyncio.run(measure(sys.argv[1], sys.argv[2:] or ["What happened last week?"]))
