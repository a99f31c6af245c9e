"""Makes all vectors anew with another model, while servers with the old one go on answering."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from recalld.domain.errors import Contended, DeadlineExceeded
from recalld.domain.indexing import embedded_text
from recalld.encoders.protocols import ServingEmbedder
from recalld.store.engine import Database
from recalld.store.queries.reembed import (
    START,
    Unmade,
    bank_keys,
    missing_units,
    reembedding_counts,
    vector_indexes,
)
from recalld.store.writes.facts import check_embedder, embedder_identity, stored_embedder
from recalld.store.writes.links import link_pending
from recalld.store.writes.reembed import (
    Remade,
    begin_reembedding,
    drop_indexes,
    exchange_vectors,
    keep_aside,
    keep_writers_out,
    only_one,
)
from recalld.store.writes.vector_index import build_vector_index

AT_ONCE = 128
ATTEMPTS = 60
"""Tries to find a moment without an index being built or a long write under way."""

Progress = Callable[[str, int, int], None]
"""Told the step, how much of it is done, and how much there is."""


class Reembedded(NamedTuple):
    """What was done. ``before`` is the model that had made the vectors."""

    before: str | None
    after: str
    made: int


class IndexInTheWay(Exception):
    """An index of the old vectors was built again."""


@dataclass(frozen=True, slots=True)
class Reembedding:
    """New vectors are made beside the old ones, and take their place all at once.

    A run that is interrupted loses nothing: the next one goes on where it ended.
    """

    database: Database
    embedder: ServingEmbedder
    index_min_rows: int

    async def run(self, progress: Progress) -> Reembedded:
        """Make every vector the embedder's; only one may do so at a time."""
        wanted = embedder_identity(self.embedder.name, self.embedder.dimension)
        async with only_one(self.database):
            async with self.database.write() as connection:
                before = await stored_embedder(connection)
                if before not in {None, wanted}:
                    await begin_reembedding(connection, wanted)
            made = 0
            if before not in {None, wanted}:
                made = await self._fill(progress)
                made += await self._exchange(wanted, progress)
            await check_embedder(self.database, self.embedder.name, self.embedder.dimension)
            await self._settle(progress)
        return Reembedded(before, wanted, made)

    async def _fill(self, progress: Progress) -> int:
        """Make the vectors that are missing; returns how many."""
        async with self.database.read() as connection:
            done, total = await reembedding_counts(connection)
        made, place = 0, START
        while True:
            progress("Embedding", min(done + made, total), total)
            async with self.database.read() as connection:
                units = await missing_units(connection, place, AT_ONCE)
            if not units:
                return made
            await self._make(units)
            made, place = made + len(units), units[-1].place

    async def _make(self, units: list[Unmade]) -> None:
        texts = [embedded_text(unit.text, unit.names) for unit in units]
        embeddings = await self.embedder.embed_passages(texts)
        remade = [
            Remade(unit, embedding.vector.tolist(), embedding.tokens.tobytes())
            for unit, embedding in zip(units, embeddings, strict=True)
        ]
        async with self.database.write() as connection:
            await keep_aside(connection, remade)

    async def _exchange(self, wanted: str, progress: Progress) -> int:
        """Put the new vectors in place; returns how many were still made for it."""
        for attempt in range(ATTEMPTS):
            late = await self._fill(progress)
            try:
                return late + await self._exchange_now(wanted, progress)
            except (IndexInTheWay, DeadlineExceeded, Contended):
                await asyncio.sleep(min(attempt, 10))
        raise Contended("The database was too busy to exchange its vectors; run recalld reembed again.")

    async def _exchange_now(self, wanted: str, progress: Progress) -> int:
        async with self.database.read() as reading:
            indexes = await vector_indexes(reading)
        await drop_indexes(self.database, indexes)
        async with self.database.write() as connection:
            await keep_writers_out(connection)
            async with self.database.read() as reading:
                if await vector_indexes(reading):
                    raise IndexInTheWay
            late = await self._fill(progress)
            await exchange_vectors(connection, wanted)
        return late

    async def _settle(self, progress: Progress) -> None:
        """Index and link every bank by its vectors. What an interruption left is done along with it."""
        async with self.database.read() as connection:
            keys = await bank_keys(connection)
        dimension = self.embedder.dimension
        for done, key in enumerate(keys):
            progress("Indexing and linking banks", done, len(keys))
            await build_vector_index(self.database, key, dimension, self.index_min_rows)
            await link_pending(self.database, key, dimension)
        progress("Indexing and linking banks", len(keys), len(keys))
