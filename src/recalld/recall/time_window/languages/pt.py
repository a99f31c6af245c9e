"""Portuguese."""

from recalld.recall.time_window.language import Language

PORTUGUESE = Language(code="pt", rows=())
