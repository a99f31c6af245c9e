"""Keeps each bank's term statistics true and its BM25 weights fresh."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

DRIFT = 0.10
"""How far the mean length may move before stored weights are worked out again."""

# The bank's row is locked before its terms, by every writer, so that none waits in a circle.
_COUNT = text("""
    WITH fresh AS MATERIALIZED (
        SELECT search_vector, length FROM memory_units WHERE bank_key = :bank_key AND id = ANY(:ids)
    ), counted AS (
        UPDATE banks SET
            unit_count = unit_count + :added - :removed,
            total_length = greatest(0, total_length - :removed_length)
                + (SELECT coalesce(sum(length), 0) FROM fresh),
            last_write_at = now(), updated_at = now(),
            last_document_at = CASE WHEN :retained THEN now() ELSE last_document_at END
        WHERE bank_key = :bank_key RETURNING bank_key
    )
    INSERT INTO bank_terms (bank_key, term, df)
    SELECT counted.bank_key, term.lexeme, count(*)
    FROM counted, fresh, unnest(fresh.search_vector) AS term
    GROUP BY 1, 2
    ON CONFLICT (bank_key, term) DO UPDATE SET df = bank_terms.df + excluded.df
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))

_FORGET = text("""
    WITH gone AS MATERIALIZED (
        SELECT search_vector, length FROM memory_units WHERE bank_key = :bank_key AND id = ANY(:ids)
    ), terms AS (
        SELECT term.lexeme, count(*) AS facts FROM gone, unnest(gone.search_vector) AS term GROUP BY 1
    ), forgotten AS (
        UPDATE bank_terms SET df = df - terms.facts FROM terms
        WHERE bank_terms.bank_key = :bank_key AND bank_terms.term = terms.lexeme
    )
    SELECT count(*), coalesce(sum(length), 0) FROM gone
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


async def lock_statistics(connection: AsyncConnection, bank_key: int) -> None:
    """Make this transaction the only one that changes the bank's statistics."""
    await connection.execute(
        text("SELECT 1 FROM banks WHERE bank_key = :bank_key FOR NO KEY UPDATE"), {"bank_key": bank_key}
    )


async def count_facts(
    connection: AsyncConnection,
    bank_key: int,
    added: Sequence[UUID],
    removed: tuple[int, float] = (0, 0.0),
    *,
    retained: bool = True,
) -> None:
    """Add new facts to the statistics and take removed ones (count, length) off the totals.

    ``retained`` says that a document brought them.
    """
    await connection.execute(
        _COUNT,
        {
            "bank_key": bank_key,
            "ids": list(added),
            "added": len(added),
            "removed": removed[0],
            "removed_length": removed[1],
            "retained": retained,
        },
    )


async def forget_facts(connection: AsyncConnection, bank_key: int, ids: Sequence[UUID]) -> tuple[int, float]:
    """Take the words of facts about to go off the statistics; returns their number and total length.

    The bank's row must be locked.
    """
    row = (await connection.execute(_FORGET, {"bank_key": bank_key, "ids": list(ids)})).one()
    return int(row[0]), float(row[1])


async def reweigh_if_drifted(connection: AsyncConnection, bank_key: int) -> int:
    """Work out all BM25 weights of the bank again if its mean length moved; returns facts changed."""
    result = await connection.execute(_REWEIGH, {"bank_key": bank_key, "drift": DRIFT})
    return result.rowcount


async def refresh_planner(connection: AsyncConnection) -> None:
    """Let the query planner know how rows are spread over banks.

    It takes a bank it has never seen for empty, and then any index that starts with the bank's key
    looks as good as the right one.
    """
    await connection.execute(
        text(
            "ANALYZE memory_units (bank_key, fact_type, event_date, chunk_id), memory_links (bank_key),"
            " unit_entities (bank_key), memory_token_vectors (bank_key), chunks (bank_key, document_id)"
        )
    )
