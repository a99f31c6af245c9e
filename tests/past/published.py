"""Holds answers of the second front door against past.dev's published document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from jsonschema import Draft202012Validator

Json = dict[str, Any]

PREFIX = "/api/v1"
SEED = Path(__file__).parents[3] / "shared" / "seeds" / "003_a49a2b64a2119656.txt"
FORMATS = Draft202012Validator.FORMAT_CHECKER
assert {"date-time", "uuid"} <= FORMATS.checkers.keys(), "a format that is not checked is not held"


@dataclass(frozen=True, slots=True)
class Published:
    """The document, and what it says of every answer."""

    document: Json

    @property
    def schemas(self) -> Json:
        """The published schemas by name."""
        schemas: Json = self.document["components"]["schemas"]
        return schemas

    async def check(self, response: httpx.Response) -> None:
        """Fail when an answer is not as published: its body, or the id of its request."""
        path = response.request.url.path
        if path != PREFIX and not path.startswith(f"{PREFIX}/"):
            return
        request_id = response.headers.get("x-request-id", "")
        assert request_id.startswith("req_"), f"{path}: {response.status_code} with request id '{request_id}'"
        name = self._schema_of(response)
        if name is None or not await response.aread():
            return
        body = response.json()
        schema = {"components": self.document["components"], "$ref": f"#/components/schemas/{name}"}
        errors = list(Draft202012Validator(schema, format_checker=FORMATS).iter_errors(body))
        assert not errors, f"{path}: {errors[0].json_path}: {errors[0].message}"
        if name == "Error":
            assert body["status"] == response.status_code, f"{path}: {response.status_code} says {body}"

    @staticmethod
    def _schema_of(response: httpx.Response) -> str | None:
        if response.status_code >= 400:
            return "Error"
        asked = (response.request.method, response.request.url.path)
        return "RecallResponse" if asked == ("POST", f"{PREFIX}/recall") else None


def load_published(path: Path = SEED) -> Published | None:
    """The document without the words before it, or ``None`` where it is not at hand."""
    if not path.exists():
        return None
    _, mark, rest = path.read_text(encoding="utf-8").partition("openapi:")
    return Published(yaml.safe_load(mark + rest))
