"""Italian."""

from recalld.recall.time_window.language import Language

ITALIAN = Language(code="it", rows=())
