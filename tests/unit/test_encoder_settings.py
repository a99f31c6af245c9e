"""Encoders in settings: names, synonyms, and keys that stay with their address."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from recalld.configure import embedder_choice, reranker_choices, reranker_tops
from recalld.domain.budget import Budget
from recalld.settings import Settings


def settings(**values: Any) -> Settings:
    return Settings(**values)


def test_the_bundled_embedder_and_no_further_model_are_the_default() -> None:
    assert embedder_choice(settings()).provider == "bundled"
    assert reranker_choices(settings()) == []


def test_d24_deployments_of_hindsight_name_the_bundled_ones_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_API_EMBEDDINGS_PROVIDER", "local")
    monkeypatch.setenv("HINDSIGHT_API_RERANKER_PROVIDER", "local")
    made = settings()
    assert (made.embeddings_provider, made.reranker) == ("bundled", "builtin")


def test_d24_other_names_of_hindsight_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_API_EMBEDDINGS_PROVIDER", "openai")
    monkeypatch.setenv("HINDSIGHT_API_EMBEDDINGS_OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("HINDSIGHT_API_RERANKER_PROVIDER", "tei")
    monkeypatch.setenv("HINDSIGHT_API_RERANKER_TEI_URL", "http://reranker")
    made = settings()
    assert embedder_choice(made).api_key == "sk-1"
    assert [choice.url for choice in reranker_choices(made)] == ["http://reranker"]


def test_each_embedder_has_its_own_address() -> None:
    places = {"embeddings_base_url": "http://openai", "embeddings_tei_url": "http://tei"}
    for provider in ("openai", "tei"):
        made = embedder_choice(settings(embeddings_provider=provider, **places))
        assert made.url == f"http://{provider}"


def test_a_key_is_not_sent_to_the_address_of_a_fallback() -> None:
    base = {
        "reranker": "cohere",
        "reranker_url": "https://one",
        "reranker_api_key": "first",
        "reranker_fallbacks": "tei, rrf",
    }
    _, same = reranker_choices(settings(**base))
    assert (same.url, same.api_key) == ("https://one", "first")
    _, other = reranker_choices(settings(**base, reranker_fallback_url="https://two"))
    assert (other.provider, other.url, other.api_key) == ("tei", "https://two", None)
    own = settings(**base, reranker_fallback_url="https://two", reranker_fallback_api_key="second")
    assert reranker_choices(own)[1].api_key == "second"
    assert "second" not in repr(own)


@pytest.mark.parametrize("fallbacks", ["magic", "rrf,tei", "builtin,rrf", "tei,,magic"])
def test_a_chain_that_makes_no_sense_is_refused(fallbacks: str) -> None:
    with pytest.raises(ValidationError, match="rrf"):
        settings(reranker="tei", reranker_fallbacks=fallbacks)


def test_a_budget_without_a_top_of_its_own_has_the_general_one() -> None:
    made = settings(reranker_top=30, reranker_top_high=60)
    assert reranker_tops(made) == {Budget.LOW: 30, Budget.MID: 30, Budget.HIGH: 60}
