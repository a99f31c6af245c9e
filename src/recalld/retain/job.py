"""Retain as background work: items become the parts of an operation, and a part becomes items again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from pydantic import TypeAdapter

from recalld.domain.errors import InvalidRequest
from recalld.domain.operations import Claim, NewOperation, NewPart, Payload
from recalld.encoders.protocols import TokenCounter
from recalld.retain.service import RetainService
from recalld.retain.types import RetainItem

PARENT, PART = "batch_retain", "retain"
PART_TOKENS = 10_000
"""About how much text one part holds."""

_ITEMS = TypeAdapter(list[RetainItem])


def retain_operation(id_: UUID | None, items: Sequence[RetainItem], tokens: TokenCounter) -> NewOperation:
    """An operation that stores the items, split into parts of about ``PART_TOKENS``.

    Raises ``InvalidRequest`` where two items share a document: parts run in any order.
    """
    repeated = [name for name, count in Counter(item.document_id for item in items).items() if count > 1]
    if repeated:
        raise InvalidRequest(f"document_id '{repeated[0]}' is used by more than one item of an async retain")
    counts = tokens.count_many([item.content for item in items])
    parts = [_part(group) for group in _packed(items, counts)]
    told = {"is_parent": True, "items_count": len(items), "total_tokens": sum(counts)}
    return NewOperation(id_ or uuid4(), PARENT, PART, parts, {**told, "num_sub_batches": len(parts)})


@dataclass(frozen=True, slots=True)
class RetainJob:
    """Does one part."""

    service: RetainService

    async def __call__(self, claim: Claim) -> Payload:
        """Store the part's items, each document once."""
        items = _ITEMS.validate_python(claim.payload["items"])
        await self.service.retain(claim.bank_id, items, claim.id)
        return {"document_ids": [item.document_id for item in items]}


def _part(items: Sequence[RetainItem]) -> NewPart:
    payload = {"items": _ITEMS.dump_python(list(items), mode="json")}
    return NewPart(uuid4(), payload, len(items), items[0].document_id if len(items) == 1 else None)


def _packed(items: Sequence[RetainItem], counts: Sequence[int]) -> list[list[RetainItem]]:
    groups: list[list[RetainItem]] = []
    filled = 0
    for item, count in zip(items, counts, strict=True):
        if not groups or filled + count > PART_TOKENS:
            groups.append([])
            filled = 0
        groups[-1].append(item)
        filled += count
    return groups
