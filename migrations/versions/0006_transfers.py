"""Archives on their way in or out, in pieces of some megabytes."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE transfer_files (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        key text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('upload', 'export')),
        filename text NOT NULL,
        byte_size bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (bank_key, key)
    )
    """,
    # A download names no bank.
    "CREATE UNIQUE INDEX transfer_files_by_key ON transfer_files (key)",
    """
    CREATE TABLE transfer_pieces (
        bank_key integer NOT NULL,
        key text NOT NULL,
        position integer NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (bank_key, key, position),
        FOREIGN KEY (bank_key, key) REFERENCES transfer_files ON DELETE CASCADE
    )
    """,
    "ALTER TABLE transfer_pieces ALTER COLUMN data SET STORAGE EXTERNAL",
)


def upgrade() -> None:
    """Add the tables."""
    for statement in STATEMENTS:
        op.execute(statement)
