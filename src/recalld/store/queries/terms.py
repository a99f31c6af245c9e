"""How rare is each word of the query in this bank?"""

from __future__ import annotations

import math
from collections import defaultdict

from recalld.domain.banks import Bank
from recalld.domain.text import QueryTerm, query_words
from recalld.store.engine import ReadConnection, fetch

_STATISTICS = """
    SELECT word.place, term.lexeme, term_index(term.lexeme), coalesce(known.df, 0)
    FROM unnest(%(words)s::text[]) WITH ORDINALITY AS word(spelling, place)
    CROSS JOIN LATERAL unnest(to_tsvector(word.spelling)) AS term(lexeme, positions, weights)
    LEFT JOIN bank_terms AS known ON known.bank_key = %(bank_key)s AND known.term = term.lexeme
    ORDER BY word.place, term.lexeme
"""


async def query_terms(connection: ReadConnection, bank: Bank, query: str) -> tuple[QueryTerm, ...]:
    """The query's lexemes with their statistics, in order of first appearance."""
    words = query_words(query)
    if not words:
        return ()
    spellings = [spelling for spelling, _, _ in words]
    rows = await fetch(connection, _STATISTICS, {"words": spellings, "bank_key": bank.key})
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    statistics: dict[str, tuple[int, int]] = {}
    for place, lexeme, index, df in rows:
        spans[lexeme].append(words[place - 1][1:])
        statistics[lexeme] = (index, df)
    return tuple(
        QueryTerm(lexeme, index, df, idf(bank.unit_count, df), tuple(spans[lexeme]))
        for lexeme, (index, df) in statistics.items()
    )


def idf(total: int, df: int) -> float:
    """``ln(1 + (N - df + 0.5) / (df + 0.5))``, with ``df`` held within ``[0, N]``."""
    held = min(df, total)
    return math.log(1.0 + (total - held + 0.5) / (held + 0.5))
