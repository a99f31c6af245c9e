"""A second server beside the first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from recalld.api.app import create_app
from recalld.bootstrap import application
from tests.fixtures.databases import settings_for
from tests.fixtures.variants import client_of


@pytest.fixture
async def elsewhere(database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a second server on the same database."""
    async with application(settings_for(database_url)) as second:
        web = create_app(running=second)
        async with web.router.lifespan_context(web), client_of(web) as client:
            yield client
