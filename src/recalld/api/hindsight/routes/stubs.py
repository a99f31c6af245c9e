"""What needs a language model, or is retired: lists are empty, the rest is refused in plain words (D23).

None of it is in our OpenAPI document, which shows what is served.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query

from recalld.api.deps import App, Authorization
from recalld.api.ignored import ReportingRoute
from recalld.domain.errors import Gone, InvalidRequest, NotFound, NotYetSupported

router = APIRouter(route_class=ReportingRoute, include_in_schema=False)

BANK = "/v1/default/banks/{bank_id}"
EVERY_METHOD = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_DAYS = {"1d": 1, "7d": 7, "30d": 30, "90d": 90}

Offset = Annotated[int, Query(ge=0)]
Thousand = Annotated[int, Query(ge=1, le=1000)]
ThousandOrNone = Annotated[int, Query(ge=0, le=1000)]
FiveHundred = Annotated[int, Query(ge=1, le=500)]


@router.get(BANK + "/mental-models")
@router.get(BANK + "/directives")
async def list_nothing(
    bank_id: str, app: App, limit: Thousand = 100, offset: Offset = 0, authorization: Authorization = None
) -> dict[str, Any]:
    """An empty page."""
    await app.banks.get(bank_id)
    return _page(limit, offset)


@router.get(BANK + "/webhooks")
async def list_webhooks(
    bank_id: str,
    app: App,
    limit: ThousandOrNone = 100,
    offset: Offset = 0,
    authorization: Authorization = None,
) -> dict[str, Any]:
    """An empty page."""
    await app.banks.get(bank_id)
    return _page(limit, offset)


@router.get(BANK + "/audit-logs")
@router.get(BANK + "/llm-requests")
async def list_no_records(
    bank_id: str, app: App, limit: FiveHundred = 50, offset: Offset = 0, authorization: Authorization = None
) -> dict[str, Any]:
    """An empty page that names the bank."""
    bank = await app.banks.get(bank_id)
    return {"bank_id": bank.bank_id, **_page(limit, offset)}


@router.get(BANK + "/audit-logs/stats")
@router.get(BANK + "/llm-requests/stats")
async def count_no_records(
    bank_id: str, app: App, period: str = "7d", authorization: Authorization = None
) -> dict[str, Any]:
    """Statistics without a record."""
    if period not in _DAYS:
        raise InvalidRequest(f"period must be one of: {', '.join(_DAYS)}")
    bank = await app.banks.get(bank_id)
    start = datetime.now(UTC) - timedelta(days=_DAYS[period])
    return {
        "bank_id": bank.bank_id,
        "period": period,
        "trunc": "hour" if _DAYS[period] == 1 else "day",
        "start": start.isoformat(),
        "buckets": [],
    }


@router.api_route(BANK + "/mental-models/{id_}", methods=["GET", "PATCH", "DELETE"])
@router.get(BANK + "/mental-models/{id_}/history")
@router.post(BANK + "/mental-models/{id_}/{action}")
async def no_mental_model(id_: str) -> None:
    """There is none."""
    raise NotFound(f"Mental model '{id_}' not found")


@router.api_route(BANK + "/directives/{id_}", methods=["GET", "PATCH", "DELETE"])
async def no_directive(id_: str) -> None:
    """There is none."""
    raise NotFound(f"Directive '{id_}' not found")


@router.api_route(BANK + "/webhooks/{id_}", methods=["PATCH", "DELETE"])
@router.get(BANK + "/webhooks/{id_}/deliveries")
async def no_webhook(id_: str) -> None:
    """There is none."""
    raise NotFound(f"Webhook '{id_}' not found")


@router.get(BANK + "/audit-logs/{id_}")
async def no_audit_log(id_: str) -> None:
    """There is none."""
    raise NotFound(f"Audit log '{id_}' not found")


@router.post(BANK + "/mental-models")
async def create_mental_model() -> None:
    """Refused."""
    raise NotYetSupported("mental models", "they are written by a language model, and none is used")


@router.post(BANK + "/directives")
async def create_directive() -> None:
    """Refused."""
    raise NotYetSupported("directives", "they steer a language model, and none is used")


@router.post(BANK + "/webhooks")
async def create_webhook() -> None:
    """Refused."""
    raise NotYetSupported("webhooks", "poll the operation instead")


@router.api_route(BANK + "/knowledge-base/{rest:path}", methods=EVERY_METHOD)
async def knowledge_base() -> None:
    """Refused."""
    raise NotYetSupported("the knowledge base", "its pages are written by a language model, and none is used")


@router.post(BANK + "/reflect")
async def reflect() -> None:
    """Refused: an answer is written by a language model."""
    raise InvalidRequest(
        "reflect needs a language model, and this server uses none; recall returns the memories themselves"
    )


@router.put(BANK + "/profile")
@router.post(BANK + "/background")
async def set_profile() -> None:
    """Retired."""
    raise Gone("This route is retired: set the mission and the disposition with PUT on the bank")


@router.get(BANK + "/document-transfer")
async def export_documents_at_once() -> None:
    """Retired."""
    raise Gone("This route is retired: POST to transfer/export, and follow the operation")


@router.post(BANK + "/entities/{id_}/regenerate")
async def regenerate_entity() -> None:
    """Retired."""
    raise Gone("This route is retired: observations about an entity come from its memories")


def _page(limit: int, offset: int) -> dict[str, Any]:
    return {"items": [], "total": 0, "limit": limit, "offset": offset}
