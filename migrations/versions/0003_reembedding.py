"""Where vectors of another model wait until every fact has one."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    # ``source`` is a digest of what was embedded: a fact that changed since is embedded again.
    """
    CREATE TABLE reembedded_units (
        bank_key integer NOT NULL,
        unit_id uuid NOT NULL,
        source uuid NOT NULL,
        embedding halfvec NOT NULL,
        vectors bytea NOT NULL,
        PRIMARY KEY (bank_key, unit_id),
        FOREIGN KEY (bank_key, unit_id) REFERENCES memory_units ON DELETE CASCADE
    )
    """,
    "ALTER TABLE reembedded_units ALTER COLUMN embedding SET STORAGE PLAIN",
    "ALTER TABLE reembedded_units ALTER COLUMN vectors SET STORAGE EXTERNAL",
)


def upgrade() -> None:
    """Add the table."""
    for statement in STATEMENTS:
        op.execute(statement)
