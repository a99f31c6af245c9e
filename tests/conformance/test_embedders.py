"""What every embedder keeps, whatever runs it; then what is particular to some."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from recalld.encoders.choices import EmbedderChoice
from recalld.encoders.embedders.fake import FakeEmbedder
from recalld.encoders.executor import AsyncEmbedder
from recalld.encoders.http import Endpoint
from recalld.encoders.protocols import EncoderFailed, FloatArray, ServingEmbedder
from recalld.encoders.registry import embedder as open_embedder
from recalld.encoders.registry import token_counter
from recalld.encoders.retry import RetryPolicy
from tests.conformance.conftest import TinyModels
from tests.fixtures.decision_server import DROPPED, KEY, Fault, no_pause
from tests.fixtures.model_server import DIMENSION, SLOW, ModelServer
from tests.fixtures.tiny_models import HIDDEN

LOCAL = ["onnx-tokens", "onnx-pooled", "sentence-transformers"]
REMOTE = ["openai", "tei"]
ODD = ["", " \n\t", "\ud83d", "caf\ud83d ok", "\x00", "\U0001f600", "漢字かな", "Ünïcödé عربى", "[CLS] [SEP]"]
QUERY, PASSAGE = "query: ", "passage: "


def choice(kind: str, tiny: TinyModels, server: ModelServer, **fields: Any) -> EmbedderChoice:
    """How the embedder is asked for in settings."""
    match kind:
        case "bundled":
            made = EmbedderChoice()
        case "onnx-tokens" | "onnx-pooled":
            made = EmbedderChoice("onnx", str(tiny.onnx(pooled=kind == "onnx-pooled")))
        case "sentence-transformers":
            made = EmbedderChoice(kind, str(tiny.sentence_model()))
        case "openai":
            made = EmbedderChoice(kind, "tiny", f"{server.url}/v1", KEY)
        case _:
            made = EmbedderChoice(kind, "", server.url, KEY)
    return replace(made, **fields)


async def opened(made: EmbedderChoice) -> ServingEmbedder:
    return await open_embedder(made, token_counter())


@dataclass(frozen=True)
class Subject:
    """An embedder under test, and how near two runs of it come to each other."""

    kind: str
    embedder: ServingEmbedder
    nearness: float


@pytest.fixture(scope="module", params=["fake", "bundled", *LOCAL, *REMOTE])
async def subject(
    request: pytest.FixtureRequest, tiny: TinyModels, shared_server: ModelServer
) -> AsyncIterator[Subject]:
    kind = request.param
    model = (
        AsyncEmbedder(FakeEmbedder()) if kind == "fake" else await opened(choice(kind, tiny, shared_server))
    )
    async with aclosing(model):
        # The activations of the bundled model are quantised by batch.
        yield Subject(kind, model, 0.99 if kind == "bundled" else 0.99999)


async def vectors(embedder: ServingEmbedder, *texts: str) -> list[FloatArray]:
    return [passage.vector for passage in await embedder.embed_passages(texts)]


def assert_usable(vector: FloatArray, dimension: int) -> None:
    assert vector.shape == (dimension,)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-4)


class TestEveryEmbedder:
    async def test_it_has_a_name_and_a_dimension(self, subject: Subject) -> None:
        assert subject.embedder.name
        expected = {"fake": 384, "bundled": 384, "openai": DIMENSION, "tei": DIMENSION}
        assert subject.embedder.dimension == expected.get(subject.kind, HIDDEN)

    async def test_vectors_have_unit_length_and_the_dimension(self, subject: Subject) -> None:
        made = await subject.embedder.embed_query("Where did Alice move?")
        (passage,) = await subject.embedder.embed_passages(["Alice moved to Paris."])
        assert_usable(made.vector, subject.embedder.dimension)
        assert_usable(passage.vector, subject.embedder.dimension)

    async def test_tokens_come_with_all_or_none(self, subject: Subject) -> None:
        made = await subject.embedder.embed_query("Where did Alice move?")
        (passage,) = await subject.embedder.embed_passages(["Where did Alice move?"])
        width = subject.embedder.token_dimension
        assert made.tokens.shape == passage.tokens.shape == (len(made.spans), width)
        assert bool(made.spans) == bool(width)
        assert passage.tokens.dtype == np.int8

    async def test_nothing_to_embed(self, subject: Subject) -> None:
        assert await subject.embedder.embed_passages([]) == []

    @pytest.mark.parametrize("text", ODD, ids=ascii)
    async def test_odd_texts_have_usable_vectors(self, subject: Subject, text: str) -> None:
        assert_usable((await subject.embedder.embed_query(text)).vector, subject.embedder.dimension)
        (vector,) = await vectors(subject.embedder, text)
        assert_usable(vector, subject.embedder.dimension)

    async def test_a_very_long_text_has_a_usable_vector(self, subject: Subject) -> None:
        text = "a long story about a river " * 2000
        assert_usable((await subject.embedder.embed_query(text)).vector, subject.embedder.dimension)
        (vector,) = await vectors(subject.embedder, text)
        assert_usable(vector, subject.embedder.dimension)

    async def test_the_same_text_has_the_same_vector(self, subject: Subject) -> None:
        first, again = [await vectors(subject.embedder, "Alice moved to Paris.") for _ in range(2)]
        assert (first[0] == again[0]).all()
        one, other = [(await subject.embedder.embed_query("Where?")).vector for _ in range(2)]
        assert (one == other).all()

    async def test_a_batch_comes_to_what_its_texts_come_to_alone(self, subject: Subject) -> None:
        texts = [f"fact {n} " + "of the river and the sea " * (n % 5) for n in range(70)]
        together = await vectors(subject.embedder, *texts)
        for text, vector in zip(texts, together, strict=True):
            (alone,) = await vectors(subject.embedder, text)
            assert float(alone @ vector) > subject.nearness

    async def test_texts_differ(self, subject: Subject) -> None:
        one, other = await vectors(subject.embedder, "the glacier", "unpaid invoices of 1997")
        assert float(one @ other) < 0.99


@pytest.mark.parametrize("kind", [*LOCAL, *REMOTE])
async def test_prefixes_are_read_before_the_text(
    kind: str, tiny: TinyModels, shared_server: ModelServer
) -> None:
    plain = choice(kind, tiny, shared_server)
    prefixed = replace(plain, query_prefix=QUERY, passage_prefix=PASSAGE)
    async with aclosing(await opened(plain)) as without, aclosing(await opened(prefixed)) as with_prefix:
        asked = (await with_prefix.embed_query("teapot")).vector
        expected = (await without.embed_query(QUERY + "teapot")).vector
        assert float(asked @ expected) == pytest.approx(1, abs=1e-5)
        (stored,) = await vectors(with_prefix, "teapot")
        (spelled,) = await vectors(without, PASSAGE + "teapot")
        assert float(stored @ spelled) == pytest.approx(1, abs=1e-5)
        assert float(stored @ asked) < 0.99999
        assert with_prefix.name == f"{without.name} with '{PASSAGE}'"


@pytest.mark.parametrize("kind", LOCAL)
@pytest.mark.parametrize("limit", [16, 10_000])
async def test_issue_4165_an_input_is_cut_by_the_tokens_of_the_model_with_its_prefix(
    kind: str, limit: int, tiny: TinyModels, shared_server: ModelServer
) -> None:
    made = choice(kind, tiny, shared_server, passage_prefix="a b ", query_prefix="a b ", max_tokens=limit)
    async with aclosing(await opened(made)) as model:
        room = min(limit, 64) - len("ab") - 2
        kept, tail = "x " * room, "y z " * 50
        whole, beyond, within = await vectors(model, kept, kept + tail, "x " * (room - 1) + "y")
        assert float(whole @ beyond) == pytest.approx(1, abs=1e-5)
        assert float(whole @ within) < 0.99999
        cut = (await model.embed_query(kept + tail)).vector
        assert float(cut @ whole) == pytest.approx(1, abs=1e-5)


async def test_onnx_folders_agree_with_the_model_they_were_made_from(
    tiny: TinyModels, shared_server: ModelServer
) -> None:
    texts = ["Alice moved to Paris.", "漢字", "a long text " * 30, ""]
    found = []
    for kind in LOCAL:
        async with aclosing(await opened(choice(kind, tiny, shared_server))) as model:
            found.append(np.array(await vectors(model, *texts)))
    assert np.allclose(found[0], found[1], atol=1e-5)
    assert np.allclose(found[0], found[2], atol=1e-5)


async def test_a_folder_that_says_so_is_pooled_by_its_first_token(
    tiny: TinyModels, shared_server: ModelServer
) -> None:
    mean = choice("onnx-tokens", tiny, shared_server)
    folder = tiny.onnx(pooled=False)
    pooling = folder / "1_Pooling"
    async with aclosing(await opened(mean)) as model:
        (before,) = await vectors(model, "teapot")
    pooling.mkdir()
    (pooling / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    try:
        async with aclosing(await opened(mean)) as model:
            (after,) = await vectors(model, "teapot")
    finally:
        (pooling / "config.json").unlink()
        pooling.rmdir()
    assert float(before @ after) < 0.9999


async def test_a_folder_without_a_model_is_refused(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="no folder with model"):
        await opened(EmbedderChoice("onnx", str(tmp_path)))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts take no time, and a slow answer is given up soon."""
    policy = RetryPolicy(retries=3, budget=10.0, sleep=no_pause)

    def impatient(name: str, url: str, key: str | None = None, **fields: Any) -> Endpoint:
        return Endpoint(name, url, key, **{**fields, "timeout": 0.2, "retry": policy})

    monkeypatch.setattr("recalld.encoders.registry.Endpoint", impatient)


