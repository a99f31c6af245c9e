"""Which files of an archive belong to which document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from recalld.domain.attachments import AttachmentDraft
from recalld.transfer.archive import Archive, ArchivedFile
from recalld.transfer.draft import Whole


@dataclass(frozen=True, slots=True)
class Enclosures:
    """Files by the id that texts call them by, and names of files by document and hash."""

    files: Mapping[str, ArchivedFile]
    by_hash: Mapping[str, ArchivedFile]
    names: Mapping[str, Mapping[str, str | None]]

    @classmethod
    def of(cls, archive: Archive) -> Enclosures:
        """Those of an archive."""
        files = archive.files()
        names: dict[str, dict[str, str | None]] = defaultdict(dict)
        for one in archive.files_of_documents():
            names[one.document_id][one.attachment_hash] = one.filename
        return cls({file.id: file for file in files}, {file.hash: file for file in files}, names)

    def of_document(self, whole: Whole) -> list[ArchivedFile]:
        """Files a document came with, or that its texts stand for."""
        named = (self.by_hash.get(hash_) for hash_ in self.names.get(whole.document.id, ()))
        meant = (self.files.get(id_) for id_ in whole.file_ids)
        return list(dict.fromkeys(file for file in (*named, *meant) if file is not None))

    def drafts(self, archive: Archive, whole: Whole) -> list[tuple[str, AttachmentDraft]]:
        """The same with their bytes, each with its id."""
        names = self.names.get(whole.document.id, {})
        return [
            (
                file.id,
                AttachmentDraft(file.kind, file.media_type, archive.data(file), names.get(file.hash)),
            )
            for file in self.of_document(whole)
        ]
