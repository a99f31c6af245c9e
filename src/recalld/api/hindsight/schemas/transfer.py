"""Archives: responses."""

from __future__ import annotations

from recalld.api.hindsight.schemas.base import WireModel


class BankTransferSubmitResponse(WireModel):
    """The operation that exports, imports or copies a bank."""

    operation_id: str
    status: str = "pending"


class DocumentExportSubmitResponse(WireModel):
    """The operation that exports documents."""

    operation_id: str
    status: str = "pending"


class DocumentImportSubmitResponse(WireModel):
    """The operation that imports documents."""

    operation_id: str
    status: str = "pending"
