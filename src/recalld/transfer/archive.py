"""Reads and writes the ZIP, one document at a time. Names of members are matched, never used as paths."""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import orjson

from recalld.domain.attachments import MAX_BYTES, AttachmentDraft
from recalld.domain.errors import InvalidRequest
from recalld.transfer.contents import (
    SCHEMA_VERSION,
    BankRow,
    Document,
    File,
    InvalidatedFact,
    Manifest,
    Observation,
    parsed,
    parsed_list,
)
from recalld.transfer.guards import BROKEN, USUAL, Limits, check_member, opened

MANIFEST = "manifest.json"
OBSERVATIONS = "observations.json"
FILES = "attachments.json"
BANKS = "banks.json"
INVALIDATED = "data/invalidated_memory_units.json"
_DOCUMENT = re.compile(r"documents/[0-9]{1,12}\.json")
_BLOB = re.compile(r"blobs/[0-9a-f]{64}")
_READ = frozenset({MANIFEST, OBSERVATIONS, FILES, BANKS, INVALIDATED})
_COUNTED = re.compile(r"(?:data/)?([a-z_]{1,40})\.json")
_KNOWN_NAMES = frozenset(
    {
        "async_operations",
        "audit_log",
        "directives",
        "entity_maintenance_queue",
        "graph_maintenance_queue",
        "knowledge_pages",
        "llm_requests",
        "mental_model_history",
        "mental_models",
        "webhooks",
    }
)
"""What recalld has no table for: its rows are counted."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that is open for reading. Its calls block."""

    manifest: Manifest
    _zip: zipfile.ZipFile = field(repr=False)
    _members: Mapping[str, zipfile.ZipInfo] = field(repr=False)

    @classmethod
    def open(cls, file: BinaryIO, limits: Limits = USUAL) -> Archive:
        """Look at the directory and the manifest, or raise ``InvalidRequest``."""
        archive = opened(file, limits)
        members: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            if _is_known(info.filename):
                if info.filename in members:
                    raise InvalidRequest(f"{info.filename}: stands twice in the archive")
                check_member(info)
            members[info.filename] = info
        if MANIFEST not in members:
            raise InvalidRequest(f"The archive has no {MANIFEST}")
        manifest = parsed(MANIFEST, Manifest, _json(archive, members[MANIFEST]))
        if manifest.schema_version != SCHEMA_VERSION:
            raise InvalidRequest(f"{MANIFEST}: schema_version {manifest.schema_version} is not known here")
        return cls(manifest, archive, members)

    @property
    def document_names(self) -> list[str]:
        """Names of the members that hold a document, in order."""
        return sorted(name for name in self._members if _DOCUMENT.fullmatch(name))

    def documents(self) -> Iterator[Document]:
        """Documents, read one by one. Two with one id are refused."""
        seen: dict[str, str] = {}
        for name in self.document_names:
            document = parsed(name, Document, self._read(name))
            if document.id in seen:
                raise InvalidRequest(f"{name}: id: is that of {seen[document.id]} too")
            seen[document.id] = name
            yield document

    def observations(self) -> list[Observation]:
        """Observations; none where the archive has no such member."""
        return self._list(OBSERVATIONS, Observation)

    def invalidated(self) -> list[InvalidatedFact]:
        """Facts that were set aside."""
        return self._list(INVALIDATED, InvalidatedFact)

    def bank(self) -> BankRow | None:
        """How the bank was set up, if the archive says so."""
        rows = self._list(BANKS, BankRow)
        if len(rows) > 1:
            raise InvalidRequest(f"{BANKS}: holds more than one bank")
        return rows[0] if rows else None

    def files(self) -> dict[str, list[File]]:
        """Files whose bytes are in the archive, by the document they came with."""
        found: dict[str, list[File]] = defaultdict(list)
        for file in parsed_list(FILES, File, self._file_rows()[0]):
            if file.member in self._members:
                found[file.document_id].append(file)
        return found

    def file(self, file: File) -> AttachmentDraft:
        """A file with its bytes."""
        info = self._members[file.member]
        if info.file_size > MAX_BYTES:
            raise InvalidRequest(f"{file.member}: holds more than {MAX_BYTES} bytes")
        draft = AttachmentDraft(file.kind, file.media_type, _bytes(self._zip, info), file.filename)
        if draft.attachment.hash != file.hash:
            raise InvalidRequest(f"{file.member}: is named after other bytes")
        return draft

    def check(self) -> None:
        """Read everything once, so that nothing is imported of an archive that cannot be read to its end."""
        for _ in self.documents():
            pass
        self.observations(), self.invalidated(), self.bank()
        for file in {file.member: file for files in self.files().values() for file in files}.values():
            self.file(file)

    def left_over(self) -> dict[str, int]:
        """Rows that nothing reads, by the name of their member; members of unknown names as ``unknown``."""
        counts = Counter({FILES.removesuffix(".json"): self._file_rows()[1]})
        for name in self._members:
            counted = _COUNTED.fullmatch(name)
            if _is_known(name) or name.endswith("/"):
                continue
            if counted and counted[1] in _KNOWN_NAMES:
                rows = self._read(name)
                counts[counted[1]] += len(rows) if isinstance(rows, list) else 1
            else:
                counts["unknown"] += 1
        return {name: count for name, count in sorted(counts.items()) if count}

    def _file_rows(self) -> tuple[list[Any], int]:
        """What is said of files in our words, and how many rows are in others'."""
        rows = self._read(FILES) if FILES in self._members else []
        if not isinstance(rows, list):
            raise InvalidRequest(f"{FILES}: Input should be a valid list")
        ours = [row for row in rows if isinstance(row, dict) and {"document_id", "hash"} <= row.keys()]
        return ours, len(rows) - len(ours)

    def _read(self, name: str) -> Any:
        return _json(self._zip, self._members[name])

    def _list(self, name: str, model: type[Any]) -> list[Any]:
        return parsed_list(name, model, self._read(name)) if name in self._members else []


