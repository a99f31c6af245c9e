"""What is made of a text: its chunks as they are, or facts a model finds in them. Pure."""

from __future__ import annotations

import logging
from enum import StrEnum
from functools import lru_cache

from recalld.domain.banks import BankConfig

logger = logging.getLogger(__name__)


class Mode(StrEnum):
    """Ways of extraction; all but ``CHUNKS`` need a language model."""

    CHUNKS = "chunks"
    CONCISE = "concise"
    VERBOSE = "verbose"
    VERBATIM = "verbatim"
    CUSTOM = "custom"


REWRITING = frozenset({Mode.CONCISE, Mode.VERBOSE, Mode.CUSTOM})
"""Modes whose facts are not the text itself."""

MODEL_CHUNK_SIZE = 3000
"""Characters a model reads at once, unless the bank says otherwise."""


def mode_of(config: BankConfig) -> Mode:
    """How texts are extracted; chunks where the mode is unknown, or there is no model for it (D20)."""
    wanted = config.retain_extraction_mode
    if wanted == Mode.CHUNKS:
        return Mode.CHUNKS
    if not config.has_language_model:
        _note(wanted, "needs a language model, and none is configured")
        return Mode.CHUNKS
    if wanted not in Mode.__members__.values():
        _note(wanted, "is not known")
        return Mode.CHUNKS
    return Mode(wanted)


def chunk_size(config: BankConfig) -> int:
    """Longest chunk. What is stored as it is has to fit the embedder's window (D21)."""
    if config.chunk_size_given or mode_of(config) not in REWRITING:
        return config.retain_chunk_size
    return MODEL_CHUNK_SIZE


@lru_cache(maxsize=64)
def _note(mode: str, why: str) -> None:
    logger.warning("the extraction mode %r %s: texts are kept in chunks", str(mode)[:100], why)
