"""What the settings mean for the parts that bootstrap builds. Pure: settings in, values out."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from recalld.domain.banks import BankConfig
from recalld.domain.budget import Budget, BudgetRule
from recalld.encoders.choices import ChatChoice, EmbedderChoice, RerankerChoice
from recalld.encoders.decision.client import DecisionEndpoint
from recalld.recall.boost import BoostWeights, Decay, exponential_decay, linear_decay, no_decay
from recalld.recall.favour import read_favours
from recalld.settings import WITHOUT_MODEL, Settings


def embedder_choice(settings: Settings) -> EmbedderChoice:
    """The embedder that is wanted."""
    provider = settings.embeddings_provider
    return EmbedderChoice(
        provider,
        settings.embeddings_model,
        settings.embeddings_tei_url if provider == "tei" else settings.embeddings_base_url,
        settings.embeddings_api_key.get_secret_value() or None,
        settings.embeddings_dimension,
        settings.embeddings_query_prefix,
        settings.embeddings_passage_prefix,
        settings.embeddings_max_input_tokens,
        settings.threads,
    )


def reranker_choices(settings: Settings) -> list[RerankerChoice]:
    """Models that rerank the top, in the order in which they are asked; none with `builtin` or `rrf`.

    A key goes to its own address only.
    """
    if settings.reranker in WITHOUT_MODEL:
        return []
    url, key = settings.reranker_url, settings.reranker_api_key.get_secret_value() or None
    own_key = settings.reranker_fallback_api_key.get_secret_value() or None
    own_url = settings.reranker_fallback_url
    first = (settings.reranker, settings.reranker_model, url, key)
    behind = (settings.reranker_fallback_model, own_url or url, own_key if own_url else key)
    wanted = [first, *((name, *behind) for name in settings.fallbacks if name not in WITHOUT_MODEL)]
    return [RerankerChoice(*one, settings.reranker_cache_size, settings.threads) for one in wanted]


def decision_endpoint(settings: Settings) -> DecisionEndpoint | None:
    """The decision model for recall. Its own settings come first; the others serve the same provider only."""
    provider = settings.recall_decision_model_provider or settings.decision_model_provider
    if provider == "none":
        return None
    inherits = provider == settings.decision_model_provider

    def chosen(name: str) -> str | None:
        own, shared = (
            getattr(settings, f"recall_decision_model_{name}"),
            getattr(settings, f"decision_model_{name}"),
        )
        value = own or (shared if inherits else None)
        return value.get_secret_value() if isinstance(value, SecretStr) else value or None

    return DecisionEndpoint(
        provider,
        api_key=chosen("api_key"),
        model=chosen("model"),
        base_url=chosen("base_url"),
        timeout=settings.decision_model_timeout,
        max_concurrent=settings.decision_model_max_concurrent,
        max_request_tokens=settings.decision_model_max_request_tokens,
    )


def chat_choice(settings: Settings) -> ChatChoice | None:
    """The language model that is wanted. Raises ``ValueError`` for a provider that has no address."""
    provider = settings.llm_provider.strip().lower()
    if provider in {"", "none"}:
        return None
    if provider != "openai" and not settings.llm_base_url:
        raise ValueError(
            f"the provider {provider!r} is not known; for an endpoint that speaks OpenAI's chat format set "
            "RECALLD_LLM_BASE_URL, for no model set RECALLD_LLM_PROVIDER to none"
        )
    return ChatChoice(
        settings.llm_model,
        settings.llm_base_url,
        settings.llm_api_key.get_secret_value() or None,
        settings.llm_timeout,
        settings.llm_max_concurrent,
    )


def reranker_tops(settings: Settings) -> dict[Budget, int]:
    """Candidates a model reads, by budget."""
    own: dict[Budget, int] = _by_budget(settings, "reranker_top")
    return {budget: number or settings.reranker_top for budget, number in own.items()}


def candidates(settings: Settings) -> dict[Budget, int]:
    """Fused candidates that are reranked, by budget."""
    own: dict[Budget, int] = _by_budget(settings, "reranker_max_candidates")
    return {budget: number or settings.reranker_max_candidates for budget, number in own.items()}


def boosts(settings: Settings) -> BoostWeights:
    """Boost weights of recall."""
    return BoostWeights(decay=decay(settings), favours=read_favours(settings.recall_strategy_boosts))


def decay(settings: Settings) -> Decay:
    """How facts age."""
    match settings.recency_decay_function:
        case "linear":
            return linear_decay(settings.recency_decay_linear_window_days)
        case "exponential":
            return exponential_decay(settings.recency_decay_halflife_days)
        case "none":
            return no_decay


def bank_defaults(settings: Settings) -> BankConfig:
    """What a bank without overrides uses."""
    has_model = chat_choice(settings) is not None
    return BankConfig(
        budget=BudgetRule(
            function=settings.recall_budget_function,
            fixed=_by_budget(settings, "recall_budget_fixed"),
            adaptive=_by_budget(settings, "recall_budget_adaptive"),
            minimum=settings.recall_budget_min,
            maximum=settings.recall_budget_max,
        ),
        enable_text_search=settings.enable_text_search,
        enable_temporal_retrieval=settings.enable_temporal_retrieval,
        enable_graph_retrieval=settings.enable_graph_retrieval,
        enable_reranking=settings.enable_reranking,
        recall_prefer_observations=settings.recall_prefer_observations,
        recall_decision_model_prune=settings.recall_decision_model_prune,
        recall_decision_model_dedup=settings.recall_decision_model_dedup,
        retain_chunk_size=settings.retain_chunk_size,
        enable_observations=settings.enable_observations,
        enable_auto_consolidation=settings.enable_auto_consolidation,
        recall_observation_fallback=settings.recall_observation_fallback,
        retain_extraction_mode="concise" if has_model else "chunks",
        has_language_model=has_model,
        chunk_size_given="retain_chunk_size" in settings.model_fields_set,
    )


def _by_budget(settings: Settings, name: str) -> dict[Budget, Any]:
    """The three settings that are called so with a budget behind."""
    return {budget: getattr(settings, f"{name}_{budget}") for budget in Budget}
