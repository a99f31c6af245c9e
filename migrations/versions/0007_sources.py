"""What an ingestion keeps with documents: a label, metadata as they were sent, and its own id."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATEMENTS = (
    # JSON as text: what was sent is given back as it was sent.
    """
    ALTER TABLE documents
        ADD COLUMN label text,
        ADD COLUMN source_metadata text,
        ADD COLUMN fingerprint text,
        ADD COLUMN ingestion_id uuid
    """,
    "CREATE INDEX documents_tags ON documents USING gin (bank_key, tags)",
)


def upgrade() -> None:
    """Add the columns."""
    for statement in STATEMENTS:
        op.execute(statement)
