"""Korean."""

from recalld.recall.time_window.language import Language

KOREAN = Language(code="ko", rows=())
