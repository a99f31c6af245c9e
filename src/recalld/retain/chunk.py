"""Cuts text into chunks: prose at its natural seams, conversations between turns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

_SEPARATORS = ("\n\n", "\n", ". ", "! ", "? ", "; ", ", ", " ")


def chunk_text(text: str, size: int, object_size: int | None = None) -> list[str]:
    """Chunks of at most ``size`` characters, in order; a text that fits comes back as it is.

    A single JSON object stays whole up to ``object_size``. A JSON array of objects is cut between its
    elements and each chunk is an array again; JSON lines are cut between lines. Splitting a chunk again
    returns it unchanged.
    """
    if len(text) <= size:
        return [text] if text.strip() else []
    if len(text) <= (object_size or size) and _is_json_object(text):
        return [text]
    turns = _json_turns(text)
    if turns is not None:
        return _pack_turns(turns, size)
    if _is_json_lines(text):
        return _pack_lines(text.splitlines(), size)
    return split_prose(text, size)


def split_prose(text: str, size: int) -> list[str]:
    """Prose cut at the coarsest seam that gives pieces of at most ``size`` characters."""
    pieces = (piece.strip() for piece in _split(text, size, 0))
    return [piece for piece in pieces if piece]


def _split(text: str, size: int, level: int) -> list[str]:
    if len(text) <= size:
        return [text]
    if level == len(_SEPARATORS):
        return [text[i : i + size] for i in range(0, len(text), size)]
    parts = _cut_before(text, _SEPARATORS[level])
    fitting = [piece for part in parts for piece in _split(part, size, level + 1)]
    return _pack(fitting, size)


def _cut_before(text: str, separator: str) -> list[str]:
    """Pieces of the text; a sentence's punctuation stays with it, other separators lead the next piece."""
    keep = len(separator.rstrip()) if separator.strip() else 0
    pieces, start = [], 0
    while (found := text.find(separator, start + 1)) >= 0:
        cut = found + keep
        pieces.append(text[start:cut])
        start = cut
    pieces.append(text[start:])
    return pieces


def _pack(pieces: Iterable[str], size: int) -> list[str]:
    packed: list[str] = []
    for piece in pieces:
        if packed and len(packed[-1]) + len(piece) <= size:
            packed[-1] += piece
        else:
            packed.append(piece)
    return packed


def _json_turns(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        turns = json.loads(text)
    except ValueError:
        return None
    return turns if turns and all(isinstance(turn, dict) for turn in turns) else None


def _is_json_object(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_json_lines(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= 1 or not lines[0].lstrip().startswith("{"):
        return False
    try:
        return all(isinstance(json.loads(line), dict) for line in lines)
    except ValueError:
        return False


def _pack_turns(turns: list[Any], size: int) -> list[str]:
    chunks: list[str] = []
    group: list[str] = []
    for turn in (json.dumps(turn, ensure_ascii=False) for turn in turns):
        if group and sum(map(len, group)) + 2 * len(group) + len(turn) + 2 > size:
            chunks.append(f"[{', '.join(group)}]")
            group = []
        if len(turn) + 2 > size:
            chunks.extend(split_prose(turn, size))
        else:
            group.append(turn)
    if group:
        chunks.append(f"[{', '.join(group)}]")
    return chunks


def _pack_lines(lines: list[str], size: int) -> list[str]:
    chunks: list[str] = []
    for line in (line for line in lines if line.strip()):
        if len(line) > size:
            chunks.extend(split_prose(line, size))
        elif chunks and len(chunks[-1]) + 1 + len(line) <= size and chunks[-1].startswith("{"):
            chunks[-1] += "\n" + line
        else:
            chunks.append(line)
    return chunks
