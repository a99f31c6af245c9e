"""The language whose endings and stop words a bank's keyword index knows."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATEMENTS = (
    # Facts stored so far were indexed as English. A new bank takes the language of the server that makes it.
    "ALTER TABLE banks ADD COLUMN text_search_language text NOT NULL DEFAULT 'english'",
    """
    ALTER TABLE banks ALTER COLUMN text_search_language
    SET DEFAULT regexp_replace(current_setting('default_text_search_config'), '^.*[.]', '')
    """,
)


def upgrade() -> None:
    """Add the column."""
    for statement in STATEMENTS:
        op.execute(statement)
