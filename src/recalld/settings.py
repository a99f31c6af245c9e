"""Every setting: name, type, default, meaning. Read from the environment at the edge, nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, AliasGenerator, BeforeValidator, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

EMBEDDED = {"", "pg0"}
"""Values of the database URL that mean: start our own PostgreSQL."""


_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cpus() -> int:
    """CPUs this process may use: those it is bound to, or fewer where its container has a quota."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _CPU_QUOTA.read_text(encoding="ascii").split()
        return max(1, min(bound, round(int(quota) / int(period))))
    except (OSError, ValueError):
        return bound


def _names(field: str, *others: str) -> AliasChoices:
    """Where a setting is read; ``others`` are more names that Hindsight has for it."""
    more = (f"HINDSIGHT_API_{other}" for other in others)
    return AliasChoices(f"RECALLD_{field.upper()}", f"HINDSIGHT_API_{field.upper()}", *more, field)


def _one_of_ours(names: dict[str, str]) -> BeforeValidator:
    """Accepts other words for some of the values."""
    return BeforeValidator(lambda value: names.get(value, value) if isinstance(value, str) else value)


Seconds = Annotated[float, Field(gt=0)]
Similarity = Annotated[float, Field(ge=0, le=1)]
RERANKERS = ("builtin", "cross-encoder", "onnx", "tei", "cohere", "rrf")
WITHOUT_MODEL = {"builtin", "rrf"}
"""Rerankers that never fail."""


