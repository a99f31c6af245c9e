"""Archives: responses."""

from __future__ import annotations

from recalld.api.hindsight.schemas.base import WireModel


class _Submitted(WireModel):
    operation_id: str
    status: str = "pending"


class BankTransferSubmitResponse(_Submitted):
    """The operation that exports, imports or copies a bank."""


class DocumentExportSubmitResponse(_Submitted):
    """The operation that exports documents."""


class DocumentImportSubmitResponse(_Submitted):
    """The operation that imports documents."""
