"""The whole import on one screen: set the bank up, write document after document, then what rests on them.

A document and what came from it are written in one transaction, the model being at work on the next ones
meanwhile. Whatever interrupts an import, taking it up again writes nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from uuid import UUID, uuid4

from recalld.domain.banks import Bank, BankConfig
from recalld.domain.errors import Contended
from recalld.encoders.protocols import EmbedPassages, TokenCounter
from recalld.store.engine import Database
from recalld.store.queries.banks import known_bank
from recalld.store.queries.operations import documents_done
from recalld.store.writes.links import link_pending
from recalld.store.writes.side_by_side import side_by_side
from recalld.store.writes.terms import refresh_planner, reweigh_if_drifted
from recalld.store.writes.vector_index import build_vector_index
from recalld.transfer.archive import Archive
from recalld.transfer.contents import Document, File
from recalld.transfer.draft import FACT, set_aside_by_document, unit_id, whole
from recalld.transfer.export import Show, unseen
from recalld.transfer.observations import ObservationImporter, Rests
from recalld.transfer.place import Goal, decide, facts_there
from recalld.transfer.report import Behind, Choices, Report
from recalld.transfer.setup import set_up
from recalld.transfer.write import Embedded, Stale, Writing, write_document

FACTS_AT_ONCE = 256
DOCUMENTS_AT_ONCE = 100
ATTEMPTS = 20
_FIRST_LOOK = 64
"""Facts from which the statistics are looked at, and again whenever there are twice as many."""


@dataclass(slots=True)
class _Run:
    """One import under way. ``facts`` are the ids of a document's facts, in the order of the archive."""

    bank: Bank
    archive: Archive
    choices: Choices
    behind: Behind | None
    seed: UUID
    files: Mapping[str, Sequence[File]]
    done: dict[str, int]
    report: Report = field(default_factory=Report)
    facts: dict[str, Sequence[str | None]] = field(default_factory=dict)
    written: int = 0
    next_look: int = _FIRST_LOOK


