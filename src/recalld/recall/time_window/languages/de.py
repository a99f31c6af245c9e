"""German."""

from recalld.recall.time_window.language import Language

GERMAN = Language(code="de", rows=())
