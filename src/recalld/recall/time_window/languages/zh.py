"""Chinese."""

from recalld.recall.time_window.language import Language

CHINESE = Language(code="zh", rows=())
