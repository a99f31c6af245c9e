"""Russian."""

from recalld.recall.time_window.language import Language

RUSSIAN = Language(code="ru", rows=())
