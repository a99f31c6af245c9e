"""BM25 against a textbook implementation, and statistics that stay exact whatever is written."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from recalld.bootstrap import Application
from recalld.domain.text import index_text, query_words
from recalld.store.engine import fetch
from recalld.store.queries.terms import idf
from recalld.store.writes.terms import DRIFT
from tests.fixtures.bank import TestBank
from tests.fixtures.encoders import bundled
from tests.fixtures.facts import bank_key

WORDS = [
    "river",
    "mountain",
    "café",
    "walking",
    "walked",
    "上海",
    "火锅",
    "user@example.org",
    "3.11",
    "don't",
    "budget",
    "quarterly",
    "teapot",
    "violin",
    "harbour",
    "the",
    "of",
    "and",
    "glacier",
    "lantern",
    "meadow",
    "orchid",
    "pepper",
    "quartz",
    "saffron",
    "tundra",
    "umbrella",
    "walnut",
    "zephyr",
]


@dataclass(frozen=True)
class Statistics:
    """What a bank's row and term table say, beside what its facts say."""

    units: int
    length: float
    average: float
    terms: dict[str, int]
    true_units: int
    true_length: float
    true_terms: dict[str, int]

    def check(self) -> None:
        assert self.units == self.true_units
        assert self.length == pytest.approx(self.true_length)
        assert {term: df for term, df in self.terms.items() if df} == self.true_terms
        assert min(self.terms.values(), default=0) >= 0


async def statistics(app: Application, bank: TestBank) -> Statistics:
    key = {"key": await bank_key(app, bank.bank_id)}
    async with app.database.read() as connection:
        query = "SELECT unit_count, total_length, average_length FROM banks WHERE bank_key = %(key)s"
        ((units, length, average),) = await fetch(connection, query, key)
        kept = await fetch(connection, "SELECT term, df FROM bank_terms WHERE bank_key = %(key)s", key)
        query = "SELECT count(*), coalesce(sum(length), 0) FROM memory_units WHERE bank_key = %(key)s"
        ((true_units, true_length),) = await fetch(connection, query, key)
        counted = await fetch(
            connection,
            "SELECT term.lexeme, count(*) FROM memory_units, unnest(search_vector) AS term"
            " WHERE bank_key = %(key)s GROUP BY 1",
            key,
        )
    return Statistics(units, length, average, dict(kept), true_units, true_length, dict(counted))


async def lexemes(app: Application, text: str) -> list[str]:
    """Every occurrence of every lexeme of an index text."""
    query = "SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector(%(text)s))"
    async with app.database.read() as connection:
        rows = await fetch(connection, query, {"text": text})
    return [lexeme for lexeme, count in rows for _ in range(count)]


def oracle(corpus: list[list[str]]) -> Any:
    """BM25Okapi with our parameters and our inverse document frequency."""
    model = BM25Okapi(corpus, k1=1.2, b=0.75)
    counts = Counter(term for document in corpus for term in set(document))
    model.idf = {term: idf(len(corpus), df) for term, df in counts.items()}
    return model


async def test_d16_keyword_scores_are_bm25(app: Application, bank: TestBank) -> None:
    generator = random.Random(11)
    texts = [" ".join(generator.choices(WORDS, k=generator.randint(3, 30))) for _ in range(60)]
    texts = list(dict.fromkeys(texts))
    await bank.retain(*texts)
    (await statistics(app, bank)).check()
    await reweigh_now(app, bank)
    corpus = [await lexemes(app, index_text(f"{text}\n")) for text in texts]
    model = oracle(corpus)
    for query in (
        "walk by the river",
        "上海火锅",
        "3.11 user@example.org",
        "saffron saffron zephyr",
        "CAFÉ quartz",
    ):
        terms = {lexeme for word, _, _ in query_words(query) for lexeme in await lexemes(app, word)}
        expected = dict(zip(texts, model.get_scores(sorted(terms)), strict=True))
        found = {
            f["text"]: f["scores"]["keyword"]
            for f in await bank.results(query, max_tokens=10**6, budget="high")
        }
        scored = {text: score for text, score in found.items() if score is not None}
        assert scored == pytest.approx({t: s for t, s in expected.items() if s > 0}, rel=1e-3)
        assert scored


async def reweigh_now(app: Application, bank: TestBank) -> None:
    """Weigh by the exact mean length, which may otherwise be a tenth off."""
    key = await bank_key(app, bank.bank_id)
    async with app.database.read() as connection:
        await connection.execute(
            "UPDATE banks SET average_length = total_length / unit_count WHERE bank_key = %(key)s",
            {"key": key},
        )
        await connection.execute(
            "UPDATE memory_units SET term_weights = bm25_weights(search_vector, length, average_length)"
            " FROM banks WHERE banks.bank_key = %(key)s AND memory_units.bank_key = %(key)s",
            {"key": key},
        )


def document(generator: random.Random) -> str:
    return "\n\n".join(" ".join(generator.choices(WORDS, k=60)) for _ in range(generator.randint(1, 4)))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_statistics_stay_exact_over_writes(app: Application, bank: TestBank, seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(8):
        mode = generator.choice(["replace", "append"])
        items = [
            {
                "content": document(generator),
                "document_id": f"d{generator.randint(0, 3)}",
                "update_mode": mode,
            }
            for _ in range(generator.randint(1, 3))
        ]
        await bank.retain(*items)
        (await statistics(app, bank)).check()


async def test_statistics_forget_what_a_document_loses(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": "a glacier and a lantern", "document_id": "d"}, "a meadow")
    await bank.retain({"content": "a teapot", "document_id": "d"})
    now = await statistics(app, bank)
    now.check()
    assert now.true_terms == {"meadow": 1, "teapot": 1}


async def test_weights_follow_the_mean_length_when_it_drifts(app: Application, bank: TestBank) -> None:
    await bank.retain(*(f"teapot {i}" for i in range(5)))
    short = await statistics(app, bank)
    await bank.retain(*(f"{'glacier lantern meadow orchid ' * 8} {i}" for i in range(20)))
    long = await statistics(app, bank)
    for now in (short, long):
        assert abs(now.length / now.units / now.average - 1) <= DRIFT + 1e-6
    assert long.average > short.average
    query = (
        "SELECT bool_and(term_weights::text"
        "                = bm25_weights(search_vector, length, banks.average_length)::text)"
        " FROM memory_units JOIN banks USING (bank_key) WHERE bank_key = %(key)s"
    )
    async with app.database.read() as connection:
        ((fresh,),) = await fetch(connection, query, {"key": await bank_key(app, bank.bank_id)})
    assert fresh


async def test_a_stored_vector_is_the_encoders(app: Application, bank: TestBank) -> None:
    await bank.retain("a glacier and a lantern")
    (embedding,) = bundled(app).embed_passages(["a glacier and a lantern"])
    query = (
        "SELECT embedding::text, vectors FROM memory_units JOIN memory_token_vectors AS token"
        " ON token.bank_key = memory_units.bank_key AND token.unit_id = memory_units.id"
        " WHERE memory_units.bank_key = %(key)s"
    )
    async with app.database.read() as connection:
        ((stored, tokens),) = await fetch(connection, query, {"key": await bank_key(app, bank.bank_id)})
    assert np.array(stored.strip("[]").split(","), float) == pytest.approx(embedding.vector, abs=1e-3)
    assert bytes(tokens) == embedding.tokens.tobytes()
