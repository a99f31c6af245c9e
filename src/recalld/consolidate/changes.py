"""What a language model is asked about facts and observations, and what its answer changes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recalld.consolidate.scopes import Scope
from recalld.domain.text import has_word, scrub
from recalld.encoders.prompts import object_schema
from recalld.store.queries.consolidation import Observed, Statement

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Matter:
    """New facts of one scope, and the observations nearest to them."""

    scope: Scope
    facts: Sequence[Statement]
    observed: Sequence[Observed]

    @property
    def question(self) -> str:
        """The facts and observations under short names, which the answer uses."""
        facts = [
            {"id": name, "text": fact.text, "date": f"{fact.occurred_start or fact.moment:%Y-%m-%d}"}
            for name, fact in self.named_facts.items()
        ]
        observations = [{"id": name, "text": one.text} for name, one in self.named_observations.items()]
        return json.dumps({"facts": facts, "observations": observations}, ensure_ascii=False)

    @property
    def named_facts(self) -> dict[str, Statement]:
        """Facts by their short names."""
        return {f"f{place}": fact for place, fact in enumerate(self.facts, 1)}

    @property
    def named_observations(self) -> dict[str, Observed]:
        """Observations by theirs."""
        return {f"o{place}": one for place, one in enumerate(self.observed, 1)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """An observation as it is to be: a new one, or one there is. It rests on all of ``source_ids``."""

    scope: Scope
    text: str
    source_ids: tuple[UUID, ...]
    before: Observed | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of the observations of one scope."""

    wanted: tuple[Wanted, ...]
    deleted: tuple[UUID, ...]


def read_changes(matter: Matter, answer: Json) -> Changes:
    """The changes an answer asks for.

    Names that were not given are ignored, and so is an observation that then rests on nothing. None is
    deleted in favour of one that does not stay.
    """
    facts, known = matter.named_facts, matter.named_observations
    texts: dict[str, str] = {}
    sources: dict[str, list[UUID]] = {}
    made: list[Wanted] = []
    for one in _objects(answer["creates"]):
        text, ids = _text(one), _sources(one, facts)
        if text and ids:
            made.append(Wanted(matter.scope, text, tuple(ids)))
    for one in _objects(answer["updates"]):
        name, text, ids = str(one.get("observation_id")), _text(one), _sources(one, facts)
        if name in known and text and ids:
            texts[name] = text
            sources.setdefault(name, []).extend(ids)
    named = {str(one.get("observation_id")): one.get("merged_into") for one in _objects(answer["deletes"])}
    gone = {name: into for name, into in named.items() if name in known and name not in texts}
    stays = {
        name: into for name, into in gone.items() if into is None or (into in known and into not in gone)
    }
    for name, into in stays.items():
        if into is not None:
            sources.setdefault(into, []).extend(known[name].source_ids)
    changed = [
        Wanted(matter.scope, texts.get(name, one.text), _union(one.source_ids, sources[name]), one)
        for name, one in known.items()
        if name in sources
    ]
    return Changes((*made, *changed), tuple(known[name].id for name in stays))


def answer_schema() -> Mapping[str, Any]:
    """The JSON schema of an answer."""
    text: Json = {"type": "string"}
    texts: Json = {"type": "array", "items": text}
    lists = {
        "creates": {"text": text, "source_ids": texts},
        "updates": {"observation_id": text, "text": text, "source_ids": texts},
        "deletes": {"observation_id": text, "merged_into": {"type": ["string", "null"]}},
    }
    return object_schema(
        {name: {"type": "array", "items": object_schema(parts)} for name, parts in lists.items()}
    )


def _objects(given: Any) -> list[Json]:
    return [one for one in given if isinstance(one, dict)]


def _text(one: Json) -> str:
    value = one.get("text")
    text = scrub(value).strip() if isinstance(value, str) else ""
    return text if has_word(text) else ""


def _sources(one: Json, facts: Mapping[str, Statement]) -> list[UUID]:
    names = one.get("source_ids")
    listed = names if isinstance(names, list) else []
    return [facts[name].id for name in listed if isinstance(name, str) and name in facts]


def _union(*lists: Sequence[UUID]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(id_ for ids in lists for id_ in ids))
