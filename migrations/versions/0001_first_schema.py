"""First schema: banks, documents, chunks, memory units, terms, entities and links."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATEMENTS = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE EXTENSION IF NOT EXISTS btree_gin",
    # A term's place in the sparse vectors: stable across servers and versions, unlike hashtext().
    """
    CREATE FUNCTION term_index(term text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN 1 + (('x' || substr(md5(term), 1, 8))::bit(32)::bigint % 1000000000)::integer
    """,
    """
    CREATE FUNCTION document_length(vector tsvector) RETURNS real
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(vector))
    """,
    # The document side of BM25 (k1 = 1.2, b = 0.75); the query side carries the IDFs.
    """
    CREATE FUNCTION bm25_weights(vector tsvector, length real, average_length real) RETURNS sparsevec
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT coalesce('{' || string_agg(place || ':' || weight, ',' ORDER BY place) || '}', '{}')
               || '/1000000000'
        FROM (
            SELECT term_index(lexeme) AS place,
                   sum(tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average_length)))::real AS weight
            FROM (SELECT lexeme, cardinality(positions)::real AS tf FROM unnest(vector)) AS terms
            GROUP BY 1
        ) AS weights
    )::sparsevec
    """,
    """
    CREATE TABLE store_facts (
        name text PRIMARY KEY,
        value text NOT NULL
    )
    """,
    """
    CREATE TABLE banks (
        bank_key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        bank_id text NOT NULL UNIQUE,
        name text,
        mission text NOT NULL DEFAULT '',
        disposition jsonb NOT NULL DEFAULT '{}',
        config jsonb NOT NULL DEFAULT '{}',
        unit_count bigint NOT NULL DEFAULT 0,
        total_length double precision NOT NULL DEFAULT 0,
        average_length real NOT NULL DEFAULT 30,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        last_document_at timestamptz,
        last_write_at timestamptz
    )
    """,
    """
    CREATE TABLE documents (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        id text NOT NULL,
        original_text text,
        content_hash text NOT NULL DEFAULT '',
        retain_params jsonb NOT NULL DEFAULT '{}',
        document_metadata jsonb NOT NULL DEFAULT '{}',
        tags text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, id)
    )
    """,
    """
    CREATE TABLE chunks (
        bank_key integer NOT NULL,
        chunk_id text NOT NULL,
        document_id text NOT NULL,
        chunk_index integer NOT NULL,
        chunk_text text NOT NULL,
        content_hash text NOT NULL,
        token_count integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, chunk_id),
        UNIQUE (bank_key, document_id, chunk_index),
        FOREIGN KEY (bank_key, document_id) REFERENCES documents ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE memory_units (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        id uuid NOT NULL,
        document_id text,
        chunk_id text,
        text text NOT NULL,
        context text,
        fact_type text NOT NULL CHECK (fact_type IN ('world', 'experience', 'observation')),
        event_date timestamptz,
        occurred_start timestamptz,
        occurred_end timestamptz,
        mentioned_at timestamptz,
        metadata jsonb NOT NULL DEFAULT '{}',
        tags text[] NOT NULL DEFAULT '{}',
        observation_scopes jsonb,
        proof_count integer NOT NULL DEFAULT 1,
        source_memory_ids uuid[] NOT NULL DEFAULT '{}',
        attachment_ids text[] NOT NULL DEFAULT '{}',
        token_count integer NOT NULL,
        embedding halfvec NOT NULL,
        search_vector tsvector NOT NULL,
        length real NOT NULL,
        term_weights sparsevec NOT NULL,
        consolidated_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (bank_key, id),
        FOREIGN KEY (bank_key, chunk_id) REFERENCES chunks ON DELETE CASCADE
    )
    """,
    # Vectors and weights are read row by row when scanning: keep them beside the row, not in TOAST.
    "ALTER TABLE memory_units ALTER COLUMN embedding SET STORAGE PLAIN",
    "ALTER TABLE memory_units ALTER COLUMN term_weights SET STORAGE MAIN",
    "CREATE INDEX memory_units_by_date ON memory_units (bank_key, fact_type, event_date)",
    "CREATE INDEX memory_units_by_chunk ON memory_units (bank_key, chunk_id)",
    "CREATE INDEX memory_units_terms ON memory_units USING gin (bank_key, search_vector)",
    "CREATE INDEX memory_units_tags ON memory_units USING gin (bank_key, tags)",
    """
    CREATE INDEX memory_units_sources ON memory_units USING gin (source_memory_ids)
    WHERE fact_type = 'observation'
    """,
    """
    CREATE TABLE memory_token_vectors (
        bank_key integer NOT NULL,
        unit_id uuid NOT NULL,
        vectors bytea NOT NULL,
        PRIMARY KEY (bank_key, unit_id),
        FOREIGN KEY (bank_key, unit_id) REFERENCES memory_units ON DELETE CASCADE
    )
    """,
    "ALTER TABLE memory_token_vectors ALTER COLUMN vectors SET STORAGE EXTERNAL",
    """
    CREATE TABLE bank_terms (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        term text NOT NULL,
        df integer NOT NULL,
        PRIMARY KEY (bank_key, term)
    ) WITH (fillfactor = 70)
    """,
    """
    CREATE TABLE entities (
        bank_key integer NOT NULL REFERENCES banks ON DELETE CASCADE,
        id uuid NOT NULL,
        canonical_name text NOT NULL,
        mention_count integer NOT NULL DEFAULT 0,
        first_seen timestamptz,
        last_seen timestamptz,
        metadata jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (bank_key, id)
    )
    """,
    "CREATE UNIQUE INDEX entities_by_name ON entities (bank_key, lower(canonical_name))",
    """
    CREATE TABLE unit_entities (
        bank_key integer NOT NULL,
        unit_id uuid NOT NULL,
        entity_id uuid NOT NULL,
        PRIMARY KEY (bank_key, unit_id, entity_id),
        FOREIGN KEY (bank_key, unit_id) REFERENCES memory_units ON DELETE CASCADE,
        FOREIGN KEY (bank_key, entity_id) REFERENCES entities ON DELETE CASCADE
    )
    """,
    "CREATE INDEX unit_entities_by_entity ON unit_entities (bank_key, entity_id, unit_id)",
    """
    CREATE TABLE memory_links (
        bank_key integer NOT NULL,
        from_id uuid NOT NULL,
        to_id uuid NOT NULL,
        link_type text NOT NULL
            CHECK (link_type IN ('temporal', 'semantic', 'caused_by', 'causes', 'enables', 'prevents')),
        weight real NOT NULL CHECK (weight BETWEEN 0 AND 1),
        PRIMARY KEY (bank_key, from_id, to_id, link_type),
        FOREIGN KEY (bank_key, from_id) REFERENCES memory_units ON DELETE CASCADE,
        FOREIGN KEY (bank_key, to_id) REFERENCES memory_units ON DELETE CASCADE
    )
    """,
    # Facts whose links are still to be made; a retain makes them for all its documents at once.
    """
    CREATE TABLE unlinked_units (
        bank_key integer NOT NULL,
        unit_id uuid NOT NULL,
        PRIMARY KEY (bank_key, unit_id),
        FOREIGN KEY (bank_key, unit_id) REFERENCES memory_units ON DELETE CASCADE
    )
    """,
    "CREATE INDEX memory_links_by_target ON memory_links (bank_key, to_id, link_type)",
)


def upgrade() -> None:
    """Create everything."""
    for statement in STATEMENTS:
        op.execute(statement)
