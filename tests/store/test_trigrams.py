"""Trigram similarity in Python is the one PostgreSQL works out."""

from __future__ import annotations

from itertools import product

import pytest

from recalld.bootstrap import Application
from recalld.domain.trigrams import similarity
from recalld.store.engine import fetch

TEXTS = (
    "typescript",
    "typsecript",
    "a",
    "",
    "project alpha",
    "alpha-project",
    "v1.2",
    "Team Red",
    "日本語",
    "x_y",
)


async def test_similarity_is_that_of_pg_trgm(app: Application) -> None:
    pairs = list(product(TEXTS, TEXTS))
    query = "SELECT similarity(%(one)s, %(other)s)"
    async with app.database.read() as connection:
        for one, other in pairs:
            ((expected,),) = await fetch(connection, query, {"one": one, "other": other})
            assert similarity(one, other) == pytest.approx(expected, abs=1e-6), (one, other)
