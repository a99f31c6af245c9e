"""Facts about the store itself: which model made its vectors."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from recalld.domain.errors import Conflict
from recalld.store.engine import EMBEDDER, Database, check_same_embedder
from recalld.store.tables import store_facts

_STORED = select(store_facts.c.value).where(store_facts.c.name == "embedder")


def embedder_identity(name: str, dimension: int) -> str:
    """How the store calls a model."""
    return f"{name} {dimension}"


async def check_embedder(database: Database, name: str, dimension: int) -> None:
    """Note the model in an empty store; raise ``Conflict`` when another one made its vectors."""
    wanted = embedder_identity(name, dimension)
    statement = insert(store_facts).values(name="embedder", value=wanted)
    kept = statement.on_conflict_do_update(
        index_elements=[store_facts.c.name], set_={"value": store_facts.c.value}
    ).returning(store_facts.c.value)
    async with database.write() as connection:
        stored = (await connection.execute(kept)).scalar_one()
    if stored != wanted:
        raise Conflict(
            f"This database holds vectors of '{stored}', but the configured embedder is '{wanted}'. "
            "To make its vectors anew with that one, run: recalld reembed"
        )
    database.embedder = wanted


async def stored_embedder(connection: AsyncConnection) -> str | None:
    """The model that made the vectors; ``None`` in a new store."""
    found: str | None = await connection.scalar(_STORED)
    return found


async def confirm_embedder(connection: AsyncConnection) -> None:
    """Raise ``Overloaded`` if the model was exchanged before this transaction wrote its vectors.

    To be asked once facts were inserted: from then on the exchange waits for this transaction.
    """
    ours = connection.info.get(EMBEDDER)
    if ours is not None:
        check_same_embedder(ours, await stored_embedder(connection))
