"""Japanese."""

from recalld.recall.time_window.language import Language

JAPANESE = Language(code="ja", rows=())
