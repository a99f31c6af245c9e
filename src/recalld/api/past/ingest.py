"""What makes the recall of use: data points in and out, and whose they are."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Query

from recalld.api.deps import App
from recalld.api.past.convert_ingest import (
    FAILED,
    DataPoint,
    data_point,
    fingerprint_of,
    ingestion,
    ingestion_id,
    receipt_items,
    receipt_status,
)
from recalld.api.past.errors import ApiError
from recalld.api.past.projects import CallersProject, KeyedRoute, Project
from recalld.api.past.responses import KEYED, UNKNOWN, WRITTEN
from recalld.api.past.schemas import (
    AudienceEntry,
    AudienceList,
    Cursor,
    DeletionReceipt,
    IdentityEntry,
    IdentityPage,
    IngestBatchReceipt,
    IngestBatchRequest,
    Ingestion,
    IngestItem,
    IngestReceipt,
    IngestRequest,
    ReceiptStatus,
)
from recalld.bootstrap import Application
from recalld.catalog.sources import NotedSource
from recalld.domain.banks import Bank
from recalld.domain.errors import NotFound
from recalld.domain.operations import Operation, OperationStatus
from recalld.retain.job import PARENT, retain_operation

logger = logging.getLogger(__name__)
router = APIRouter(route_class=KeyedRoute, prefix="/api/v1", tags=["ingest"])
_KEY = "idempotency"


@dataclass(frozen=True, slots=True)
class Order:
    """Data points of one bank, to be ingested together."""

    bank: Bank
    points: Sequence[DataPoint]
    key: str | None


@dataclass(frozen=True, slots=True)
class Taken:
    """An order that was taken: the operation behind it, and the data points that were there already."""

    id: UUID
    unchanged: frozenset[str]


@router.post("/ingest", operation_id="ingest", response_model_exclude_none=True, responses=KEYED | WRITTEN)
async def ingest(request: IngestRequest, app: App, project: CallersProject) -> IngestReceipt:
    """Remember one data point. It is waited for a little while."""
    order = await _order(app, project, [request], request.idempotency_key)
    taken = await _take(app, order)
    source_id = order.points[0].source_id
    status: ReceiptStatus = "completed"
    if not taken.unchanged:
        operation = await app.operations.wait_for(order.bank.key, taken.id, app.settings.past_ingest_wait)
        _insist(operation)
        status = receipt_status(operation)
    return IngestReceipt(
        project_id=project.bank_id,
        ingestion_id=taken.id,
        source_id=source_id,
        status=status,
        unchanged=source_id in taken.unchanged,
    )


@router.post(
    "/ingest/batch", operation_id="ingestBatch", response_model_exclude_none=True, responses=KEYED | WRITTEN
)
async def ingest_batch(request: IngestBatchRequest, app: App, project: CallersProject) -> IngestBatchReceipt:
    """Remember several data points in the background. Of two with one id the later stays."""
    order = await _order(app, project, request.items, request.idempotency_key)
    taken = await _take(app, order)
    status = receipt_status(await app.operations.wait_for(order.bank.key, taken.id, 0))
    return IngestBatchReceipt(
        project_id=project.bank_id,
        ingestion_id=taken.id,
        status=status,
        unchanged=all(point.source_id in taken.unchanged for point in order.points),
        items=receipt_items(order.points, taken.unchanged, status),
    )


@router.get(
    "/ingest/{ingestion_id}",
    operation_id="getIngestion",
    response_model_exclude_none=True,
    responses=KEYED | UNKNOWN,
)
async def get_ingestion(ingestion_id: str, app: App, project: CallersProject) -> Ingestion:
    """How far an ingestion is."""
    try:
        id_ = UUID(ingestion_id)
    except ValueError:
        raise _unknown_ingestion(ingestion_id) from None
    project = await _real(app, project)
    home = await app.catalog.sources.bank_of_operation(id_)
    if home is None or not project.owns(home.bank_id):
        raise _unknown_ingestion(ingestion_id)
    found = await app.operations.find(home.key, id_)
    if found is None or found[0].type != PARENT:
        raise _unknown_ingestion(ingestion_id)
    return ingestion(project.bank_id, *found)


@router.delete("/data-points/{source_id:path}", operation_id="deleteDataPoint", responses=KEYED | UNKNOWN)
async def delete_data_point(source_id: str, app: App, project: CallersProject) -> DeletionReceipt:
    """Forget a data point, and what was derived from it."""
    project = await _real(app, project)
    homes = await app.catalog.sources.banks_with(source_id, project.bank_id)
    homes = [bank_id for bank_id in homes if project.owns(bank_id)]
    if not homes:
        raise ApiError(404, "data-point-not-found", f"There is no data point '{source_id}'.")
    receipt = DeletionReceipt(operation_id=uuid4(), ids=[source_id])
    for bank_id in homes:
        try:
            await app.catalog.documents.delete(bank_id, source_id)
        except NotFound:
            continue
    logger.info("data point deleted, operation %s", receipt.operation_id)
    return receipt


@router.get("/audiences", operation_id="listAudiences", responses=KEYED)
async def list_audiences(app: App, project: CallersProject) -> AudienceList:
    """All audiences."""
    bank = await app.catalog.sources.bank(project.bank_id)
    found = [] if bank is None else await app.catalog.sources.audiences(bank)
    return AudienceList(audiences=[AudienceEntry(slug=slug, data_points=count) for slug, count in found])


@router.get("/audiences/{slug:path}", operation_id="getAudience", responses=KEYED | UNKNOWN)
async def get_audience(slug: str, app: App, project: CallersProject) -> AudienceEntry:
    """One audience."""
    for entry in (await list_audiences(app, project)).audiences:
        if entry.slug == slug:
            return entry
    raise ApiError(404, "audience-not-found", f"There is no audience '{slug}'.")


@router.get("/identities", operation_id="listIdentities", response_model_exclude_none=True, responses=KEYED)
async def list_identities(
    app: App,
    project: CallersProject,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    after: Cursor | None = None,
) -> IdentityPage:
    """Identities that have data points, in order."""
    sources = app.catalog.sources
    if project.bank_each:
        found = await sources.banks_behind(project.identity_prefix, after, limit + 1)
    else:
        bank = await sources.bank(project.bank_id)
        found = [] if bank is None else await sources.identities(bank, after, limit + 1)
    page = [IdentityEntry(identity=name, data_points=count) for name, count in found[:limit]]
    cursor = {"end_cursor": page[-1].identity} if page else {}
    return IdentityPage(identities=page, has_more=len(found) > limit, **cursor)


async def _real(app: Application, project: Project) -> Project:
    """The project under the id of its bank, where it was set up with another name of that."""
    bank = None if project.bank_each else await app.catalog.sources.bank(project.bank_id)
    return project if bank is None else replace(project, bank_id=bank.bank_id)


async def _order(app: Application, project: Project, items: Sequence[IngestItem], key: str | None) -> Order:
    banks = {project.bank_of(item.identity, item.audience) for item in items}
    if len(banks) > 1:
        raise ApiError(400, "invalid-request", "A batch can only be of one identity here.")
    now = datetime.now(UTC)
    points = [data_point(item, now) for item in items]
    return Order(await app.retain.bank(banks.pop()), points, key)


async def _take(app: Application, order: Order) -> Taken:
    """Queue what is new or changed. A key that was used, or content that is there, writes nothing."""
    bank, points = order.bank, {point.source_id: point for point in order.points}
    told = fingerprint_of(order.points)
    id_ = uuid4() if order.key is None else ingestion_id(bank.key, "key", order.key)
    if order.key is not None and (found := await app.operations.find(bank.key, id_)) is not None:
        return _replayed(found[0], told, points)
    noted = await app.catalog.sources.noted(bank, list(points))
    same = {name: noted[name] for name in points if _is_same(points[name], noted.get(name))}
    if len(same) == len(points) and order.key is None:
        known = next(iter(same.values())).ingestion if len(points) == 1 else None
        id_ = known or ingestion_id(bank.key, "unchanged", told)
    changed = [point.of(id_) for name, point in points.items() if name not in same]
    new = retain_operation(id_, changed, app.tokens)
    await app.operations.submit(bank.key, replace(new, result={**new.result, _KEY: told}))
    return Taken(id_, frozenset(same))


def _replayed(operation: Operation, told: str, points: Collection[str]) -> Taken:
    if operation.result.get(_KEY) != told:
        message = "This idempotencyKey was used for something else."
        raise ApiError(409, "idempotency-conflict", message)
    done = operation.status is OperationStatus.COMPLETED
    return Taken(operation.id, frozenset(points) if done else frozenset())


def _is_same(point: DataPoint, noted: NotedSource | None) -> bool:
    return noted is not None and noted.fingerprint == point.fingerprint


def _insist(operation: Operation | None) -> None:
    """Tell of an ingestion that failed while it was waited for."""
    if operation is not None and operation.status is OperationStatus.FAILED:
        message = operation.error_message or "The data point could not be stored."
        raise ApiError(400, FAILED, message, {"ingestionId": str(operation.id)})


def _unknown_ingestion(id_: str) -> ApiError:
    return ApiError(404, "ingestion-not-found", f"There is no ingestion '{id_}'.")
