"""French."""

from recalld.recall.time_window.language import Language

FRENCH = Language(code="fr", rows=())
