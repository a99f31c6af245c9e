"""The language model in settings: names of providers, and what its presence changes for banks."""

from __future__ import annotations

from typing import Any

import pytest

from recalld.configure import bank_defaults, chat_choice
from recalld.encoders.choices import ChatChoice
from recalld.settings import Settings


def settings(**values: Any) -> Settings:
    return Settings(**values)


@pytest.mark.parametrize("provider", ["none", "", "None"])
def test_d20_no_model_is_the_default(provider: str) -> None:
    for made in (settings(), settings(llm_provider=provider, llm_base_url="http://localhost:1")):
        assert chat_choice(made) is None
        defaults = bank_defaults(made)
        assert (defaults.has_language_model, defaults.retain_extraction_mode) == (False, "chunks")


@pytest.mark.parametrize("provider", ["openai", "OpenAI", "ollama", "groq"])
def test_any_name_will_do_for_an_endpoint_with_an_address(provider: str) -> None:
    made = settings(
        llm_provider=provider,
        llm_base_url="http://localhost:1",
        llm_model="m",
        llm_api_key="k",
        llm_timeout=5,
    )
    assert chat_choice(made) == ChatChoice("m", "http://localhost:1", "k", 5.0, 8)
    assert "'k'" not in repr(chat_choice(made))
    assert bank_defaults(made).retain_extraction_mode == "concise"


def test_a_provider_without_an_address_is_refused() -> None:
    with pytest.raises(ValueError, match="'groq' is not known"):
        chat_choice(settings(llm_provider="groq"))
    assert chat_choice(settings(llm_provider="openai")) == ChatChoice()


def test_d24_the_names_of_hindsight_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "PROVIDER": "openai",
        "API_KEY": "k",
        "MODEL": "m",
        "BASE_URL": "http://x",
        "MAX_CONCURRENT": "3",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"HINDSIGHT_API_LLM_{name}", value)
    assert chat_choice(settings()) == ChatChoice("m", "http://x", "k", 120.0, 3)


def test_a_size_of_chunks_that_was_chosen_counts_for_every_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not bank_defaults(settings()).chunk_size_given
    monkeypatch.setenv("RECALLD_RETAIN_CHUNK_SIZE", "800")
    assert bank_defaults(settings()).chunk_size_given
