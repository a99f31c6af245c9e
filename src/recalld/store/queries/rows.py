"""Turns database rows into domain values."""

from __future__ import annotations

from typing import Any

from sqlalchemy import FromClause, Row

from recalld.domain.memory import FactType, Memory

MEMORY_COLUMNS = (
    "id",
    "text",
    "fact_type",
    "context",
    "occurred_start",
    "occurred_end",
    "mentioned_at",
    "document_id",
    "chunk_id",
    "metadata",
    "tags",
    "proof_count",
    "source_memory_ids",
    "token_count",
    "attachment_ids",
)


def memory_columns(units: FromClause) -> list[Any]:
    """The columns ``memory`` reads, in order."""
    return [units.c[name] for name in MEMORY_COLUMNS]


def memory(row: Row[Any]) -> Memory:
    """The fact in the first columns of a row that selected ``memory_columns``."""
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
