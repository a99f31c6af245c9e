"""The second front door as a web application of its own, with its own OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPBearer
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp

from recalld import __version__
from recalld.api.middleware import Abandonment, BodyLimit, BodyLimits
from recalld.api.past import errors, ingest, routes
from recalld.api.past.projects import Keyring

PREFIX = "/api/v1"
RECALL_PATH = f"{PREFIX}/recall"
MAX_BODY_BYTES = 16 * 1024 * 1024
_BEARER = HTTPBearer(
    auto_error=False, scheme_name="bearerAuth", description="Project key beginning with past_sk_."
)


class PastApi(FastAPI):
    """Describes itself without the answers this front door never gives."""

    def openapi(self) -> dict[str, Any]:
        """The document: no 422, as every refused value is a 400 here."""
        if self.openapi_schema is None:
            document = get_openapi(
                title=self.title, version=self.version, description=self.description, routes=self.routes
            )
            for path in document["paths"].values():
                for operation in path.values():
                    operation["responses"].pop("422", None)
            for name in ("HTTPValidationError", "ValidationError"):
                document["components"]["schemas"].pop(name, None)
            self.openapi_schema = document
        return self.openapi_schema


def past_api(keyring: Keyring, recall_body_bytes: int, gzip_min_size: int) -> PastApi:
    """The application. What serves it has to give it its ``state``."""
    app = PastApi(
        title="recalld: past.dev recall",
        version=__version__,
        description="past.dev's recall API over the same memory.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,
        dependencies=[Depends(_BEARER)],
    )
    app.state.keyring = keyring
    app.include_router(routes.router)
    app.include_router(ingest.router)
    errors.install(app)
    if gzip_min_size >= 0:
        app.add_middleware(GZipMiddleware, minimum_size=gzip_min_size, compresslevel=1)
    app.add_middleware(Abandonment, suffix=RECALL_PATH)
    limits = BodyLimits(recall_body_bytes, MAX_BODY_BYTES, RECALL_PATH, errors.too_large)
    app.add_middleware(BodyLimit, limits=limits)
    return app


class SecondDoor:
    """Sends what is under ``/api/v1`` to the second front door, and everything else on."""

    def __init__(self, app: ASGIApp, door: PastApi) -> None:
        self._app = app
        self._door = errors.RequestIds(door)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        through = path == PREFIX or path.startswith(f"{PREFIX}/")
        await (self._door if through else self._app)(scope, receive, send)
