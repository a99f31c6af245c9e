"""Models that cannot be used as they are set up end the start in one sentence that names the model."""

from __future__ import annotations

import pytest

from recalld.bootstrap import application
from recalld.domain.errors import InvalidRequest
from tests.fixtures.bank import Json
from tests.fixtures.databases import settings_for


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"llm_provider": "groq"}, "language model .*RECALLD_LLM_BASE_URL"),
        ({"llm_provider": "openai", "llm_base_url": "http://localhost:1"}, "language model .*needs a name"),
        (
            {"llm_provider": "openai", "llm_base_url": "localhost", "llm_model": "m"},
            "language model .*http://",
        ),
        ({"llm_provider": "openai", "llm_api_key": "two words"}, "language model .*no header"),
        ({"decision_model_provider": "cloudflare"}, "decision model "),
        (
            {"recall_decision_model_provider": "openai", "recall_decision_model_base_url": "x"},
            "decision model ",
        ),
        ({"reranker": "tei"}, "reranker "),
        ({"embeddings_provider": "tei"}, "embedder "),
    ],
)
async def test_a_model_that_cannot_be_used_ends_the_start(
    database_url: str, settings: Json, why: str
) -> None:
    with pytest.raises(InvalidRequest, match=f"The {why}"):
        async with application(settings_for(database_url, **settings)):
            """Never reached."""
