"""A decision model behind an HTTP API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from recalld.encoders.decision.packing import Request, pack
from recalld.encoders.decision.retry import PassingFailure, RetryPolicy, may_pass, retry_after
from recalld.encoders.decision.wire import WIRES, encoded
from recalld.encoders.protocols import EncoderFailed, Question, TokenCounter

MIN_REQUEST_TOKENS = 1000
_EXCERPT = 200
"""Characters of an error's body that are passed on."""

Likelihoods = dict[str, float | None]


class RequestTooLong(EncoderFailed):
    """The model takes no request of this length."""


@dataclass(frozen=True, slots=True)
class DecisionEndpoint:
    """Where a decision model answers, and how much may be asked of it. ``timeout`` is in seconds."""

    provider: str
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    base_url: str | None = None
    timeout: float = 60.0
    max_concurrent: int = 24
    max_request_tokens: int = 26_000
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    def __post_init__(self) -> None:
        if self.provider not in WIRES:
            raise ValueError(f"no decision model provider {self.provider!r}; there are {', '.join(WIRES)}")
        if not self.address:
            raise ValueError(f"the decision model provider {self.provider!r} needs a base URL")
        if not self.address.startswith(("http://", "https://")):
            raise ValueError("the decision model's base URL has to start with http:// or https://")
        if not _fits_a_header(self.api_key or ""):
            raise ValueError("the decision model's API key holds characters that no header may hold")
        if self.timeout <= 0 or self.max_concurrent < 1:
            raise ValueError("a decision model needs a timeout above 0 and at least 1 concurrent request")
        if self.max_request_tokens < MIN_REQUEST_TOKENS:
            raise ValueError(f"a decision request has to allow at least {MIN_REQUEST_TOKENS} tokens")

    @property
    def address(self) -> str:
        """The base URL given, or the provider's own; empty without either."""
        return (self.base_url or WIRES[self.provider].default_base_url or "").rstrip("/")


class HttpDecisionModel:
    """Asks in parallel, never more than the endpoint allows at once, whoever is calling."""

    def __init__(self, endpoint: DecisionEndpoint, counter: TokenCounter) -> None:
        self._endpoint = endpoint
        self._counter = counter
        self._wire = WIRES[endpoint.provider](endpoint.model)
        self._url = endpoint.address + self._wire.path
        self._slots = asyncio.Semaphore(endpoint.max_concurrent)
        key = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        self._http = httpx.AsyncClient(
            headers={"Content-Type": "application/json", **key},
            timeout=None,  # noqa: S113 - each request as a whole has one
            limits=httpx.Limits(max_connections=endpoint.max_concurrent),
        )

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self._endpoint.provider}/{self._wire.model}"

    async def likelihoods(self, state: str, questions: Sequence[Question]) -> list[float | None]:
        """Likelihood of yes for each question; the first request to fail ends the others."""
        limit = self._endpoint.max_request_tokens
        requests = pack(state, questions, self._wire, self._counter, limit)
        found = await self._ask_all(requests)
        return [found.get(ask.id) for request in requests for ask in request.asks]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _ask_all(self, requests: Sequence[Request]) -> Likelihoods:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._ask(request)) for request in requests]
        except ExceptionGroup as failures:
            first = failures.exceptions[0]
            raise first from first.__cause__
        return {id_: likelihood for task in tasks for id_, likelihood in task.result().items()}

    async def _ask(self, request: Request) -> Likelihoods:
        content = encoded(self._wire.body(*request)).encode(errors="replace")
        try:
            # Kept through the pauses between attempts: a service that is overloaded is left alone.
            async with self._slots:
                answered: bytes = await self._endpoint.retry.retrying()(self._post, content)
        except RequestTooLong:
            if len(request.asks) == 1:
                raise
            return await self._ask_all(request.halves())
        return self._read(answered)

    async def _post(self, content: bytes) -> bytes:
        try:
            async with asyncio.timeout(self._endpoint.timeout):
                response = await self._http.post(self._url, content=content)
        except TimeoutError as error:
            message = f"{self.name} did not answer within {self._endpoint.timeout:g} s"
            raise PassingFailure(message) from error
        except httpx.TransportError as error:
            raise PassingFailure(self._shown("cannot be reached", repr(error))) from error
        except httpx.RequestError as error:
            raise EncoderFailed(self._shown("gave an unreadable answer", repr(error))) from error
        if not response.is_success:
            raise self._failure(response)
        return response.content

    def _failure(self, response: httpx.Response) -> EncoderFailed:
        text = response.text
        message = self._shown(f"answered {response.status_code}", text)
        if response.status_code in {400, 413} and "max_tokens_exceeded" in text:
            return RequestTooLong(message)
        if may_pass(response.status_code):
            return PassingFailure(message, retry_after(response.headers.get("Retry-After")))
        return EncoderFailed(message)

    def _shown(self, what: str, details: str) -> str:
        key = self._endpoint.api_key
        safe = details.replace(key, "***") if key else details
        return f"{self.name} {what}: {safe[:_EXCERPT]}"

    def _read(self, answered: bytes) -> Likelihoods:
        try:
            reply = json.loads(answered)
        except (ValueError, RecursionError) as error:
            raise EncoderFailed(f"{self.name} answered with something other than JSON") from error
        return self._wire.likelihoods(reply)


def _fits_a_header(key: str) -> bool:
    return key.isascii() and key.isprintable() and " " not in key
