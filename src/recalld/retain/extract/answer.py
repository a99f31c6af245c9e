"""Facts from what a model answered. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recalld.domain.memory import FactType
from recalld.domain.names import clean_names
from recalld.domain.text import has_word, scrub
from recalld.encoders.protocols import EncoderFailed
from recalld.retain.extract.dates import UNDATED, Span, read_span
from recalld.retain.extract.modes import Mode

CAUSED_BY = "caused_by"
MAX_CAUSES = 2
_ABSENT = frozenset({"", "n/a", "na", "none", "null", "unknown", "-"})
_PARTS = (("when", "When"), ("where", "Where"), ("who", "Who"), ("why", "Why"))


@dataclass(frozen=True, slots=True)
class Extracted:
    """A fact a model found. ``causes`` are places of earlier facts of the same answer.

    ``text`` is ``None`` where the chunk itself is the fact.
    """

    text: str | None
    fact_type: FactType = FactType.WORLD
    span: Span = UNDATED
    entities: tuple[str, ...] = ()
    causes: tuple[int, ...] = ()


def read_facts(mode: Mode, answer: dict[str, Any]) -> list[Extracted]:
    """The facts of an answer, in its order. Raises ``EncoderFailed`` where it lists some and none is one."""
    given = answer["facts"]
    if mode is Mode.VERBATIM:
        return [whole_text([_noted(one, None) for one in given if isinstance(one, dict)])]
    kept: dict[int, Extracted] = {}
    places: dict[int, int] = {}
    for index, one in enumerate(given):
        text = _text(one)
        if text is not None:
            places[index] = len(kept)
            kept[index] = _noted(one, text, places)
    if given and not kept:
        raise EncoderFailed("the language model listed facts, and none of them says anything")
    return list(kept.values())


def whole_text(notes: Sequence[Extracted]) -> Extracted:
    """What was noted about parts of a text, as one note about all of it."""
    starts = [one.span.start for one in notes if one.span.start]
    ends = [one.span.end for one in notes if one.span.end]
    kinds = {one.fact_type for one in notes} or {FactType.WORLD}
    return Extracted(
        None,
        FactType.EXPERIENCE if kinds == {FactType.EXPERIENCE} else FactType.WORLD,
        Span(min(starts, default=None), max(ends, default=None)),
        clean_names(name for one in notes for name in one.entities),
    )


def _text(fact: Any) -> str | None:
    """What a fact says, with the parts it leaves open behind it; ``None`` where it says nothing."""
    what = _part(fact, "what") if isinstance(fact, dict) else ""
    if not has_word(what):
        return None
    rest = [f"{label}: {value}" for name, label in _PARTS if (value := _part(fact, name))]
    return " | ".join([what, *rest])


def _part(fact: dict[str, Any], name: str) -> str:
    value = fact.get(name)
    text = scrub(value).strip() if isinstance(value, str) else ""
    return "" if text.lower().rstrip(".") in _ABSENT else text


def _noted(fact: dict[str, Any], text: str | None, places: dict[int, int] | None = None) -> Extracted:
    dated = fact.get("fact_kind") == "event"
    names = fact.get("entities")
    return Extracted(
        text,
        FactType.EXPERIENCE if fact.get("fact_type") in {"assistant", "experience"} else FactType.WORLD,
        read_span(fact.get("occurred_start"), fact.get("occurred_end")) if dated else UNDATED,
        clean_names(name for name in names if isinstance(name, str)) if isinstance(names, list) else (),
        _causes(fact.get("causal_relations"), places or {}),
    )


def _causes(relations: Any, places: dict[int, int]) -> tuple[int, ...]:
    """Places of the earlier facts that brought one about; it stands last in ``places`` itself."""
    own = len(places) - 1
    wanted = [
        places.get(one["target_index"], own)
        for one in (relations if isinstance(relations, list) else ())
        if isinstance(one, dict)
        and one.get("relation_type", CAUSED_BY) == CAUSED_BY
        and type(one.get("target_index")) is int
    ]
    return tuple(dict.fromkeys(place for place in wanted if place < own))[:MAX_CAUSES]
