"""A decision model behind an HTTP API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from recalld.encoders.decision.packing import Request, pack
from recalld.encoders.decision.wire import WIRES
from recalld.encoders.http import Endpoint, HttpService, Refused, all_of, fits_a_header
from recalld.encoders.protocols import EncoderFailed, Question, TokenCounter
from recalld.encoders.retry import RetryPolicy

MIN_REQUEST_TOKENS = 1000

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
        if not fits_a_header(self.api_key or ""):
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
        self._service = HttpService(
            Endpoint(
                self.name,
                endpoint.address,
                endpoint.api_key,
                endpoint.timeout,
                endpoint.max_concurrent,
                endpoint.retry,
            )
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
        await self._service.aclose()

    async def _ask_all(self, requests: Sequence[Request]) -> Likelihoods:
        answers = await all_of(self._ask(request) for request in requests)
        return {id_: likelihood for answer in answers for id_, likelihood in answer.items()}

    async def _ask(self, request: Request) -> Likelihoods:
        try:
            reply = await self._service.ask(self._wire.path, self._wire.body(*request))
        except Refused as error:
            if error.status not in {400, 413} or "max_tokens_exceeded" not in error.body:
                raise
            if len(request.asks) == 1:
                raise RequestTooLong(str(error)) from error
            return await self._ask_all(request.halves())
        return self._wire.likelihoods(reply)