@dataclass(frozen=True, slots=True)
class ArchiveWriter:
    """An archive in the making. Its calls block."""

    _zip: zipfile.ZipFile

    @classmethod
    def on(cls, file: BinaryIO) -> ArchiveWriter:
        """Begin an archive."""
        return cls(zipfile.ZipFile(file, "w"))

    def add(self, name: str, value: Any) -> None:
        """Add a member of JSON."""
        data = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        self._zip.writestr(_member(name), data, zipfile.ZIP_DEFLATED)

    def add_documents(self, first: int, documents: Sequence[Any]) -> None:
        """Add documents, numbered from ``first`` on."""
        for number, document in enumerate(documents, first):
            self.add(f"documents/{number:06}.json", document)

    def add_blob(self, file: File, data: bytes) -> None:
        """Add the bytes of a file, packed as they are."""
        self._zip.writestr(_member(file.member), data, zipfile.ZIP_STORED)

    def close(self) -> None:
        """Write the directory."""
        self._zip.close()


def _member(name: str) -> zipfile.ZipInfo:
    """A member without a date, so that the same content makes the same archive."""
    info = zipfile.ZipInfo(name, _EARLIEST)
    info.external_attr = 0o644 << 16
    return info


def _is_known(name: str) -> bool:
    return name in _READ or _DOCUMENT.fullmatch(name) is not None or _BLOB.fullmatch(name) is not None


def _bytes(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    check_member(info)
    try:
        with archive.open(info) as member:
            return member.read(info.file_size + 1)
    except BROKEN as error:
        raise InvalidRequest(f"{info.filename}: is damaged") from error


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    data = _bytes(archive, info).removeprefix(b"\xef\xbb\xbf")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidRequest(f"{info.filename}: is not JSON ({error.msg}, {where})") from error
