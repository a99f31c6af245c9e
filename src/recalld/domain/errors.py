"""Every failure a caller can meet, drawn as a tree.

RecalldError
|-- InvalidRequest          400  a value that cannot be used
|-- Forbidden               403  not for this caller
|-- NotFound                404  bank, document, memory
|-- Conflict                409  state forbids it
|-- Gone                    410  a route that was retired
|-- TooLarge                413  body over the limit
|-- Unprocessable           422  well-formed, but not acceptable
|-- NotYetSupported         501  a documented field this version does not serve
|-- Overloaded              503  no capacity now; try again
|   `-- AtCapacity          503  too many requests at once
|-- RerankerUnavailable     503  a promise about scores cannot be kept
`-- DeadlineExceeded        504  the work took too long
"""

from __future__ import annotations

from typing import ClassVar


class RecalldError(Exception):
    """Base of all errors raised on purpose; ``message`` is meant for the caller.

    ``may_pass`` tells whether the same request can succeed a little later.
    """

    may_pass: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidRequest(RecalldError):
    """A value in the request cannot be used."""


class Forbidden(RecalldError):
    """The caller may not do that."""


class NotFound(RecalldError):
    """The thing named does not exist."""


class BankNotFound(NotFound):
    """The bank was never created, or was deleted."""

    def __init__(self, bank_id: str) -> None:
        super().__init__(f"Bank '{bank_id}' not found")


class Conflict(RecalldError):
    """The state of the thing named forbids the request."""


class Contended(Conflict):
    """Others kept changing the thing named in the meantime."""

    may_pass = True


class Gone(RecalldError):
    """What once was offered here is not any more."""


class TooLarge(RecalldError):
    """The request body is over the configured limit."""


class Unprocessable(RecalldError):
    """The request is well-formed but not acceptable."""


class NotYetSupported(RecalldError):
    """A documented part of the API that this version does not serve."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"'{field}' is not supported by this server yet: {detail}")
        self.field = field


class Overloaded(RecalldError):
    """No capacity at the moment; ``retry_after`` is in seconds."""

    may_pass = True

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AtCapacity(Overloaded):
    """More requests at once than are worked on."""


class RerankerUnavailable(Overloaded):
    """The reranker is down and the request asked for a guarantee about its scores."""


class DeadlineExceeded(RecalldError):
    """The work did not finish in time."""

    may_pass = True
