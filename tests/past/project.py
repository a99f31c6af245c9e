"""A project as a client of the second front door sees it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import httpx

from recalld.bootstrap import Application
from tests.fixtures.operations import work_off
from tests.past.published import PREFIX, Json


@dataclass(frozen=True, slots=True)
class Project:
    """Talks under one key. Paths are those after ``/api/v1``."""

    client: httpx.AsyncClient
    key: str
    bank_id: str
    app: Application

    async def ingest(self, content: str, **fields: object) -> Json:
        """Store a data point to the end, and insist that it worked; returns the receipt."""
        return await self._done("/ingest", {"content": content, **fields})

    async def ingest_batch(self, *items: Json, **fields: object) -> Json:
        """Store data points together, as ``ingest`` does."""
        return await self._done("/ingest/batch", {"items": list(items), **fields})

    async def recall(self, query: str, identity: str, **fields: object) -> Json:
        """The answer to a recall that has to work."""
        response = await self.post("/recall", {"query": query, "identity": identity, **fields})
        assert response.status_code == 200, response.text
        answer: Json = response.json()
        return answer

    async def post(self, path: str, body: object) -> httpx.Response:
        # Plain ASCII, so that lone surrogates arrive as the escapes a client would send.
        headers = {**self._headers, "Content-Type": "application/json"}
        return await self.client.post(PREFIX + path, content=json.dumps(body), headers=headers)

    async def get(self, path: str) -> httpx.Response:
        return await self.client.get(PREFIX + path, headers=self._headers)

    async def delete(self, path: str) -> httpx.Response:
        return await self.client.delete(PREFIX + path, headers=self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    async def _done(self, path: str, body: Json) -> Json:
        response = await self.post(path, body)
        assert response.status_code == 200, response.text
        await work_off(self.app)
        receipt: Json = response.json()
        return receipt
