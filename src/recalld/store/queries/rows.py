"""Turns database rows into domain values."""

from __future__ import annotations

from typing import Any

from recalld.domain.memory import FactType, Memory

MEMORY = """unit.id, unit.text, unit.fact_type, unit.context, unit.occurred_start, unit.occurred_end,
    unit.mentioned_at, unit.document_id, unit.chunk_id, unit.metadata, unit.tags, unit.proof_count,
    unit.source_memory_ids, unit.token_count, unit.attachment_ids"""
"""The columns ``memory`` reads, in order, from ``memory_units AS unit``."""

MEMORY_WIDTH = 15


def memory(row: tuple[Any, ...]) -> Memory:
    """The fact in the first columns of a row that selected ``MEMORY``."""
    return Memory(
        id=row[0],
        text=row[1],
        fact_type=FactType(row[2]),
        context=row[3],
        occurred_start=row[4],
        occurred_end=row[5],
        mentioned_at=row[6],
        document_id=row[7],
        chunk_id=row[8],
        metadata=row[9],
        tags=tuple(row[10]),
        proof_count=row[11],
        source_ids=tuple(row[12]),
        token_count=row[13],
        attachment_ids=tuple(row[14]),
    )
