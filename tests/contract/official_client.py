"""What the official Python client offers, and one way to call it whether it waits or not."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_type_hints

from hindsight_client import Hindsight

from recalld.bootstrap import Application
from tests.fixtures.contract import operations, own_document

LIFE = {"close", "aclose", "suspend_retains"}
"""What sends no request."""
OURS = {operation["operationId"] for operation in operations(own_document()).values()}


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls the wrapper by the names of its waiting methods; their twins begin with an ``a``."""

    client: Any
    bank_id: str
    app: Application
    thread: Executor | None = None
    """Where waiting methods run, each with an event loop of its own; without it the twins are called."""
    called: set[str] = field(default_factory=set)

    async def __call__(self, name: str, /, *arguments: Any, **options: Any) -> Any:
        self.called.add(name)
        if self.thread is None:
            return await getattr(self.client, f"a{name}")(*arguments, **options)
        method = partial(getattr(self.client, name), *arguments, **options)
        return await asyncio.get_running_loop().run_in_executor(self.thread, method)


WrapperStep = Callable[[Caller], Awaitable[None]]
ModelStep = Callable[[Any, str, Application], Awaitable[None]]
WRAPPER_STEPS: dict[str, WrapperStep] = {}
"""By the method that each is about."""
MODEL_STEPS: dict[str, ModelStep] = {}
"""By the operation that each is about."""


def wrapper_step(function: WrapperStep) -> WrapperStep:
    """The step about the wrapper's method of that name."""
    WRAPPER_STEPS[function.__name__] = function
    return function


def model_step(function: ModelStep) -> ModelStep:
    """The step about the generated method of that name."""
    MODEL_STEPS[function.__name__] = function
    return function


def wrapper_methods() -> set[str]:
    """Names of the wrapper's methods, twins included."""
    found = inspect.getmembers(Hindsight, inspect.isfunction)
    return {name for name, _ in found if not name.startswith("_")}


def generated_methods() -> dict[str, set[str]]:
    """Names of the generated methods by the wrapper's property that leads to them."""
    properties = inspect.getmembers(Hindsight, lambda member: isinstance(member, property))
    return {name: _requests(get_type_hints(found.fget)["return"]) for name, found in properties}


def _requests(api: type) -> set[str]:
    variants = ("_with_http_info", "_without_preload_content")
    found = inspect.getmembers(api, inspect.iscoroutinefunction)
    return {name for name, _ in found if not name.startswith("_") and not name.endswith(variants)}