@dataclass(frozen=True, slots=True)
class Importer:
    """Imports archives. ``after`` is told of a bank that has new facts."""

    database: Database
    embed: EmbedPassages
    tokens: TokenCounter
    defaults: BankConfig
    dimension: int
    index_min_rows: int = 10_000
    after: Callable[[Bank], None] | None = None

    async def run(
        self,
        bank: Bank,
        archive: Archive,
        choices: Choices,
        behind: Behind | None = None,
        show: Show = unseen,
    ) -> Report:
        """Import into a bank that exists. An archive that cannot be read to its end is refused first."""
        await asyncio.to_thread(archive.check)
        run = await self._begun(bank, archive, choices, behind)
        row = archive.bank() if choices.bank_config else None
        if row is not None:
            run.report.settings_skipped = await set_up(self.database, bank, row)
            run.bank = await self._read(bank.bank_id)
        if choices.data:
            await self._documents(run, show)
            await self._observations(run)
            await self._settle(run)
        return run.report

    async def _begun(self, bank: Bank, archive: Archive, choices: Choices, behind: Behind | None) -> _Run:
        done: dict[str, int] = {}
        if behind is not None:
            async with self.database.read() as connection:
                done = await documents_done(connection, behind.bank_key, behind.id)
        files = await asyncio.to_thread(archive.files)
        run = _Run(bank, archive, choices, behind, behind.id if behind else uuid4(), files, done)
        run.report.members_skipped = await asyncio.to_thread(archive.left_over)
        return run

    async def _documents(self, run: _Run, show: Show) -> None:
        aside = set_aside_by_document(await asyncio.to_thread(run.archive.invalidated))
        keeps_text = self.defaults.override(run.bank.overrides).store_document_text
        total, seen = len(run.archive.document_names), 0
        documents = run.archive.documents()
        ready: list[tuple[Goal, Embedded]] = []
        show(0, total)
        while batch := await asyncio.to_thread(_batch, documents):
            wholes = [whole(one, aside.pop(one.id, ()), keeps_text=keeps_text) for one in batch]
            goals = await decide(self.database, run.bank.key, wholes, run.choices.on_conflict, run.done)
            for goal in goals:
                self._note_if_there(run, goal)
            fresh = [goal for goal in goals if goal.is_to_be_written]
            embedded = await both(self._embedded(fresh), self._write_all(run, ready))
            ready = list(zip(fresh, embedded, strict=True))
            show(seen, total)
            seen += len(batch)
        await self._write_all(run, ready)
        show(seen, total)
        run.report.invalidated_skipped += sum(len(rest) for rest in aside.values())

    def _note_if_there(self, run: _Run, goal: Goal) -> None:
        """Remember where the facts are of a document that needs no writing."""
        document, report = goal.whole.document, run.report
        if goal.is_done:
            self._note_written(run, goal)
        elif not goal.is_to_be_written:
            report.documents_skipped += 1
            report.invalidated_skipped += len(goal.whole.set_aside)
            run.facts[document.id] = facts_there(goal)

    def _note_written(self, run: _Run, goal: Goal) -> None:
        document, report = goal.whole.document, run.report
        report.documents_imported += 1
        report.facts_imported += len(document.facts)
        report.invalidated_imported += len(goal.whole.set_aside)
        report.attachments_imported += len(run.files.get(document.id, ()))
        if goal.target != document.id:
            report.remapped_document_ids[document.id] = goal.target
        run.facts[document.id] = [
            str(unit_id(run.seed, goal.target, FACT, place)) for place in range(len(document.facts))
        ]

    async def _embedded(self, goals: Sequence[Goal]) -> list[Embedded]:
        """Token counts and vectors of the facts of each document, from one call for all of them."""
        texts = [text for goal in goals for text in goal.whole.texts]
        vectors = iter(await self.embed(texts) if texts else [])
        plain = [fact.text for goal in goals for fact in goal.whole.document.facts]
        counts = iter(self.tokens.count_many(plain) if plain else [])
        return [[(next(counts), next(vectors)) for _ in goal.whole.document.facts] for goal in goals]

    async def _write_all(self, run: _Run, ready: Sequence[tuple[Goal, Embedded]]) -> None:
        """Write documents side by side."""
        await side_by_side(lambda one: self._write(run, *one), ready)
        if run.written >= run.next_look:
            run.next_look = 2 * run.written
            await self._look(run)

    async def _write(self, run: _Run, goal: Goal, embedded: Embedded) -> None:
        """Write a document, decided on anew as often as others change it meanwhile."""
        writing = Writing(run.bank, run.behind, run.seed, self.tokens)
        named = run.files.get(goal.whole.document.id, ())
        files = await asyncio.to_thread(lambda: [run.archive.file(one) for one in named])
        for _ in range(ATTEMPTS):
            try:
                await write_document(self.database, writing, goal, embedded, files)
            except (Stale, Contended):
                (goal,) = await decide(
                    self.database, run.bank.key, [goal.whole], run.choices.on_conflict, run.done
                )
                if not goal.is_to_be_written:
                    self._note_if_there(run, goal)
                    return
            else:
                run.written += len(embedded)
                self._note_written(run, goal)
                return
        raise Contended(f"Document '{goal.target}' kept changing while it was written; try again.")

    async def _observations(self, run: _Run) -> None:
        found = await asyncio.to_thread(run.archive.observations)
        rests = Rests(run.bank, run.behind, run.seed, run.facts)
        done = await ObservationImporter(self.database, self.embed, self.tokens).run(rests, found)
        run.report.observations_imported, run.report.observations_skipped = done
        run.written += done[0]

    async def _look(self, run: _Run) -> None:
        """Keep the weights of words and the query planner up with a bank that grows."""
        async with self.database.write() as connection:
            await reweigh_if_drifted(connection, run.bank.key)
            await refresh_planner(connection)
        run.bank = await self._read(run.bank.bank_id)

    async def _settle(self, run: _Run) -> None:
        """Link what is not linked yet, which goes by the vector index where there is to be one."""
        if run.written:
            await self._look(run)
        key = run.bank.key
        if run.bank.unit_count >= self.index_min_rows:
            await build_vector_index(self.database, key, self.dimension, self.index_min_rows)
        await link_pending(self.database, key, self.dimension)
        if run.written:
            async with self.database.write() as connection:
                await refresh_planner(connection)
        if run.report.facts_imported and self.after is not None:
            self.after(run.bank)

    async def _read(self, bank_id: str) -> Bank:
        async with self.database.read() as connection:
            return await known_bank(connection, bank_id)


async def both(embedding: Awaitable[list[Embedded]], writing: Awaitable[None]) -> list[Embedded]:
    """Embed and write at once; when one fails, the other comes to its end first."""
    embedded, written = await asyncio.gather(embedding, writing, return_exceptions=True)
    for result in (written, embedded):
        if isinstance(result, BaseException):
            raise result
    assert not isinstance(embedded, BaseException)  # noqa: S101 - raised above
    return embedded


def _batch(documents: Iterator[Document]) -> list[Document]:
    """The next documents, until they have enough facts between them."""
    batch: list[Document] = []
    facts = 0
    for document in islice(documents, DOCUMENTS_AT_ONCE):
        batch.append(document)
        facts += len(document.facts)
        if facts >= FACTS_AT_ONCE:
            break
    return batch