Spoil = Callable[[Any], Any]


def spoilt(kind: str, change: Callable[[list[Any]], None]) -> Spoil:
    """What makes an answer unusable, in the place where its list is."""

    def change_reply(reply: Any) -> Any:
        change(reply["data"] if kind == "openai" else reply)
        return reply

    return change_reply


def set_vector(kind: str, vector: Any) -> Spoil:
    def change(items: list[Any]) -> None:
        if kind == "openai":
            items[0]["embedding"] = vector
        else:
            items[0] = vector

    return spoilt(kind, change)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("kind", REMOTE)
class TestBehindHttp:
    async def open(self, kind: str, server: ModelServer, **fields: Any) -> ServingEmbedder:
        url = f"{server.url}/v1" if kind == "openai" else server.url
        given = {"model": "tiny", "url": url, "api_key": KEY, "dimension": DIMENSION}
        return await opened(EmbedderChoice(kind, **{**given, **fields}))

    async def fails(self, kind: str, server: ModelServer) -> str:
        async with aclosing(await self.open(kind, server)) as model:
            with pytest.raises(EncoderFailed) as failure:
                await model.embed_passages(["one", "two", "three"])
        assert KEY not in str(failure.value)
        return str(failure.value)

    @pytest.mark.parametrize(
        "fault", [Fault(429, headers={"Retry-After": "1"}), Fault(500), Fault(503), DROPPED, SLOW], ids=repr
    )
    async def test_issue_4103_a_passing_failure_is_not_fatal(
        self, kind: str, server: ModelServer, fault: Fault
    ) -> None:
        server.faults.append(fault)
        async with aclosing(await self.open(kind, server)) as model:
            assert len(await vectors(model, "one", "two")) == 2
        assert len(server.seen) == 2

    @pytest.mark.parametrize("fault", [Fault(429), Fault(500), DROPPED, SLOW], ids=repr)
    async def test_a_failure_that_stays_is(self, kind: str, server: ModelServer, fault: Fault) -> None:
        server.faults.extend([fault] * 4)
        await self.fails(kind, server)
        assert len(server.seen) == 4

    @pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
    async def test_a_refusal_is_final(self, kind: str, server: ModelServer, status: int) -> None:
        server.faults.append(Fault(status, f"bad key {KEY}".encode()))
        assert f"answered {status}" in await self.fails(kind, server)
        assert len(server.seen) == 1

    @pytest.mark.parametrize("body", [b"", b"<html>", b"7", b"{}", b"[]", b'{"data": 7}', b"null"])
    async def test_a_malformed_answer_fails(self, kind: str, server: ModelServer, body: bytes) -> None:
        server.faults.append(Fault(200, body))
        await self.fails(kind, server)
        assert len(server.seen) == 1

    @pytest.mark.parametrize(
        "vector",
        [
            [math.nan] * DIMENSION,
            [math.inf] * DIMENSION,
            [0.0] * DIMENSION,
            [1.0] * (DIMENSION + 1),
            [],
            None,
            "vector",
            [[1.0], 2],
            [10**400] * DIMENSION,
        ],
        ids=lambda vector: str(vector)[:12],
    )
    async def test_an_unusable_vector_fails(self, kind: str, server: ModelServer, vector: Any) -> None:
        server.change = set_vector(kind, vector)
        await self.fails(kind, server)

    async def test_a_wrong_count_fails(self, kind: str, server: ModelServer) -> None:
        server.change = spoilt(kind, lambda items: items.pop() and None)
        await self.fails(kind, server)

    async def test_many_texts_travel_in_several_requests_within_bounds(
        self, kind: str, server: ModelServer
    ) -> None:
        async with aclosing(await self.open(kind, server)) as model:
            await asyncio.gather(*(model.embed_passages([f"text {i}" for i in range(200)]) for _ in range(4)))
        assert len(server.seen) == 4 * 7
        assert 1 < server.most_in_flight <= 8

    async def test_a_text_is_cut_to_the_tokens_allowed(self, kind: str, server: ModelServer) -> None:
        async with aclosing(await self.open(kind, server, max_tokens=10, query_prefix="q: ")) as model:
            await model.embed_query("word " * 100)
        (sent,) = server.seen[-1].body["input" if kind == "openai" else "inputs"]
        assert sent.startswith("q: word")
        assert token_counter().count(sent) == 10

    async def test_the_dimension_is_asked_for_only_when_it_is_not_known(
        self, kind: str, server: ModelServer
    ) -> None:
        async with aclosing(await self.open(kind, server)) as model:
            assert (model.dimension, len(server.seen)) == (DIMENSION, 0)
        async with aclosing(await self.open(kind, server, dimension=0)) as model:
            assert (model.dimension, len(server.seen)) == (DIMENSION, 1)

    async def test_a_server_of_another_dimension_than_told_fails(
        self, kind: str, server: ModelServer
    ) -> None:
        async with aclosing(await self.open(kind, server, dimension=99)) as model:
            with pytest.raises(EncoderFailed, match="1x24"):
                await model.embed_query("x")

    async def test_the_format(self, kind: str, server: ModelServer) -> None:
        async with aclosing(await self.open(kind, server)) as model:
            await model.embed_query("teapot")
        (seen,) = server.seen
        if kind == "openai":
            assert seen.path == "/v1/embeddings"
            assert seen.body == {"model": "tiny", "input": ["teapot"], "encoding_format": "float"}
        else:
            assert seen.path == "/embed"
            assert seen.body == {"inputs": ["teapot"], "truncate": True, "normalize": True}
        assert seen.headers["authorization"] == f"Bearer {KEY}"

    @pytest.mark.parametrize("url", ["", "ftp://x", "localhost:8080"])
    async def test_a_url_of_another_kind_is_refused(self, kind: str, server: ModelServer, url: str) -> None:
        if kind == "openai" and not url:
            pytest.skip("OpenAI has an address of its own")
        with pytest.raises(ValueError, match="http"):
            await self.open(kind, server, url=url)


@pytest.mark.parametrize("index", [9, -1, "0", None, True, 0.0])
@pytest.mark.usefixtures("quick")
async def test_a_bad_index_fails(server: ModelServer, index: object) -> None:
    def change(items: list[Any]) -> None:
        next(item for item in items if item["index"] == 1)["index"] = index

    server.change = spoilt("openai", change)
    made = EmbedderChoice("openai", "tiny", f"{server.url}/v1", KEY, DIMENSION)
    async with aclosing(await opened(made)) as model:
        with pytest.raises(EncoderFailed, match="not asked about"):
            await model.embed_passages(["one", "two", "three"])
