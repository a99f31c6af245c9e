"""Keeps each bank's term statistics true and its BM25 weights fresh."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

DRIFT = 0.10
"""How far the mean length may move before stored weights are worked out again."""

_COUNT_TERMS = text("""
    INSERT INTO bank_terms (bank_key, term, df)
    SELECT :bank_key, term.lexeme, count(*)
    FROM memory_units AS unit, unnest(unit.search_vector) AS term
    WHERE unit.bank_key = :bank_key AND unit.id = ANY(:ids)
    GROUP BY term.lexeme
    ON CONFLICT (bank_key, term) DO UPDATE SET df = bank_terms.df + excluded.df
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_COUNT_UNITS = text("""
    UPDATE banks SET
        unit_count = unit_count + :added - :removed,
        total_length = greatest(0, total_length - :removed_length) + (
            SELECT coalesce(sum(length), 0) FROM memory_units WHERE bank_key = :bank_key AND id = ANY(:ids)),
        last_write_at = now(), last_document_at = now(), updated_at = now()
    WHERE bank_key = :bank_key
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_REWEIGH = text("""
    WITH drifted AS (
        UPDATE banks SET average_length = total_length / unit_count
        WHERE bank_key = :bank_key AND unit_count > 0 AND total_length > 0
          AND abs(total_length / unit_count / average_length - 1) > :drift
        RETURNING bank_key, average_length
    )
    UPDATE memory_units AS unit
    SET term_weights = bm25_weights(unit.search_vector, unit.length, drifted.average_length)
    FROM drifted WHERE unit.bank_key = drifted.bank_key
""")


async def lock_statistics(connection: AsyncConnection, bank_key: int) -> float:
    """Make this transaction the only one that changes the bank's statistics; returns the mean length
    its weights are based on."""
    held = await connection.scalar(
        text("SELECT average_length FROM banks WHERE bank_key = :bank_key FOR NO KEY UPDATE"),
        {"bank_key": bank_key},
    )
    return float(held or 1.0)


async def count_facts(
    connection: AsyncConnection, bank_key: int, added: Sequence[UUID], removed: tuple[int, float]
) -> None:
    """Add new facts to the statistics and take removed ones (count, length) off the totals."""
    parameters = {"bank_key": bank_key, "ids": list(added)}
    await connection.execute(
        _COUNT_UNITS,
        {**parameters, "added": len(added), "removed": removed[0], "removed_length": removed[1]},
    )
    if added:
        await connection.execute(_COUNT_TERMS, parameters)


async def reweigh_if_drifted(connection: AsyncConnection, bank_key: int) -> int:
    """Work out all BM25 weights of the bank again if its mean length moved; returns facts changed."""
    result = await connection.execute(_REWEIGH, {"bank_key": bank_key, "drift": DRIFT})
    return result.rowcount
