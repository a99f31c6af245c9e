"""The tables as SQLAlchemy sees them; ``migrations/`` is the authority."""

from __future__ import annotations

from typing import Any

from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR, UUID

TERM_SPACE = 1_000_000_000

metadata = MetaData()


def _when(name: str) -> Column[Any]:
    return Column(name, DateTime(timezone=True))


store_facts = Table("store_facts", metadata, Column("name", Text, primary_key=True), Column("value", Text))

banks = Table(
    "banks",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("bank_id", Text),
    Column("name", Text),
    Column("mission", Text),
    Column("disposition", JSONB),
    Column("config", JSONB),
    Column("unit_count", BigInteger),
    Column("total_length", Double),
    Column("average_length", Float),
    _when("created_at"),
    _when("updated_at"),
    _when("last_document_at"),
    _when("last_write_at"),
    Column("text_search_language", Text),
)

documents = Table(
    "documents",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("original_text", Text),
    Column("content_hash", Text),
    Column("retain_params", JSONB),
    Column("document_metadata", JSONB),
    Column("tags", ARRAY(Text)),
    _when("created_at"),
    _when("updated_at"),
    Column("label", Text),
    Column("source_metadata", Text),
    Column("fingerprint", Text),
    Column("ingestion_id", UUID(as_uuid=True)),
)

chunks = Table(
    "chunks",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("chunk_id", Text, primary_key=True),
    Column("document_id", Text),
    Column("chunk_index", Integer),
    Column("chunk_text", Text),
    Column("content_hash", Text),
    Column("token_count", Integer),
    _when("created_at"),
)

memory_units = Table(
    "memory_units",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("id", UUID(as_uuid=True), primary_key=True),
    Column("document_id", Text),
    Column("chunk_id", Text),
    Column("text", Text),
    Column("context", Text),
    Column("fact_type", Text),
    _when("event_date"),
    _when("occurred_start"),
    _when("occurred_end"),
    _when("mentioned_at"),
    Column("metadata", JSONB),
    Column("tags", ARRAY(Text)),
    Column("observation_scopes", JSONB),
    Column("proof_count", Integer),
    Column("source_memory_ids", ARRAY(UUID(as_uuid=True))),
    Column("attachment_ids", ARRAY(Text)),
    Column("token_count", Integer),
    Column("embedding", HALFVEC()),
    Column("search_vector", TSVECTOR),
    Column("length", Float),
    Column("term_weights", SPARSEVEC(TERM_SPACE)),
    _when("consolidated_at"),
    _when("created_at"),
    _when("updated_at"),
    _when("edited_at"),
    _when("consolidation_failed_at"),
)

memory_token_vectors = Table(
    "memory_token_vectors",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("unit_id", UUID(as_uuid=True), primary_key=True),
    Column("vectors", LargeBinary),
)

reembedded_units = Table(
    "reembedded_units",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("unit_id", UUID(as_uuid=True), primary_key=True),
    Column("source", UUID(as_uuid=True)),
    Column("embedding", HALFVEC()),
    Column("vectors", LargeBinary),
)

bank_terms = Table(
    "bank_terms",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("term", Text, primary_key=True),
    Column("df", Integer),
)

entities = Table(
    "entities",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("id", UUID(as_uuid=True), primary_key=True),
    Column("canonical_name", Text),
    Column("mention_count", Integer),
    _when("first_seen"),
    _when("last_seen"),
    Column("metadata", JSONB),
)

unit_entities = Table(
    "unit_entities",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("unit_id", UUID(as_uuid=True), primary_key=True),
    Column("entity_id", UUID(as_uuid=True), primary_key=True),
)

memory_links = Table(
    "memory_links",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("from_id", UUID(as_uuid=True), primary_key=True),
    Column("to_id", UUID(as_uuid=True), primary_key=True),
    Column("link_type", Text, primary_key=True),
    Column("weight", Float),
)

unlinked_units = Table(
    "unlinked_units",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("unit_id", UUID(as_uuid=True), primary_key=True),
)

invalidated_units = Table(
    "invalidated_units",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("id", UUID(as_uuid=True), primary_key=True),
    Column("document_id", Text),
    Column("chunk_id", Text),
    Column("text", Text),
    Column("context", Text),
    Column("fact_type", Text),
    _when("event_date"),
    _when("occurred_start"),
    _when("occurred_end"),
    _when("mentioned_at"),
    Column("metadata", JSONB),
    Column("tags", ARRAY(Text)),
    Column("observation_scopes", JSONB),
    Column("proof_count", Integer),
    Column("source_memory_ids", ARRAY(UUID(as_uuid=True))),
    Column("attachment_ids", ARRAY(Text)),
    Column("entities", ARRAY(Text)),
    Column("causal_links", JSONB),
    _when("created_at"),
    _when("updated_at"),
    _when("edited_at"),
    Column("reason", Text),
    _when("invalidated_at"),
)

attachments = Table(
    "attachments",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("hash", Text),
    Column("kind", Text),
    Column("media_type", Text),
    Column("byte_size", Integer),
    Column("filename", Text),
    Column("data", LargeBinary),
    _when("created_at"),
)

bank_aliases = Table(
    "bank_aliases",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("alias", Text, primary_key=True),
    Column("is_primary", Boolean),
    _when("created_at"),
)

operations = Table(
    "operations",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("id", UUID(as_uuid=True), primary_key=True),
    Column("parent_id", UUID(as_uuid=True)),
    Column("type", Text),
    Column("status", Text),
    Column("items_count", Integer),
    Column("payload", JSONB),
    Column("result", JSONB),
    Column("progress", JSONB),
    Column("document_id", Text),
    Column("claims", Integer),
    Column("failures", Integer),
    _when("due_at"),
    Column("worker_id", Text),
    Column("error_message", Text),
    _when("created_at"),
    _when("updated_at"),
    _when("completed_at"),
)

operation_documents = Table(
    "operation_documents",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("operation_id", UUID(as_uuid=True), primary_key=True),
    Column("document_id", Text, primary_key=True),
    Column("units", Integer),
)

observation_history = Table(
    "observation_history",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("observation_id", UUID(as_uuid=True), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("text", Text),
    Column("tags", ARRAY(Text)),
    _when("occurred_start"),
    _when("occurred_end"),
    _when("mentioned_at"),
    Column("new_source_ids", ARRAY(UUID(as_uuid=True))),
    _when("changed_at"),
)

transfer_files = Table(
    "transfer_files",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("kind", Text),
    Column("filename", Text),
    Column("byte_size", BigInteger),
    _when("created_at"),
    _when("expires_at"),
)

transfer_pieces = Table(
    "transfer_pieces",
    metadata,
    Column("bank_key", Integer, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("data", LargeBinary),
)
