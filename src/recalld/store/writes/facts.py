"""Facts about the store itself: which model made its vectors."""

from __future__ import annotations

from sqlalchemy.dialects.postgresql import insert

from recalld.domain.errors import Conflict
from recalld.store.engine import Database
from recalld.store.tables import store_facts


async def check_embedder(database: Database, name: str, dimension: int) -> None:
    """Note the model in an empty store; raise ``Conflict`` when another one made its vectors."""
    wanted = f"{name} {dimension}"
    statement = insert(store_facts).values(name="embedder", value=wanted)
    kept = statement.on_conflict_do_update(
        index_elements=[store_facts.c.name], set_={"value": store_facts.c.value}
    ).returning(store_facts.c.value)
    async with database.write() as connection:
        stored = (await connection.execute(kept)).scalar_one()
    if stored != wanted:
        raise Conflict(
            f"This database holds vectors of '{stored}', but the configured embedder is '{wanted}'. "
            "Use the embedder that made them, or a new database."
        )
