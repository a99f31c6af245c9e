"""Observations: equal statements found by a hash, and what an observation said before."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STATEMENTS = (
    # A statement without case, punctuation and spacing.
    """
    CREATE FUNCTION statement_hash(statement text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN md5(btrim(regexp_replace(lower(statement), '[^[:alnum:]]+', ' ', 'g')))::uuid
    """,
    """
    CREATE INDEX memory_units_statements ON memory_units (bank_key, statement_hash(text))
    WHERE fact_type <> 'observation'
    """,
    """
    CREATE TABLE observation_history (
        bank_key integer NOT NULL,
        observation_id uuid NOT NULL,
        version integer NOT NULL,
        text text NOT NULL,
        tags text[] NOT NULL,
        occurred_start timestamptz,
        occurred_end timestamptz,
        mentioned_at timestamptz,
        new_source_ids uuid[] NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, observation_id, version),
        FOREIGN KEY (bank_key, observation_id) REFERENCES memory_units ON DELETE CASCADE
    )
    """,
)


def upgrade() -> None:
    """Add them."""
    for statement in STATEMENTS:
        op.execute(statement)
