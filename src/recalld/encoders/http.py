"""Posts JSON to a model behind HTTP: bounded, timed, tried again, and silent about keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from recalld.encoders.protocols import EncoderFailed
from recalld.encoders.retry import PassingFailure, RetryPolicy, may_pass, retry_after

T = TypeVar("T")

TEXTS_PER_REQUEST = 32
"""What a text-embeddings-inference server takes at once unless it is told otherwise."""
_EXCERPT = 200
"""Characters of an error's body that are passed on."""


class Refused(EncoderFailed):
    """An answer that says no, and would say it again. ``body`` is the whole of it."""

    def __init__(self, message: str, status: int, body: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. ``name`` is what messages call it, ``timeout`` is in seconds."""

    name: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 30.0
    max_concurrent: int = 8
    retry: RetryPolicy = field(default_factory=lambda: RetryPolicy(retries=3, budget=10.0))

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"the URL of {self.name} has to start with http:// or https://")
        if not fits_a_header(self.api_key or ""):
            raise ValueError(f"the API key of {self.name} holds characters that no header may hold")
        if self.timeout <= 0 or self.max_concurrent < 1:
            raise ValueError(f"{self.name} needs a timeout above 0 and at least 1 concurrent request")


class HttpService:
    """Never more requests under way than the endpoint allows, whoever is calling."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._slots = asyncio.Semaphore(endpoint.max_concurrent)
        key = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        self._http = httpx.AsyncClient(
            headers={"Content-Type": "application/json", **key},
            timeout=None,  # noqa: S113 - each request as a whole has one
            limits=httpx.Limits(max_connections=endpoint.max_concurrent),
        )

    @property
    def name(self) -> str:
        """What messages call the model."""
        return self._endpoint.name

    async def ask(self, path: str, body: Any) -> Any:
        """What the model answers, read as JSON; the path is below the base URL."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
        answered = await self.send(path, content)
        try:
            return json.loads(answered)
        except (ValueError, RecursionError) as error:
            raise EncoderFailed(f"{self.name} answered with something other than JSON") from error

    async def send(self, path: str, content: bytes) -> bytes:
        """The body of a successful answer; passing failures are tried again."""
        url = self._endpoint.base_url.rstrip("/") + path
        # Kept through the pauses between attempts: a service that is overloaded is left alone.
        async with self._slots:
            answered: bytes = await self._endpoint.retry.retrying()(self._post, url, content)
        return answered

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _post(self, url: str, content: bytes) -> bytes:
        try:
            async with asyncio.timeout(self._endpoint.timeout):
                response = await self._http.post(url, content=content)
        except TimeoutError as error:
            message = f"{self.name} did not answer within {self._endpoint.timeout:g} s"
            raise PassingFailure(message) from error
        except httpx.TransportError as error:
            raise PassingFailure(self._shown("cannot be reached", repr(error))) from error
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise EncoderFailed(self._shown("gave an unreadable answer", repr(error))) from error
        if not response.is_success:
            raise self._failure(response)
        return response.content

    def _failure(self, response: httpx.Response) -> EncoderFailed:
        message = self._shown(f"answered {response.status_code}", response.text)
        if may_pass(response.status_code):
            return PassingFailure(message, retry_after(response.headers.get("Retry-After")))
        return Refused(message, response.status_code, response.text)

    def _shown(self, what: str, details: str) -> str:
        key = self._endpoint.api_key
        safe = details.replace(key, "***") if key else details
        return f"{self.name} {what}: {safe[:_EXCERPT]}"


def fits_a_header(key: str) -> bool:
    """Whether a key can travel in a header."""
    return key.isascii() and key.isprintable() and " " not in key


def length_slices(texts: Sequence[str], size: int) -> list[list[int]]:
    """Places of texts from short to long, as many at once as a request takes."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    return [order[start : start + size] for start in range(0, len(order), size)]


async def all_of(requests: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What each of them comes to, made at the same time; the first to fail ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(request) for request in requests]
    except ExceptionGroup as failures:
        first = failures.exceptions[0]
        raise first from first.__cause__
    return [task.result() for task in tasks]
