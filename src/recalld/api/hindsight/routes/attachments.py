"""Attachments: the bytes behind the placeholders in a text."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Response

from recalld.api.deps import App, Authorization
from recalld.api.ignored import ReportingRoute
from recalld.api.responses import READ, UNKNOWN_BANK, Responses
from recalld.domain.attachments import Attachment

router = APIRouter(tags=["Memory"], route_class=ReportingRoute)

SHOWN_IN_A_PAGE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types a browser may show; anything else could run as a page of this server, and is saved instead."""

BYTES: Responses = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get(
    "/v1/default/banks/{bank_id}/attachments/{attachment_id}",
    operation_id="get_bank_attachment",
    response_class=Response,
    responses=BYTES | READ | UNKNOWN_BANK,
)
async def get_bank_attachment(
    bank_id: str, attachment_id: str, app: App, authorization: Authorization = None
) -> Response:
    """The bytes of an image or a file."""
    attachment, data = await app.attachments.get(bank_id, attachment_id)
    return Response(data, media_type=attachment.media_type, headers=_headers(attachment))


def _headers(attachment: Attachment) -> dict[str, str]:
    shown = attachment.media_type in SHOWN_IN_A_PAGE
    name = quote(attachment.filename or attachment.id, safe="")
    return {
        "Content-Disposition": f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{name}",
        "X-Content-Type-Options": "nosniff",
        "ETag": f'"{attachment.hash}"',
    }
