"""Names a request carries that nothing reads: reported, never refused (D7)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel

MAX_NAMES = 50
MAX_ITEMS = 1000
"""Items of one list that are looked at."""
_MAX_DEPTH = 40


class ReportingRoute(APIRoute):
    """A route that notes unknown query and body names on ``request.state.ignored``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler with the check in front."""
        handle = super().get_route_handler()
        known_query = _query_names(self.dependant)
        path_names = {field.alias for field in self.dependant.path_params}
        model = self.body_field.field_info.annotation if self.body_field else None

        async def reporting(request: Request) -> Response:
            names = [n for n in request.query_params if n not in known_query and n not in path_names]
            if model is not None and _is_json(request):
                names += unknown_names(model, await _json_object(request))
            request.state.ignored = list(dict.fromkeys(names))[:MAX_NAMES]
            return await handle(request)

        return reporting


def unknown_names(model: Any, value: Any, prefix: str = "", depth: int = 0) -> list[str]:
    """Dotted paths of keys in ``value`` that ``model`` does not declare, in request order."""
    if depth > _MAX_DEPTH:
        return []
    if isinstance(value, list):
        part = _item_type(model)
        if not _models(part):
            return []
        return [n for item in value[:MAX_ITEMS] for n in unknown_names(part, item, prefix, depth + 1)]
    candidates = [m for m in _models(model) if isinstance(value, dict)]
    if not candidates:
        return []
    chosen = max(candidates, key=lambda m: len(_fields(m).keys() & value.keys()))
    fields = _fields(chosen)
    names: list[str] = []
    for key, inner in value.items():
        path = f"{prefix}{key}"
        if key in fields:
            names += unknown_names(fields[key], inner, f"{path}.", depth + 1)
        else:
            names.append(path)
    return names


def header_value(names: Iterable[str]) -> str:
    """Names joined by comma and space; what a header cannot carry becomes a question mark."""
    return "".join(c if " " <= c <= "~" else "?" for c in ", ".join(names))


def _query_names(dependant: Dependant) -> set[str]:
    """Names in the query string that a route or what it depends on reads, alone or in a model of several."""
    names = {
        name
        for field in dependant.query_params
        for name in [n for m in _models(field.field_info.annotation) for n in _fields(m)] or [field.alias]
    }
    return names.union(*(_query_names(part) for part in dependant.dependencies))


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {
        name: getattr(field.annotation, "__value__", field.annotation)
        for attribute, field in model.model_fields.items()
        for name in {attribute, field.alias or attribute}
    }


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in {Union, UnionType}:
        return [model for part in get_args(annotation) for model in _models(part)]
    if get_origin(annotation) is Annotated:
        return _models(get_args(annotation)[0])
    return []


def _item_type(annotation: Any) -> Any:
    if get_origin(annotation) is list:
        return get_args(annotation)[0]
    for part in get_args(annotation):
        if get_origin(part) is list:
            return get_args(part)[0]
    return None


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


async def _json_object(request: Request) -> Any:
    """The parsed body; ``None`` when it is not JSON, which the handler reports in its own way."""
    try:
        return await request.json()
    except RecursionError as error:
        deep = {"type": "json_invalid", "loc": ("body", 0), "msg": "JSON is nested too deeply", "input": {}}
        raise RequestValidationError([deep]) from error
    except ValueError:
        return None
