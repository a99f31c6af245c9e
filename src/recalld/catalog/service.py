"""All of the catalogue, one part per kind of thing."""

from __future__ import annotations

from dataclasses import dataclass

from recalld.catalog.aliases import AliasCatalog
from recalld.catalog.config import ConfigCatalog
from recalld.catalog.curate import Curator
from recalld.catalog.documents import DocumentCatalog
from recalld.catalog.entities import EntityCatalog
from recalld.catalog.memories import MemoryCatalog
from recalld.catalog.observations import ObservationCatalog
from recalld.catalog.sources import SourceCatalog
from recalld.catalog.stats import StatsCatalog
from recalld.catalog.tags import TagCatalog


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a bank holds."""

    memories: MemoryCatalog
    curator: Curator
    documents: DocumentCatalog
    entities: EntityCatalog
    tags: TagCatalog
    stats: StatsCatalog
    config: ConfigCatalog
    aliases: AliasCatalog
    observations: ObservationCatalog
    sources: SourceCatalog
