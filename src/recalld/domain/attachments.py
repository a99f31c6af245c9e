"""Images and files that come with content: their bytes apart, a placeholder for each in the text."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["image", "file"]

ID_LENGTH = 16
MAX_BYTES = 20 * 1024 * 1024
MAX_PER_ITEM = 50
_PLACEHOLDER = re.compile(rf"\[(image|file):([0-9a-f]{{{ID_LENGTH}}})(?::([^\s\]]*))?\]")
_BREAKS_PLACEHOLDER = re.compile(r"[\s\[\]]+")


@dataclass(frozen=True, slots=True)
class Attachment:
    """What is known about one file. ``hash`` is the SHA-256 of its bytes, ``id`` the beginning of that."""

    id: str
    hash: str
    kind: Kind
    media_type: str
    byte_size: int
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class AttachmentDraft:
    """A file about to be stored."""

    # How its bytes travel in JSON, where pydantic writes it.
    __pydantic_config__ = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}  # noqa: RUF012

    kind: Kind
    media_type: str
    data: bytes
    filename: str | None = None

    @property
    def attachment(self) -> Attachment:
        """The same without its bytes."""
        digest = hashlib.sha256(self.data).hexdigest()
        return Attachment(
            digest[:ID_LENGTH], digest, self.kind, self.media_type, len(self.data), self.filename
        )


def placeholder(attachment: Attachment) -> str:
    """What stands for the file in the text: one word, so that no chunk ends inside it."""
    name = _BREAKS_PLACEHOLDER.sub("_", attachment.filename or "")
    return f"[{attachment.kind}:{attachment.id}{':' if name else ''}{name}]"


def placeholder_ids(text: str) -> tuple[str, ...]:
    """Ids of the files a text stands for, in order of first appearance."""
    return tuple(dict.fromkeys(found[2] for found in _PLACEHOLDER.finditer(text)))


def in_words(text: str) -> str:
    """The text with the words of its file's name, or of its kind, in place of each placeholder."""
    return _PLACEHOLDER.sub(lambda found: re.sub(r"[\W_]+", " ", found[3] or found[1]), text)
