"""The languages whose date expressions are read, one module of data each."""

from recalld.recall.time_window.languages.de import GERMAN
from recalld.recall.time_window.languages.en import ENGLISH
from recalld.recall.time_window.languages.es import SPANISH
from recalld.recall.time_window.languages.fr import FRENCH
from recalld.recall.time_window.languages.it import ITALIAN
from recalld.recall.time_window.languages.ja import JAPANESE
from recalld.recall.time_window.languages.ko import KOREAN
from recalld.recall.time_window.languages.nl import DUTCH
from recalld.recall.time_window.languages.pt import PORTUGUESE
from recalld.recall.time_window.languages.ru import RUSSIAN
from recalld.recall.time_window.languages.zh import CHINESE

LANGUAGES = (
    ENGLISH,
    SPANISH,
    ITALIAN,
    FRENCH,
    GERMAN,
    PORTUGUESE,
    DUTCH,
    RUSSIAN,
    CHINESE,
    JAPANESE,
    KOREAN,
)

__all__ = ["LANGUAGES"]
