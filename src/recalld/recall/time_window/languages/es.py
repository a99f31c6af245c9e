"""Spanish."""

from recalld.recall.time_window.language import Language

SPANISH = Language(code="es", rows=())
