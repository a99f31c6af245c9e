"""What do a bank's documents hold, all of it, as they are taken along to another place?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from recalld.domain.records import MemoryRecord
from recalld.store.engine import Database, ReadConnection, WriteConnection, fetch, id_list
from recalld.store.queries.memory_list import INVALIDATED, VALID

_IDS = """
    SELECT id FROM documents WHERE bank_key = %(bank_key)s
      AND (%(ids)s::text[] IS NULL OR id = ANY(%(ids)s)) ORDER BY created_at, id
"""

_DOCUMENTS = """
    SELECT id, original_text, retain_params, document_metadata, label, source_metadata, tags, created_at
    FROM documents
    WHERE bank_key = %(bank_key)s AND id = ANY(%(ids)s)
"""

_CHUNKS = """
    SELECT document_id, chunk_index, chunk_text FROM chunks
    WHERE bank_key = %(bank_key)s AND document_id = ANY(%(ids)s) ORDER BY document_id, chunk_index
"""

_PLACE = "LEFT JOIN chunks AS chunk ON chunk.bank_key = unit.bank_key AND chunk.chunk_id = unit.chunk_id"

_FACTS = f"""
    SELECT {VALID}, chunk.chunk_index,
           ARRAY(SELECT entity.canonical_name FROM unit_entities AS held
                 JOIN entities AS entity ON entity.bank_key = held.bank_key AND entity.id = held.entity_id
                 WHERE held.bank_key = unit.bank_key AND held.unit_id = unit.id ORDER BY 1)
    FROM memory_units AS unit {_PLACE}
    WHERE unit.bank_key = %(bank_key)s AND unit.document_id = ANY(%(ids)s)
      AND unit.fact_type <> 'observation'
    ORDER BY chunk.chunk_index, unit.created_at, unit.id
"""

_SET_ASIDE = f"""
    SELECT {INVALIDATED}, chunk.chunk_index, unit.entities, unit.causal_links
    FROM invalidated_units AS unit {_PLACE}
    WHERE unit.bank_key = %(bank_key)s AND unit.document_id = ANY(%(ids)s)
    ORDER BY chunk.chunk_index, unit.created_at, unit.id
"""

_CAUSAL = """
    SELECT from_id::text, to_id::text, link_type FROM memory_links
    WHERE bank_key = %(bank_key)s AND from_id = ANY(%(facts)s::uuid[])
      AND link_type NOT IN ('temporal', 'semantic')
    ORDER BY from_id, link_type, to_id
"""

_OBSERVATIONS = f"""
    SELECT {VALID} FROM memory_units AS unit
    WHERE unit.bank_key = %(bank_key)s AND unit.fact_type = 'observation' ORDER BY unit.created_at, unit.id
"""

_RESTING = text("""
    SELECT text, tags, source_memory_ids FROM memory_units
    WHERE bank_key = :bank_key AND fact_type = 'observation' AND source_memory_ids && :ids
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_THERE = text("SELECT id FROM memory_units WHERE bank_key = :bank_key AND id = ANY(:ids)").bindparams(
    bindparam("ids", type_=ARRAY(Uuid))
)

_FILES = """
    SELECT document_id, id, hash, kind, media_type, byte_size, filename FROM attachments
    WHERE bank_key = %(bank_key)s AND document_id = ANY(%(ids)s) ORDER BY document_id, id
"""

_DATA = """
    SELECT data FROM attachments
    WHERE bank_key = %(bank_key)s AND document_id = %(document_id)s AND id = %(id)s
"""


class StoredFact(NamedTuple):
    """A fact with its place in its document and the names it mentions. ``links`` of one set aside."""

    record: MemoryRecord
    chunk_index: int | None
    names: Sequence[str]
    links: Sequence[dict[str, Any]] = ()


class StoredFile(NamedTuple):
    """A file that came with a document, without its bytes."""

    document_id: str
    id: str
    hash: str
    kind: str
    media_type: str
    byte_size: int
    filename: str | None