class Settings(BaseSettings):
    """Settings under ``RECALLD_<NAME>``; ``HINDSIGHT_API_<NAME>`` is read where the other is absent (D24)."""

    model_config = SettingsConfigDict(
        alias_generator=AliasGenerator(validation_alias=_names), extra="ignore", populate_by_name=True
    )

    host: str = Field("127.0.0.1", description="Address to listen on; containers set 0.0.0.0.")
    port: int = Field(8888, ge=0, le=65535, description="Port to listen on.")
    log_level: Literal["critical", "error", "warning", "info", "debug"] = Field(
        "info", description="Least severe log line shown."
    )

    api_keys: SecretStr = Field(
        SecretStr(""),
        validation_alias=AliasChoices(
            "RECALLD_API_KEYS", "HINDSIGHT_API_API_KEYS", "HINDSIGHT_API_TENANT_API_KEY", "api_keys"
        ),
        description="Keys that open the `/v1` routes, with commas between them; `key@prefix` opens the banks "
        "whose id begins with the prefix. Empty leaves everything open.",
    )

    past_keys: SecretStr = Field(
        SecretStr(""),
        description="Keys of the past.dev routes, each with its bank: `past_sk_abc=shop,past_sk_def=lab`. "
        "Empty: the keys above that open `default` open it here too, or any key where there are none.",
    )
    past_identity_mode: Literal["tags", "bank"] = Field(
        "tags",
        description="Whether identities share the bank and see what their tags allow, or have a bank each.",
    )
    past_max_tokens: int = Field(32_000, ge=1, description="Most tokens of evidence in one answer there.")
    past_ingest_wait: float = Field(
        2.0, ge=0, description="Longest wait for an ingestion before its receipt, in seconds."
    )

    database_url: str = Field(
        "", description="PostgreSQL 16 or newer with pgvector; empty or `pg0` starts our own server."
    )
    data_dir: Path | None = Field(
        None,
        description="Where our own PostgreSQL keeps its data; the platform's user data folder by default.",
    )
    run_migrations_on_startup: bool = Field(True, description="Bring the schema up to date at start.")
    db_pool_size: int = Field(40, ge=8, description="Connections at most; about 4 per concurrent recall.")
    db_acquire_timeout: Seconds = Field(30.0, description="Longest wait for a connection, in seconds.")
    db_statement_timeout: Seconds = Field(60.0, description="Longest statement, in seconds.")

    model_threads: int = Field(0, ge=0, description="Threads of a model that runs here; 0 means all cores.")
    embeddings_provider: Annotated[
        Literal["bundled", "sentence-transformers", "onnx", "openai", "tei"],
        _one_of_ours({"local": "bundled"}),
    ] = Field("bundled", description="What makes vectors; `local` is another word for `bundled`.")
    embeddings_model: str = Field(
        "",
        validation_alias=_names("embeddings_model", "EMBEDDINGS_LOCAL_MODEL", "EMBEDDINGS_OPENAI_MODEL"),
        description="Its model: a name, or a folder; empty for the provider's usual one.",
    )
    embeddings_base_url: str = Field(
        "",
        validation_alias=_names("embeddings_base_url", "EMBEDDINGS_OPENAI_BASE_URL"),
        description="Address of `openai`, up to and without `/embeddings`; empty for OpenAI's own.",
    )
    embeddings_tei_url: str = Field("", description="Address of `tei`.")
    embeddings_api_key: SecretStr = Field(
        SecretStr(""),
        validation_alias=_names("embeddings_api_key", "EMBEDDINGS_OPENAI_API_KEY"),
        description="Key of `openai` or `tei`.",
    )
    embeddings_dimension: int = Field(
        0, ge=0, le=3500, description="Length of the vectors of `openai` or `tei`; 0 to ask at start."
    )
    embeddings_query_prefix: str = Field(
        "", description="What the model reads before a query, for example `query: `; not for `bundled`."
    )
    embeddings_passage_prefix: str = Field("", description="What it reads before a text to store.")
    embeddings_max_input_tokens: int = Field(
        8192, ge=8, description="Tokens it reads at most, if its own limit is not lower."
    )

    reranker: Annotated[
        Literal["builtin", "cross-encoder", "onnx", "tei", "cohere", "rrf"],
        _one_of_ours({"local": "builtin"}),
    ] = Field(
        "builtin",
        validation_alias=_names("reranker", "RERANKER_PROVIDER"),
        description="`builtin` late interaction, to which `cross-encoder`, `onnx`, `tei` and `cohere` add a "
        "model over the top; `rrf` keeps fused order. `local` is another word for `builtin`.",
    )
    reranker_model: str = Field(
        "",
        validation_alias=_names("reranker_model", "RERANKER_LOCAL_MODEL", "RERANKER_COHERE_MODEL"),
        description="Its model: a name, or a folder; empty for the provider's usual one.",
    )
    reranker_url: str = Field(
        "",
        validation_alias=_names("reranker_url", "RERANKER_TEI_URL", "RERANKER_COHERE_BASE_URL"),
        description="Address of `tei` or `cohere`, up to and without `/rerank`.",
    )
    reranker_api_key: SecretStr = Field(
        SecretStr(""),
        validation_alias=_names("reranker_api_key", "RERANKER_COHERE_API_KEY"),
        description="Key of `tei` or `cohere`.",
    )
    reranker_fallbacks: str = Field(
        "",
        description="Rerankers asked in turn when the one above fails, with commas between them; "
        "`builtin` or `rrf` may be the last, and then never fails.",
    )
    reranker_fallback_model: str = Field("", description="Model of a fallback.")
    reranker_fallback_url: str = Field("", description="Address of a fallback; empty for the one above.")
    reranker_fallback_api_key: SecretStr = Field(SecretStr(""), description="Key for that address.")
    reranker_cache_size: int = Field(
        20_000, ge=0, description="Scores of a model that are remembered; 0 for none."
    )
    reranker_top: int = Field(48, ge=1, description="Candidates that model reads.")
    reranker_top_low: int = Field(0, ge=0, description="The same for budget `low`; 0 for no difference.")
    reranker_top_mid: int = Field(0, ge=0, description="The same for budget `mid`.")
    reranker_top_high: int = Field(0, ge=0, description="The same for budget `high`.")
    reranker_deadline: Seconds = Field(10.0, description="Longest wait for it and its fallbacks, in seconds.")
    reranker_required: bool = Field(False, description="Answer 503 instead of degrading when it is down.")
    reranker_max_candidates: int = Field(300, ge=1, description="Fused candidates that are reranked.")
    reranker_max_candidates_low: int = Field(
        0, ge=0, description="The same for budget `low`; 0 for no difference."
    )
    reranker_max_candidates_mid: int = Field(0, ge=0, description="The same for budget `mid`.")
    reranker_max_candidates_high: int = Field(0, ge=0, description="The same for budget `high`.")

    decision_model_provider: Literal["none", "typesafe", "cloudflare", "openai"] = Field(
        "none", description="Decision model that orders results in place of the reranker."
    )
    decision_model_api_key: SecretStr = Field(SecretStr(""), description="Its key.")
    decision_model_model: str = Field("", description="Its name; empty for the provider's usual one.")
    decision_model_base_url: str = Field("", description="Its address; empty for the provider's usual one.")
    decision_model_timeout: Seconds = Field(60.0, description="Longest wait for one request, in seconds.")
    decision_model_max_concurrent: int = Field(24, ge=1, description="Requests under way at once.")
    decision_model_max_request_tokens: int = Field(26_000, ge=1000, description="Largest request in tokens.")
    recall_decision_model_provider: Literal["", "none", "typesafe", "cloudflare", "openai"] = Field(
        "",
        description="Decision model for recall; empty for the one above, `none` for none. Its key, name "
        "and address fall back to those above when the provider is the same.",
    )
    recall_decision_model_api_key: SecretStr = Field(SecretStr(""), description="Its key.")
    recall_decision_model_model: str = Field("", description="Its name.")
    recall_decision_model_base_url: str = Field("", description="Its address.")
    recall_decision_model_prune: bool = Field(False, description="Default of the request's `rerank.prune`.")
    recall_decision_model_dedup: bool = Field(False, description="Default of the request's `rerank.dedup`.")

    llm_provider: str = Field(
        "none",
        description="Language model that finds facts in texts and writes observations: `none`, or `openai` "
        "for any endpoint that speaks its chat format. Another name counts as `openai` where there is a base "
        "URL.",
    )
    llm_api_key: SecretStr = Field(SecretStr(""), description="Its key.")
    llm_model: str = Field("", description="Its name; may be empty for OpenAI's own address only.")
    llm_base_url: str = Field(
        "", description="Its address, up to and without `/chat/completions`; empty for OpenAI's own."
    )
    llm_timeout: Seconds = Field(120.0, description="Longest wait for one answer, in seconds.")
    llm_max_concurrent: int = Field(8, ge=1, description="Requests to it under way at once.")

    semantic_min_similarity: Similarity = Field(0.3, description="Cosine floor of the semantic retriever.")
    graph_seed_min_similarity: Similarity = Field(0.3, description="Cosine floor of graph seeds.")
    temporal_semantic_min_similarity: Similarity = Field(
        0.1, description="Cosine floor of the temporal retriever."
    )
    bm25_min_score: float = Field(0.0, ge=0, description="BM25 floor of the keyword retriever.")
    token_cache_mb: int = Field(
        256, ge=1, description="Memory for token vectors of recently seen facts, in MiB."
    )
    retriever_deadline: Seconds = Field(10.0, description="Longest wait for one retriever, in seconds.")
    vector_index_min_rows: int = Field(
        10_000,
        ge=1,
        description="Facts from which a bank gets an HNSW index; smaller banks are scanned exactly.",
    )

    recall_max_query_tokens: int = Field(500, ge=0, description="Longest query in tokens; 0 for no limit.")
    recall_query_overflow: Literal["reject", "truncate"] = Field(
        "reject", description="What happens to a longer query."
    )
    recall_max_body_bytes: int = Field(2 * 1024 * 1024, ge=1024, description="Largest recall body.")
    retain_max_body_bytes: int = Field(64 * 1024 * 1024, ge=1024, description="Largest body elsewhere.")
    gzip_min_size: int = Field(1024, description="Smallest body that is compressed; negative for never.")

    admission_recall_max_in_flight: int = Field(
        0, description="Recalls worked on at once; 0 for 16 per CPU, negative for no limit."
    )
    admission_recall_max_wait_ms: int = Field(
        30_000, description="Longest wait for a turn, in milliseconds; 0 to try once."
    )
    worker_enabled: bool = Field(True, description="Whether the server itself does background work.")
    worker_count: int = Field(1, ge=1, le=64, description="Parts of operations one process works on at once.")
    worker_lease: Seconds = Field(
        30.0, description="Seconds without a sign of life after which a worker's part is given to another."
    )
    worker_poll: Seconds = Field(1.0, description="Seconds between two looks of an idle worker.")
    otel_exporter_otlp_endpoint: str = Field(
        "", description="Where spans go, as OTLP over HTTP; empty for nowhere. Needs the `otel` extra."
    )

    recall_strategy_boosts: str = Field(
        "",
        description="Retrievers to favour: `semantic`, `bm25`, `graph` or `temporal`, each with `:low`, "
        "`:medium` or `:high`, with commas between them.",
    )
    recall_max_candidates_per_source: int = Field(
        0, ge=0, description="Best hits of each retriever that are fused; 0 for all."
    )
    recency_decay_function: Literal["linear", "exponential", "none"] = Field(
        "linear", description="How facts age."
    )
    recency_decay_linear_window_days: float = Field(
        365.0, gt=0, description="Days until a fact counts as old, with `linear`."
    )
    recency_decay_halflife_days: float = Field(
        90.0, gt=0, description="Days in which recency halves, with `exponential`."
    )

    recall_budget_function: Literal["fixed", "adaptive"] = Field(
        "fixed", description="How depth is worked out."
    )
    recall_budget_fixed_low: int = Field(100, ge=1, description="Depth for `low`.")
    recall_budget_fixed_mid: int = Field(300, ge=1, description="Depth for `mid`.")
    recall_budget_fixed_high: int = Field(1000, ge=1, description="Depth for `high`.")
    recall_budget_adaptive_low: float = Field(0.025, gt=0, description="Share of `max_tokens` for `low`.")
    recall_budget_adaptive_mid: float = Field(0.075, gt=0, description="Share of `max_tokens` for `mid`.")
    recall_budget_adaptive_high: float = Field(0.25, gt=0, description="Share of `max_tokens` for `high`.")
    recall_budget_min: int = Field(20, ge=1, description="Least depth of `adaptive`.")
    recall_budget_max: int = Field(2000, ge=1, description="Greatest depth of `adaptive`.")
    recall_prefer_observations: bool = Field(False, description="Default of the request's flag.")
    text_search_language: str = Field(
        "english",
        pattern="^[a-z][a-z0-9_]*$",
        validation_alias=AliasChoices(
            "RECALLD_TEXT_SEARCH_LANGUAGE",
            "HINDSIGHT_API_TEXT_SEARCH_EXTENSION_NATIVE_LANGUAGE",
            "text_search_language",
        ),
        description="Language of the words of new banks, such as `german`; `simple` for none in particular.",
    )
    enable_text_search: bool = Field(True, description="Keyword retriever on.")
    enable_temporal_retrieval: bool = Field(True, description="Temporal retriever on.")
    enable_graph_retrieval: bool = Field(True, description="Graph retriever on.")
    enable_reranking: bool = Field(True, description="Reranking on.")
    enable_observations: bool = Field(
        True, description="Whether statements made more than once become observations."
    )
    enable_auto_consolidation: bool = Field(True, description="Whether that happens after each retain.")
    recall_observation_fallback: bool = Field(
        False, description="Answer a recall of observations with facts while a bank has no observation."
    )
    retain_chunk_size: int = Field(500, ge=100, le=20_000, description="Longest chunk in characters.")

    date_order: Literal["MDY", "DMY"] = Field("MDY", description="How 06/05/2024 is read.")
    southern_seasons: bool = Field(False, description="Seasons of the southern hemisphere.")

    @field_validator("reranker_fallbacks")
    @classmethod
    def _known_fallbacks(cls, value: str) -> str:
        names = _listed(value)
        if unknown := [name for name in names if name not in RERANKERS]:
            raise ValueError(f"there is no reranker '{unknown[0]}'; there are {', '.join(RERANKERS)}")
        if any(name in WITHOUT_MODEL for name in names[:-1]):
            raise ValueError("`builtin` and `rrf` never fail: nothing may come after them")
        return value

    @field_validator("past_keys")
    @classmethod
    def _projects(cls, value: SecretStr) -> SecretStr:
        for key, bank_id in _pairs(value):
            if not key or not bank_id:
                raise ValueError("write `key=bank`, with commas between the pairs")
        return value

    @property
    def past_projects(self) -> list[tuple[str, str]]:
        """Keys of the second front door, each with the bank it opens."""
        return _pairs(self.past_keys)

    @property
    def embedded(self) -> bool:
        """Whether recalld runs its own PostgreSQL."""
        return self.database_url in EMBEDDED

    @property
    def threads(self) -> int:
        """Threads of the bundled model."""
        return self.model_threads or available_cpus()

    @property
    def last_reranker(self) -> str:
        """What serves when every model fails: `builtin`, `rrf`, or nothing that was asked for."""
        last = self.fallbacks[-1:]
        return last[0] if last and last[0] in WITHOUT_MODEL else ""

    @property
    def fallbacks(self) -> list[str]:
        """Names of the rerankers behind the first."""
        return _listed(self.reranker_fallbacks)

    @property
    def recall_capacity(self) -> int | None:
        """Recalls worked on at once; ``None`` for no limit."""
        given = self.admission_recall_max_in_flight
        return None if given < 0 else given or max(16, 16 * available_cpus())


def _pairs(value: SecretStr) -> list[tuple[str, str]]:
    split = (entry.rpartition("=") for entry in _listed(value.get_secret_value()))
    return [(key.strip(), bank_id.strip()) for key, _, bank_id in split]


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]
