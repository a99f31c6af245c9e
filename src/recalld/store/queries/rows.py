"""Turns database rows into domain values."""

from __future__ import annotations

from typing import Any

from recalld.domain.memory import FACT_TYPES, Memory

MEMORY = """unit.id::text, unit.text, unit.fact_type, unit.context, unit.occurred_start, unit.occurred_end,
    unit.mentioned_at, unit.document_id, unit.chunk_id, nullif(unit.metadata, '{}'), nullif(unit.tags, '{}'),
    unit.proof_count, nullif(unit.source_memory_ids, '{}')::text[], unit.token_count,
    nullif(unit.attachment_ids, '{}')"""
"""The columns ``memory`` reads, in order, from ``memory_units AS unit``; empty values travel as null."""

MEMORY_WIDTH = 15


def memory(row: tuple[Any, ...]) -> Memory:
    """The fact in the first columns of a row that selected ``MEMORY``."""
    (
        id_,
        text,
        kind,
        context,
        start,
        end,
        mentioned,
        document,
        chunk,
        metadata,
        tags,
        proofs,
        sources,
        size,
        files,
    ) = row[:MEMORY_WIDTH]
    return Memory(
        id_,
        text,
        FACT_TYPES[kind],
        context,
        start,
        end,
        mentioned,
        document,
        chunk,
        metadata or {},
        tuple(tags or ()),
        proofs,
        tuple(sources or ()),
        size,
        tuple(files or ()),
    )