class StoredWhole(NamedTuple):
    """A document with all that came from it, in order."""

    id: str
    text: str | None
    retain_params: dict[str, Any]
    metadata: dict[str, str]
    label: str | None
    source_metadata: str | None
    tags: Sequence[str]
    created_at: datetime
    chunks: Sequence[tuple[int, str]]
    facts: Sequence[StoredFact]
    set_aside: Sequence[StoredFact]
    causal: Sequence[tuple[str, str, str]]


@asynccontextmanager
async def snapshot(database: Database) -> AsyncIterator[ReadConnection]:
    """A connection that sees the data as it was at its first read."""
    async with database.read() as connection, connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield connection


async def document_ids(
    connection: ReadConnection, bank_key: int, wanted: Sequence[str] | None = None
) -> list[str]:
    """Ids of all documents, or of those wanted that exist, oldest first."""
    ids = None if wanted is None else list(wanted)
    return [id_ for (id_,) in await fetch(connection, _IDS, {"bank_key": bank_key, "ids": ids})]


async def whole_documents(
    connection: ReadConnection, bank_key: int, ids: Sequence[str]
) -> dict[str, StoredWhole]:
    """Documents by id with all that came from them; unknown ids are missing."""
    params = {"bank_key": bank_key, "ids": list(ids)}
    rows = await fetch(connection, _DOCUMENTS, params)
    if not rows:
        return {}
    chunks: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for document_id, index, words in await fetch(connection, _CHUNKS, params):
        chunks[document_id].append((index, words))
    facts = _by_document(await fetch(connection, _FACTS, params), 2)
    set_aside = _by_document(await fetch(connection, _SET_ASIDE, params), 3)
    home = {fact.record.id: id_ for id_, group in facts.items() for fact in group}
    causal: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    found = await fetch(connection, _CAUSAL, {"bank_key": bank_key, "facts": id_list(home)})
    for start, end, kind in found:
        causal[home[start]].append((start, end, kind))
    return {
        id_: StoredWhole(id_, *rest, chunks[id_], facts[id_], set_aside[id_], causal[id_])  # type: ignore[call-arg]
        for id_, *rest in rows
    }


async def all_observations(connection: ReadConnection, bank_key: int) -> list[MemoryRecord]:
    """Observations, oldest first."""
    return [MemoryRecord(*row) for row in await fetch(connection, _OBSERVATIONS, {"bank_key": bank_key})]


async def observations_resting_on(
    connection: WriteConnection, bank_key: int, ids: Sequence[UUID]
) -> list[tuple[str, Sequence[str], Sequence[UUID]]]:
    """Text, tags and sources of the observations that rest on any of the facts."""
    rows = await connection.execute(_RESTING, {"bank_key": bank_key, "ids": list(ids)})
    return [(words, tags, sources) for words, tags, sources in rows]


async def units_there(connection: WriteConnection, bank_key: int, ids: Sequence[UUID]) -> set[UUID]:
    """Which of these memories the bank holds, and recall may find."""
    return set((await connection.execute(_THERE, {"bank_key": bank_key, "ids": list(ids)})).scalars())


async def files_of(connection: ReadConnection, bank_key: int, ids: Sequence[str]) -> list[StoredFile]:
    """The files that came with documents."""
    rows = await fetch(connection, _FILES, {"bank_key": bank_key, "ids": list(ids)})
    return [StoredFile(*row) for row in rows]


async def file_data(connection: ReadConnection, bank_key: int, file: StoredFile) -> bytes:
    """The bytes of a file."""
    params = {"bank_key": bank_key, "document_id": file.document_id, "id": file.id}
    return bytes((await fetch(connection, _DATA, params))[0][0])


def _by_document(rows: Sequence[tuple[Any, ...]], own: int) -> dict[str, list[StoredFact]]:
    """Rows of a ``MemoryRecord`` and ``own`` more columns, by the document of each."""
    found: dict[str, list[StoredFact]] = defaultdict(list)
    for row in rows:
        fact = StoredFact(MemoryRecord(*row[:-own]), *row[-own:])
        found[fact.record.document_id or ""].append(fact)
    return found
