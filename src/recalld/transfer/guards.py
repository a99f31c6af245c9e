"""What a ZIP must not be: a bomb, a trick with names, or more than can be worked through."""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from recalld.domain.errors import InvalidRequest

NOT_A_ZIP = "The file is not a ZIP archive, or it is damaged"
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""What reading a ZIP can raise when it is no ZIP."""
_SMALL = 1024 * 1024
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_BYTES_PER_MEMBER = 128
"""Of the directory at the end of a ZIP, generously."""
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Limits:
    """The most an archive may hold. ``ratio`` is of unpacked to packed bytes."""

    members: int = 100_000
    member_bytes: int = 128 * 1024 * 1024
    total_bytes: int = 4 * 1024 * 1024 * 1024
    ratio: int = 250


USUAL = Limits()
OWN = Limits(1_000_000, 1024 * 1024 * 1024, 64 * 1024 * 1024 * 1024)
"""For a file that lies on the machine already."""


def opened(file: BinaryIO, limits: Limits) -> zipfile.ZipFile:
    """The file as a ZIP, or ``InvalidRequest``. Only its directory was read then."""
    try:
        size = file.seek(0, os.SEEK_END)
        if _directory_size(file, size) > limits.members * _BYTES_PER_MEMBER:
            raise InvalidRequest(f"The archive has more than {limits.members} members")
        archive = zipfile.ZipFile(file)
    except BROKEN as error:
        raise InvalidRequest(NOT_A_ZIP) from error
    _check_sizes(archive.infolist(), size, limits)
    return archive


def check_member(info: zipfile.ZipInfo) -> None:
    """Refuse a member that is to be read and is no plain file."""
    if stat.S_ISLNK(info.external_attr >> 16):
        raise InvalidRequest(f"{info.filename}: is a symbolic link")
    if info.flag_bits & _ENCRYPTED:
        raise InvalidRequest(f"{info.filename}: is encrypted")
    if info.compress_type not in METHODS:
        raise InvalidRequest(f"{info.filename}: is packed by a method other than deflate")


def _check_sizes(members: Sequence[zipfile.ZipInfo], size: int, limits: Limits) -> None:
    if len(members) > limits.members:
        raise InvalidRequest(f"The archive has more than {limits.members} members")
    total = sum(info.file_size for info in members)
    if total > limits.total_bytes:
        raise InvalidRequest(f"The archive holds more than {limits.total_bytes} bytes")
    # Against the whole file, as members may claim the same packed bytes.
    if total > max(_SMALL, size * limits.ratio):
        raise InvalidRequest(f"The archive unpacks to more than {limits.ratio} times its size")
    for info in members:
        name = re.sub(r"[^ -~]", "?", info.filename)[:100]
        if info.file_size > limits.member_bytes:
            raise InvalidRequest(f"{name}: holds more than {limits.member_bytes} bytes")
        if info.file_size > max(_SMALL, info.compress_size * limits.ratio):
            raise InvalidRequest(f"{name}: unpacks to more than {limits.ratio} times its size")


def _directory_size(file: BinaryIO, size: int) -> int:
    """The bytes of the directory as the end of the file states them, which is what will be read."""
    tail_length = min(size, _END.size + 0xFFFF + _LOCATOR.size)
    file.seek(size - tail_length)
    tail = file.read(tail_length)
    place = tail.rfind(b"PK\x05\x06")
    if place < 0:
        raise zipfile.BadZipFile
    stated: int = _END.unpack_from(tail, place)[5]
    locator = place - _LOCATOR.size
    if locator >= 0 and tail.startswith(b"PK\x06\x07", locator):
        file.seek(_LOCATOR.unpack_from(tail, locator)[2])
        stated = max(stated, _END_64.unpack(file.read(_END_64.size))[8])
    return stated
