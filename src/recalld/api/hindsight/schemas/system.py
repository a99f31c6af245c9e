"""Health and version."""

from __future__ import annotations

from typing import Literal

from recalld.api.hindsight.schemas.base import WireModel


class LivenessResponse(WireModel):
    """The process runs."""

    status: Literal["alive"]
    version: str
    uptime_seconds: float


class FeaturesInfo(WireModel):
    """What this server offers."""

    observations: bool
    mcp: bool
    worker: bool
    bank_config_api: bool
    bank_llm_health: bool
    file_upload_api: bool
    document_export_api: bool
    document_import_api: bool
    audit_log: bool
    llm_trace: bool
    store_document_text: bool


class VersionResponse(WireModel):
    """Contract version and features."""

    api_version: str
    features: FeaturesInfo
