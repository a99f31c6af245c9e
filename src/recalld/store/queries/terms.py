"""Which bank is this, and how rare is each word of the query in it?"""

from __future__ import annotations

import math
from collections import defaultdict

from recalld.domain.banks import Bank
from recalld.domain.text import QueryTerm, has_forbidden, query_words
from recalld.store.engine import ReadConnection, check_same_embedder, fetch
from recalld.store.queries.banks import BANK, BANK_NAMED, BANK_WIDTH, bank

# A bank with no term of the query still gives one row, with a null lexeme.
_STATISTICS = f"""
    SELECT {BANK}, term.place, term.lexeme, term.index, coalesce(known.df, 0),
           (SELECT value FROM store_facts WHERE name = 'embedder')
    FROM banks
    LEFT JOIN LATERAL (
        SELECT word.place, lexeme, term_index(lexeme) AS index
        FROM unnest(%(words)s::text[]) WITH ORDINALITY AS word(spelling, place)
        CROSS JOIN LATERAL unnest(to_tsvector(banks.text_search_language::regconfig, word.spelling))
    ) AS term ON true
    LEFT JOIN bank_terms AS known ON known.bank_key = banks.bank_key AND known.term = term.lexeme
    WHERE {BANK_NAMED}
    ORDER BY term.place, term.lexeme
"""


async def bank_and_terms(
    connection: ReadConnection, bank_id: str, query: str, embedder: str | None = None
) -> tuple[Bank, tuple[QueryTerm, ...]] | None:
    """The bank and the query's lexemes, in order of first appearance; ``None`` for an unknown bank.

    ``Overloaded`` when another model than ``embedder`` made the stored vectors.
    """
    if has_forbidden(bank_id):
        return None
    words = query_words(query)
    spellings = [spelling for spelling, _, _ in words]
    rows = await fetch(connection, _STATISTICS, {"bank_id": bank_id, "words": spellings})
    if not rows:
        return None
    if embedder is not None:
        check_same_embedder(embedder, rows[0][-1])
    found = bank(rows[0])
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    statistics: dict[str, tuple[int, int]] = {}
    for place, lexeme, index, df in (row[BANK_WIDTH:-1] for row in rows):
        if lexeme is not None:
            spans[lexeme].append(words[place - 1][1:])
            statistics[lexeme] = (index, df)
    terms = tuple(
        QueryTerm(lexeme, index, df, idf(found.unit_count, df), tuple(spans[lexeme]))
        for lexeme, (index, df) in statistics.items()
    )
    return found, terms


def idf(total: int, df: int) -> float:
    """``ln(1 + (N - df + 0.5) / (df + 0.5))``, with ``df`` held within ``[0, N]``."""
    held = min(df, total)
    return math.log(1.0 + (total - held + 0.5) / (held + 0.5))
