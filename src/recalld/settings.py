"""Every setting: name, type, default, meaning. Read from the environment at the edge, nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, AliasGenerator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from recalld.domain.banks import BankConfig
from recalld.domain.budget import Budget, BudgetRule
from recalld.recall.boost import BoostWeights

EMBEDDED = {"", "pg0"}
"""Values of the database URL that mean: start our own PostgreSQL."""


def _names(field: str) -> AliasChoices:
    return AliasChoices(f"RECALLD_{field.upper()}", f"HINDSIGHT_API_{field.upper()}", field)


Seconds = Annotated[float, Field(gt=0)]
Similarity = Annotated[float, Field(ge=0, le=1)]


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

    model_threads: int = Field(0, ge=0, description="Threads of the bundled model; 0 means all cores.")
    reranker: Literal["builtin", "cross-encoder", "rrf"] = Field(
        "builtin",
        description="`builtin` late interaction; `cross-encoder` adds a model; `rrf` keeps fused order.",
    )
    reranker_model: str = Field(
        "cross-encoder/ms-marco-MiniLM-L6-v2", description="Cross-encoder: a hub name or a local folder."
    )
    reranker_top: int = Field(48, ge=1, description="Candidates the cross-encoder reads.")
    reranker_deadline: Seconds = Field(10.0, description="Longest wait for the cross-encoder, in seconds.")
    reranker_required: bool = Field(False, description="Answer 503 instead of degrading when it is down.")
    reranker_max_candidates: int = Field(300, ge=1, description="Fused candidates that are reranked.")

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

    recency_decay_linear_window_days: float = Field(
        365.0, gt=0, description="Days until a fact counts as old."
    )

    recall_budget_function: Literal["fixed", "adaptive"] = Field(
        "fixed", description="How depth is worked out."
    )
    recall_budget_fixed_low: int = Field(100, ge=1, description="Depth for `low`.")
    recall_budget_fixed_mid: int = Field(300, ge=1, description="Depth for `mid`.")
    recall_budget_fixed_high: int = Field(1000, ge=1, description="Depth for `high`.")
    recall_prefer_observations: bool = Field(False, description="Default of the request's flag.")
    enable_text_search: bool = Field(True, description="Keyword retriever on.")
    enable_temporal_retrieval: bool = Field(True, description="Temporal retriever on.")
    enable_graph_retrieval: bool = Field(True, description="Graph retriever on.")
    enable_reranking: bool = Field(True, description="Reranking on.")
    retain_chunk_size: int = Field(500, ge=100, le=20_000, description="Longest chunk in characters.")

    date_order: Literal["MDY", "DMY"] = Field("MDY", description="How 06/05/2024 is read.")
    southern_seasons: bool = Field(False, description="Seasons of the southern hemisphere.")

    @property
    def embedded(self) -> bool:
        """Whether recalld runs its own PostgreSQL."""
        return self.database_url in EMBEDDED

    @property
    def threads(self) -> int:
        """Threads of the bundled model."""
        return self.model_threads or os.cpu_count() or 1

    @property
    def boosts(self) -> BoostWeights:
        """Boost weights of recall."""
        return BoostWeights(recency_days=self.recency_decay_linear_window_days)

    @property
    def bank_defaults(self) -> BankConfig:
        """What a bank without overrides uses."""
        fixed = {
            Budget.LOW: self.recall_budget_fixed_low,
            Budget.MID: self.recall_budget_fixed_mid,
            Budget.HIGH: self.recall_budget_fixed_high,
        }
        return BankConfig(
            budget=BudgetRule(function=self.recall_budget_function, fixed=fixed),
            enable_text_search=self.enable_text_search,
            enable_temporal_retrieval=self.enable_temporal_retrieval,
            enable_graph_retrieval=self.enable_graph_retrieval,
            enable_reranking=self.enable_reranking,
            recall_prefer_observations=self.recall_prefer_observations,
            retain_chunk_size=self.retain_chunk_size,
        )
