"""What clients need around recall: attachments, operations, aliases, and facts set aside."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE memory_units ADD COLUMN edited_at timestamptz",
    "ALTER TABLE memory_units ADD COLUMN consolidation_failed_at timestamptz",
    # Python knows no infinite dates.
    """
    ALTER TABLE memory_units ADD CONSTRAINT memory_units_finite_dates CHECK (
        isfinite(event_date) AND isfinite(occurred_start) AND isfinite(occurred_end)
        AND isfinite(mentioned_at))
    """,
    """
    CREATE INDEX memory_units_pending ON memory_units (bank_key, created_at)
    WHERE consolidated_at IS NULL AND consolidation_failed_at IS NULL AND fact_type <> 'observation'
    """,
    "CREATE INDEX memory_units_by_document ON memory_units (bank_key, document_id)",
    # Facts that were invalidated: out of every retriever's sight, and kept to be restored.
    """
    CREATE TABLE invalidated_units (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        id uuid NOT NULL,
        document_id text,
        chunk_id text,
        text text NOT NULL,
        context text,
        fact_type text NOT NULL,
        event_date timestamptz,
        occurred_start timestamptz,
        occurred_end timestamptz,
        mentioned_at timestamptz,
        metadata jsonb NOT NULL,
        tags text[] NOT NULL,
        observation_scopes jsonb,
        proof_count integer NOT NULL,
        source_memory_ids uuid[] NOT NULL,
        attachment_ids text[] NOT NULL,
        entities text[] NOT NULL,
        causal_links jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        edited_at timestamptz,
        reason text,
        invalidated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, id),
        FOREIGN KEY (bank_key, chunk_id) REFERENCES chunks ON DELETE CASCADE
    )
    """,
    "CREATE INDEX invalidated_units_by_chunk ON invalidated_units (bank_key, chunk_id)",
    """
    CREATE TABLE attachments (
        bank_key integer NOT NULL,
        document_id text NOT NULL,
        id text NOT NULL,
        hash text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('image', 'file')),
        media_type text NOT NULL,
        byte_size integer NOT NULL,
        filename text,
        data bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, document_id, id),
        FOREIGN KEY (bank_key, document_id) REFERENCES documents ON DELETE CASCADE
    )
    """,
    "ALTER TABLE attachments ALTER COLUMN data SET STORAGE EXTERNAL",
    "CREATE INDEX attachments_by_id ON attachments (bank_key, id)",
    """
    CREATE TABLE bank_aliases (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        alias text NOT NULL,
        is_primary boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, alias)
    )
    """,
    "CREATE UNIQUE INDEX bank_aliases_by_alias ON bank_aliases (alias)",
    """
    CREATE TABLE operations (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        id uuid NOT NULL,
        parent_id uuid,
        type text NOT NULL,
        status text NOT NULL
            CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
        items_count integer NOT NULL DEFAULT 0,
        payload jsonb NOT NULL DEFAULT '{}',
        result jsonb NOT NULL DEFAULT '{}',
        progress jsonb,
        document_id text,
        claims integer NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        due_at timestamptz,
        worker_id text,
        error_message text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        completed_at timestamptz,
        PRIMARY KEY (bank_key, id)
    )
    """,
    # Documents an operation has written, noted in the same transaction: none is written twice.
    """
    CREATE TABLE operation_documents (
        bank_key integer NOT NULL,
        operation_id uuid NOT NULL,
        document_id text NOT NULL,
        units integer NOT NULL,
        PRIMARY KEY (bank_key, operation_id, document_id),
        FOREIGN KEY (bank_key, operation_id) REFERENCES operations ON DELETE CASCADE
    )
    """,
    # An id a client chose for its operation belongs to one bank only.
    "CREATE UNIQUE INDEX operations_by_id ON operations (id)",
    "CREATE INDEX operations_by_parent ON operations (bank_key, parent_id)",
    "CREATE INDEX operations_newest ON operations (bank_key, created_at DESC)",
    # When to try it, or when its worker counts as dead; null where there is nothing to work on.
    """
    CREATE INDEX operations_due ON operations (due_at)
    WHERE status IN ('pending', 'processing') AND due_at IS NOT NULL
    """,
    "CREATE INDEX entities_by_similar_name ON entities USING gin (bank_key, canonical_name gin_trgm_ops)",
)


def upgrade() -> None:
    """Add the tables."""
    for statement in STATEMENTS:
        op.execute(statement)
