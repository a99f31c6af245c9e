"""Archives nobody should trust: refused in a sentence that names the place, before anything is written."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import time
import tracemalloc
import zipfile
from typing import Any

import pytest

from recalld.domain.attachments import AttachmentDraft
from recalld.domain.errors import InvalidRequest
from recalld.transfer.archive import Archive, ArchiveWriter
from recalld.transfer.contents import File
from recalld.transfer.guards import USUAL, Limits
from tests.fixtures.archives import MANIFEST, archive_of, packed, unpacked

MEGABYTE = 1024 * 1024
FACT = {"text": "A fact.", "fact_type": "world"}


def opened(data: bytes, limits: Limits = USUAL) -> Archive:
    return Archive.open(io.BytesIO(data), limits)


def why(data: bytes, limits: Limits = USUAL) -> str:
    """The sentence an archive is refused with."""
    with pytest.raises(InvalidRequest) as caught:
        opened(data, limits).check()
    return caught.value.message


def document(*facts: Any, **fields: Any) -> dict[str, Any]:
    return {"id": "d", "facts": list(facts), **fields}


@pytest.mark.parametrize(
    "data", [b"", b"PK\x05\x06", b"x" * 1000, b"PK\x03\x04" * 50, packed({"a": b"b"})[:-1]]
)
def test_what_is_no_zip(data: bytes) -> None:
    assert why(data) == "The file is not a ZIP archive, or it is damaged"


def test_a_zip_cut_off_or_flipped_in_the_middle() -> None:
    data = bytearray(archive_of(document(FACT, original_text="word " * 5000)))
    data[60] ^= 0xFF
    assert why(bytes(data)) == "documents/000000.json: is damaged"
    for length in range(0, len(data), 7):
        assert why(bytes(data[:length]))


def test_a_member_that_unpacks_to_far_more_than_it_is() -> None:
    data = packed({"manifest.json": MANIFEST, "documents/0.json": b" " * 2 * MEGABYTE})
    assert "documents/0.json: unpacks to more than 250 times" in why(data) or "The archive unpacks" in why(
        data
    )
    hidden = packed({"manifest.json": MANIFEST, "other": b"\x00" * 2 * MEGABYTE})
    assert "more than 250 times its size" in why(hidden)


def test_many_members_that_together_unpack_to_too_much() -> None:
    noise = json.dumps(list(range(30_000))).encode()
    data = packed({"manifest.json": MANIFEST, **{f"documents/{i}.json": noise for i in range(20)}})
    assert why(data, Limits(total_bytes=MEGABYTE)) == "The archive holds more than 1048576 bytes"
    assert why(data, Limits(member_bytes=MEGABYTE // 10)) == "documents/0.json: holds more than 104857 bytes"


def test_members_that_share_their_packed_bytes() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(MANIFEST))
        archive.writestr("a", json.dumps(list(range(200_000))))
        (first, shared) = archive.filelist
        for number in range(2000):
            copy = zipfile.ZipInfo(f"b{number}")
            for name in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(copy, name, getattr(shared, name))
            archive.filelist.append(copy)
    assert why(file.getvalue()) == "The archive unpacks to more than 250 times its size"
    assert first.filename == "manifest.json"


def test_a_size_that_is_a_lie() -> None:
    data = bytearray(
        packed({"manifest.json": MANIFEST, "documents/0.json": json.dumps(document(FACT)).encode()})
    )
    place = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, place + 24, 5)
    assert why(bytes(data)).startswith("documents/0.json: is ")


def test_a_hundred_thousand_members_are_refused_at_once() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(100_001):
            archive.writestr(zipfile.ZipInfo(str(number)), b"")
    start = time.monotonic()
    assert why(file.getvalue()) == "The archive has more than 100000 members"
    assert time.monotonic() - start < 5


def test_a_directory_that_claims_to_be_vast_is_not_read() -> None:
    data = archive_of(document(FACT))
    place = data.rfind(b"PK\x05\x06")
    padded = data[:place] + b"\x00" * 14 * MEGABYTE + data[place:]
    vast = bytearray(padded)
    struct.pack_into("<L", vast, vast.rfind(b"PK\x05\x06") + 12, 14 * MEGABYTE)
    tracemalloc.start()
    assert why(bytes(vast)) == "The archive has more than 100000 members"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * MEGABYTE


@pytest.mark.parametrize(
    "name",
    [
        "../documents/000000.json",
        "/documents/000000.json",
        "documents/../manifest.json",
        "documents\\000000.json",
        "C:/documents/000000.json",
        "documents/000000.json/x",
        "documents/x.json",
        "documents/\u0966.json",
        "inner.zip",
        "observations.json ",
    ],
)
def test_names_are_not_followed_anywhere(name: str) -> None:
    inner = archive_of(document(FACT))
    archive = opened(packed({name: inner, "manifest.json": MANIFEST}))
    archive.check()
    assert archive.document_names == []
    assert archive.left_over() == {"unknown": 1}


def file_row(data: bytes, **changes: Any) -> dict[str, Any]:
    return {"document_id": "d", "hash": hashlib.sha256(data).hexdigest(), "kind": "file", **changes}


def test_a_file_is_found_by_the_hash_of_its_bytes() -> None:
    here, missing = file_row(b"bytes", filename="a.txt"), file_row(b"missing")
    members = {"attachments.json": [here, missing], f"blobs/{here['hash']}": b"bytes"}
    archive = opened(packed({**members, "manifest.json": MANIFEST}))
    archive.check()
    (file,) = archive.files()["d"]
    assert archive.file(file) == AttachmentDraft("file", "application/octet-stream", b"bytes", "a.txt")


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "manifest.json", "0" * 63])
def test_a_hash_is_no_path(name: str) -> None:
    reason = why(archive_of(document(FACT), attachments=[file_row(b"", hash=name)]))
    assert reason == "attachments.json: 0.hash: String should match pattern '^[0-9a-f]{64}$'"


def test_bytes_that_are_not_those_they_are_said_to_be() -> None:
    row = file_row(b"bytes")
    blob = f"blobs/{row['hash']}"
    assert why(packed({"attachments.json": [row], blob: b"other", "manifest.json": MANIFEST})) == (
        f"{blob}: is named after other bytes"
    )


def test_files_described_in_other_words_are_counted() -> None:
    archive = opened(
        packed({"attachments.json": [{"x": 1}, 2], "blobs/1.bin": b"", "manifest.json": MANIFEST})
    )
    archive.check()
    assert (archive.files(), archive.left_over()) == ({}, {"attachments": 2, "unknown": 1})


def with_attributes(mode: int, flags: int = 0, method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", json.dumps(MANIFEST))
        info = zipfile.ZipInfo("documents/000000.json")
        info.external_attr = mode << 16
        archive.writestr(info, "/etc/passwd", method)
    data = bytearray(file.getvalue())
    data[data.rfind(b"PK\x01\x02") + 8] |= flags
    return bytes(data)


def test_links_and_ciphers_and_odd_methods() -> None:
    assert why(with_attributes(0o120777)) == "documents/000000.json: is a symbolic link"
    assert why(with_attributes(0o644, flags=1)) == "documents/000000.json: is encrypted"
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "method other than deflate" in why(with_attributes(0o644, method=method))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_stands_twice() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for _ in range(2):
            archive.writestr("manifest.json", json.dumps(MANIFEST))
    assert why(file.getvalue()) == "manifest.json: stands twice in the archive"


def test_two_documents_with_one_id() -> None:
    reason = why(archive_of(document(FACT), document(FACT)))
    assert reason == "documents/000001.json: id: is that of documents/000000.json too"


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"schema_version": 2, "source_bank_id": "x"}, "manifest.json: schema_version 2 is not known here"),
        ({"schema_version": 1}, "manifest.json: source_bank_id: Field required"),
        ([], "manifest.json: Input should be a valid dictionary or instance of Manifest"),
        ("x", "manifest.json: Input should be a valid dictionary or instance of Manifest"),
        (b"{", "manifest.json: is not JSON (unexpected end of data, line 1, column 2)"),
        (b"[" * 100_000, "manifest.json: is not JSON"),
        (b'{"a": NaN}', "manifest.json: is not JSON"),
    ],
)
def test_a_manifest_that_says_nothing_of_use(manifest: Any, reason: str) -> None:
    assert why(packed({"manifest.json": manifest})).startswith(reason)


def test_no_manifest() -> None:
    assert why(packed({"documents/000000.json": document(FACT)})) == "The archive has no manifest.json"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "Input should be a valid dictionary or instance of Document"),
        ({"facts": []}, "id: Field required"),
        ({"id": 7}, "id: Input should be a valid string"),
        ({"id": ""}, "id: String should have at least 1 character"),
        ({"id": "a\x00b"}, "id: must not hold control characters"),
        (document(7), "facts.0: Input should be a valid dictionary or instance of Fact"),
        (document(FACT, {}), "facts.1.text: Field required"),
        (document({"text": " \n"}), "facts.0.text: must not be blank"),
        (document({"text": "\x00"}), "facts.0.text: must not be blank"),
        (document({**FACT, "fact_type": "observation"}), "facts.0.fact_type: Input should be 'world' or"),
        (document({**FACT, "tags": "a"}), "facts.0.tags: Input should be a valid list"),
        (document({**FACT, "tags": ["a\x01"]}), "facts.0.tags.0: must not hold control characters"),
        (document({**FACT, "metadata": []}), "facts.0.metadata: Input should be a valid dictionary"),
        (document({**FACT, "metadata": "x"}), "facts.0.metadata: Input should be a valid dictionary"),
        (document({**FACT, "mentioned_at": 20260101}), "facts.0.mentioned_at: should be a date in ISO 8601"),
        (
            document({**FACT, "mentioned_at": "soon"}),
            "facts.0.mentioned_at: Input should be a valid datetime",
        ),
        (document({**FACT, "observation_scopes": "each"}), "facts.0.observation_scopes: should be one of"),
        (document({**FACT, "chunk_index": -1}), "facts.0.chunk_index: Input should be greater than or equal"),
        (document({**FACT, "chunk_index": 2**31}), "facts.0.chunk_index: Input should be less than or equal"),
        (document({**FACT, "entities": [{}]}), "facts.0.entities.0: Input should be a valid string"),
        (document(FACT, chunks=[{"chunk_index": 0}]), "chunks.0.chunk_text: Field required"),
        (
            document(FACT, chunks=[{"chunk_index": 0, "chunk_text": "a"}] * 2),
            "chunks: a chunk_index stands twice",
        ),
        (
            document({**FACT, "causal_relations": [{"relation_type": "caused_by", "target_fact_index": 1}]}),
            "facts.0.causal_relations: there is no fact 1",
        ),
        (
            document({**FACT, "causal_relations": [{"relation_type": "caused_by", "target_fact_index": -1}]}),
            "facts.0.causal_relations.0.target_fact_index: Input should be greater than or equal to 0",
        ),
        (
            document({**FACT, "causal_relations": [{"relation_type": "near", "target_fact_index": 0}]}),
            "facts.0.causal_relations.0.relation_type: Input should be",
        ),
        (document(*[FACT] * 20_001), "facts: List should have at most 20000 items"),
        (
            document(FACT, retain_params=json.dumps({"a": 1})[:-1]),
            "retain_params: Input should be a valid dict",
        ),
        (document(FACT, retain_params="[" * 100_000), "retain_params: is nested too deeply"),
    ],
)
def test_a_document_with_something_of_the_wrong_kind(value: Any, reason: str) -> None:
    assert why(archive_of(value)).startswith(f"documents/000000.json: {reason}")


@pytest.mark.parametrize(
    ("member", "value", "reason"),
    [
        ("observations", [{"text": "x", "sources": [{"document_id": "d"}]}], "0.sources.0.fact_index: Field"),
        ("observations", [{"text": "x", "proof_count": 0}], "0.proof_count: Input should be greater"),
        ("observations", {}, "Input should be a valid list"),
        ("banks", [{}, {}], "holds more than one bank"),
        ("attachments", [file_row(b"", kind="film")], "0.kind: Input should be"),
        ("attachments", {}, "Input should be a valid list"),
        ("data/invalidated_memory_units", [{"text": ""}], "0.text: must not be blank"),
    ],
)
def test_other_members_of_the_wrong_kind(member: str, value: Any, reason: str) -> None:
    assert why(archive_of(document(FACT), **{member: value})).startswith(f"{member}.json: {reason}")


def test_what_no_database_text_may_hold_is_left_out_of_texts() -> None:
    fact = {**FACT, "text": "A\x00 fact.", "context": "\x01x", "metadata": {"k\x00": "v\x00"}}
    (read,) = opened(archive_of(document(fact, original_text="a\x00b"))).documents()
    assert (read.original_text, read.facts[0].text, read.facts[0].context) == ("ab", "A fact.", "x")
    assert read.facts[0].metadata == {"k": "v"}


@pytest.mark.parametrize("scopes", ["combined", '"combined"', [["a"]], '[["a"]]', None, "null"])
def test_columns_of_json_are_read_as_they_are_or_as_text(scopes: Any) -> None:
    fact = {**FACT, "metadata": '{"a": "b"}', "observation_scopes": scopes}
    (read,) = opened(archive_of(document(fact))).documents()
    assert read.facts[0].metadata == {"a": "b"}
    assert read.facts[0].observation_scopes in ("combined", [["a"]], None)


def test_causal_links_may_go_round() -> None:
    one, other = (
        {**FACT, "causal_relations": [{"relation_type": "caused_by", "target_fact_index": i}]} for i in (1, 0)
    )
    opened(archive_of(document(one, other))).check()


def test_documents_are_read_in_the_order_of_their_names() -> None:
    names = ["documents/000010.json", "documents/000002.json"]
    data = packed({"manifest.json": MANIFEST, **{name: document(FACT, id=name) for name in names}})
    assert [one.id for one in opened(data).documents()] == sorted(names)


def test_a_byte_order_mark_is_no_obstacle() -> None:
    data = packed({"manifest.json": b"\xef\xbb\xbf" + json.dumps(MANIFEST).encode()})
    assert opened(data).manifest.source_bank_id == "elsewhere"


def test_the_same_content_makes_the_same_bytes() -> None:
    made = []
    file_of_zeros = File.model_validate(file_row(b"\x00"))
    for _ in range(2):
        file = io.BytesIO()
        writer = ArchiveWriter.on(file)
        writer.add_documents(0, [document(FACT)])
        writer.add_blob(file_of_zeros, b"\x00")
        writer.add("manifest.json", MANIFEST)
        writer.close()
        made.append(file.getvalue())
    assert made[0] == made[1]
    assert list(unpacked(made[0])) == ["documents/000000.json", file_of_zeros.member, "manifest.json"]
