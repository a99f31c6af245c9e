"""Dutch."""

from recalld.recall.time_window.language import Language

DUTCH = Language(code="nl", rows=())
