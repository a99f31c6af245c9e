"""What every reranker keeps, whatever runs it; then what is particular to some."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from recalld.encoders.choices import RerankerChoice
from recalld.encoders.executor import AsyncReranker
from recalld.encoders.http import Endpoint, HttpService
from recalld.encoders.protocols import EncoderFailed, ServingReranker
from recalld.encoders.registry import reranker as open_reranker
from recalld.encoders.rerankers.cached import CachedReranker
from recalld.encoders.rerankers.cohere import CohereReranker
from recalld.encoders.rerankers.onnx_folder import OnnxCrossEncoder
from recalld.encoders.rerankers.scores import from_logits, from_shares
from recalld.encoders.retry import RetryPolicy
from tests.conformance.conftest import TinyModels
from tests.fixtures.decision_server import DROPPED, KEY, Fault, no_pause
from tests.fixtures.model_server import SLOW, ModelServer

LOCAL = [f"{runtime}-{outputs}" for runtime in ("cross-encoder", "onnx") for outputs in (1, 2)]
REMOTE = ["tei", "cohere"]
QUERY = "Where does Alice live?"
ODD = ["", " \n\t", "\ud83d", "caf\ud83d ok", "\x00", "\U0001f600", "漢字かな", "Ünïcödé عربى", "[CLS] [SEP]"]


def choice(kind: str, tiny: TinyModels, server: ModelServer) -> RerankerChoice:
    """How the reranker is asked for in settings."""
    match kind:
        case "tei":
            return RerankerChoice(kind, "", server.url, KEY)
        case "cohere" | "cached":
            cache_size = 100 if kind == "cached" else 0
            return RerankerChoice("cohere", "tiny", f"{server.url}/v1", KEY, cache_size)
        case _:
            runtime, _, outputs = kind.rpartition("-")
            make = tiny.onnx_cross_encoder if runtime == "onnx" else tiny.cross_encoder
            return RerankerChoice(runtime, str(make(int(outputs))))


@dataclass(frozen=True)
class Subject:
    """A reranker under test."""

    kind: str
    reranker: ServingReranker


@pytest.fixture(scope="module", params=[*LOCAL, *REMOTE, "cached"])
async def subject(
    request: pytest.FixtureRequest, tiny: TinyModels, shared_server: ModelServer
) -> AsyncIterator[Subject]:
    async with aclosing(await open_reranker(choice(request.param, tiny, shared_server))) as model:
        yield Subject(request.param, model)


class TestEveryReranker:
    async def test_it_has_a_name(self, subject: Subject) -> None:
        assert subject.reranker.name

    async def test_scores_are_shares_one_a_document(self, subject: Subject) -> None:
        documents = [f"Alice lives in town number {n}" for n in range(100)]
        scores = await subject.reranker.score(QUERY, documents)
        assert len(scores) == 100
        assert all(type(score) is float and 0 <= score <= 1 for score in scores)

    async def test_scores_are_aligned_with_the_documents(self, subject: Subject) -> None:
        documents = ["xyz", "Alice lives here", "q" * 300, "", "where", "a story " * 40, "Z"]
        together = await subject.reranker.score(QUERY, documents)
        for document, score in zip(documents, together, strict=True):
            (alone,) = await subject.reranker.score(QUERY, [document])
            assert alone == pytest.approx(score, abs=0.01)
        turned = await subject.reranker.score(QUERY, documents[::-1])
        assert turned[::-1] == pytest.approx(together, abs=0.01)

    async def test_documents_differ(self, subject: Subject) -> None:
        one, other = await subject.reranker.score(QUERY, ["Alice lives in Paris", "987 % 654"])
        assert abs(one - other) > 0.001

    async def test_nothing_to_score(self, subject: Subject) -> None:
        assert await subject.reranker.score(QUERY, []) == []

    async def test_equal_texts_each_have_a_score(self, subject: Subject) -> None:
        scores = await subject.reranker.score(QUERY, ["same", "other", "same"])
        assert scores[0] == pytest.approx(scores[2], abs=0.01)

    async def test_the_same_question_has_the_same_answer(self, subject: Subject) -> None:
        first, again = [await subject.reranker.score(QUERY, ["one", "two"]) for _ in range(2)]
        assert first == again

    @pytest.mark.parametrize("text", ODD, ids=ascii)
    async def test_odd_texts_have_scores(self, subject: Subject, text: str) -> None:
        scores = await subject.reranker.score(text, [text, "teapot"])
        assert len(scores) == 2
        assert all(0 <= score <= 1 for score in scores)

    async def test_very_long_texts_have_scores(self, subject: Subject) -> None:
        scores = await subject.reranker.score("why " * 2000, ["a river " * 3000, "x"])
        assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize("outputs", [1, 2])
async def test_an_onnx_folder_agrees_with_the_model_it_was_made_from(
    outputs: int, tiny: TinyModels, shared_server: ModelServer
) -> None:
    documents = ["Alice lives in Paris", "", "漢字", "a long story " * 40, "x"]
    found = []
    for runtime in ("cross-encoder", "onnx"):
        made = choice(f"{runtime}-{outputs}", tiny, shared_server)
        async with aclosing(await open_reranker(made)) as model:
            found.append(await model.score(QUERY, documents))
    assert found[0] == pytest.approx(found[1], abs=1e-5)


async def test_an_onnx_reranker_pads_little_and_reads_a_bounded_amount_at_once(tiny: TinyModels) -> None:
    model = OnnxCrossEncoder(tiny.onnx_cross_encoder(1), threads=1)
    batches: list[Any] = []
    run = model._folder.run

    def noted(*given: Any) -> Any:
        for places, rows, mask in run(*given):
            batches.append(mask)
            yield places, rows, mask

    patched = pytest.MonkeyPatch()
    patched.setattr(model._folder, "run", noted)
    model.score("a", ["b " * (n % 50) for n in range(300)])
    assert max(mask.size for mask in batches) <= 2048
    assert sum(mask.sum() for mask in batches) / sum(mask.size for mask in batches) > 0.8


async def test_an_embedder_is_no_reranker(tiny: TinyModels) -> None:
    with pytest.raises(ValueError, match="no reranker"):
        await open_reranker(RerankerChoice("onnx", str(tiny.onnx(pooled=False))))


class TestNormalisation:
    def test_f12_logits_go_through_a_sigmoid_whatever_the_others_are(self) -> None:
        inside = [0.2, 0.9]
        assert from_logits(inside, "m") == pytest.approx([1 / (1 + math.exp(-logit)) for logit in inside])
        assert from_logits([*inside, 7.0], "m")[:2] == from_logits(inside, "m")

    def test_f12_shares_stay_as_they_are_wherever_a_nan_comes(self) -> None:
        assert from_shares([math.nan, 0.4, None], "m") == [0.0, 0.4, 0.0]
        assert from_logits([math.nan, 0.0], "m") == [0.0, 0.5]

    def test_two_logits_are_compared(self) -> None:
        assert from_logits([[1.0, 3.0], [3.0, 1.0]], "m") == pytest.approx([0.8808, 0.1192], abs=1e-4)
        assert from_logits(np.array([[1.0], [3.0]]), "m") == from_logits([1.0, 3.0], "m")

    def test_huge_logits_are_certain(self) -> None:
        assert from_logits([math.inf, -math.inf, 1e30], "m") == pytest.approx([1, 0, 1])

    def test_more_numbers_are_no_reranker(self) -> None:
        with pytest.raises(EncoderFailed, match="no reranker"):
            from_logits([[1.0, 2.0, 3.0]], "m")

    @pytest.mark.parametrize("score", ["0.5", True, [0.5], {}])
    def test_something_else_than_a_number_fails(self, score: object) -> None:
        with pytest.raises(EncoderFailed, match="no number"):
            from_shares([score], "m")

    def test_a_share_beyond_the_ends_is_brought_back(self) -> None:
        assert from_shares([1.0000001, -0.0000001, 1], "m") == [1.0, 0.0, 1.0]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts take no time, and a slow answer is given up soon."""
    policy = RetryPolicy(retries=3, budget=10.0, sleep=no_pause)

    def impatient(name: str, url: str, key: str | None = None, **fields: Any) -> Endpoint:
        return Endpoint(name, url, key, **{**fields, "timeout": 0.2, "retry": policy})

    monkeypatch.setattr("recalld.encoders.registry.Endpoint", impatient)


def items(kind: str, reply: Any) -> list[dict[str, Any]]:
    """The results of an answer."""
    found: list[dict[str, Any]] = reply["results"] if kind == "cohere" else reply
    return found


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("kind", REMOTE)
class TestBehindHttp:
    async def score(
        self, kind: str, server: ModelServer, tiny: TinyModels, documents: Sequence[str] = ("one", "two")
    ) -> list[float]:
        async with aclosing(await open_reranker(choice(kind, tiny, server))) as model:
            return await model.score(QUERY, documents)

    async def fails(self, kind: str, server: ModelServer, tiny: TinyModels) -> str:
        with pytest.raises(EncoderFailed) as failure:
            await self.score(kind, server, tiny)
        assert KEY not in str(failure.value)
        return str(failure.value)

    @pytest.mark.parametrize(
        "fault", [Fault(429, headers={"Retry-After": "1"}), Fault(500), Fault(503), DROPPED, SLOW], ids=repr
    )
    async def test_issue_4134_a_passing_failure_is_not_fatal(
        self, kind: str, server: ModelServer, tiny: TinyModels, fault: Fault
    ) -> None:
        server.faults.append(fault)
        assert len(await self.score(kind, server, tiny)) == 2
        assert len(server.seen) == 2

    @pytest.mark.parametrize("fault", [Fault(429), Fault(500), DROPPED, SLOW], ids=repr)
    async def test_a_failure_that_stays_is(
        self, kind: str, server: ModelServer, tiny: TinyModels, fault: Fault
    ) -> None:
        server.faults.extend([fault] * 4)
        await self.fails(kind, server, tiny)
        assert len(server.seen) == 4

    @pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
    async def test_a_refusal_is_final(
        self, kind: str, server: ModelServer, tiny: TinyModels, status: int
    ) -> None:
        server.faults.append(Fault(status, f"bad key {KEY}".encode()))
        assert f"answered {status}" in await self.fails(kind, server, tiny)
        assert len(server.seen) == 1

    @pytest.mark.parametrize("body", [b"", b"<html>", b"7", b"{}", b"[]", b'{"results": 7}', b"[7, 8]"])
    async def test_a_malformed_answer_fails(
        self, kind: str, server: ModelServer, tiny: TinyModels, body: bytes
    ) -> None:
        server.faults.append(Fault(200, body))
        await self.fails(kind, server, tiny)
        assert len(server.seen) == 1

    async def test_a_score_that_is_no_number_counts_as_nothing(
        self, kind: str, server: ModelServer, tiny: TinyModels
    ) -> None:
        server.score = lambda _, text, __: math.nan if text == "two" else 0.4
        assert await self.score(kind, server, tiny) == [0.4, 0.0]
        server.score = lambda _, text, __: None if text == "two" else 0.4
        assert await self.score(kind, server, tiny) == [0.4, 0.0]

    @pytest.mark.parametrize("index", [9, -1, "0", None, True, 0, 0.0])
    async def test_a_bad_index_fails(
        self, kind: str, server: ModelServer, tiny: TinyModels, index: object
    ) -> None:
        def change(reply: Any) -> Any:
            next(item for item in items(kind, reply) if item["index"] == 1)["index"] = index
            return reply

        server.change = change
        assert "not asked about" in await self.fails(kind, server, tiny)

    @pytest.mark.parametrize("count", [-1, 1])
    async def test_a_wrong_count_fails(
        self, kind: str, server: ModelServer, tiny: TinyModels, count: int
    ) -> None:
        def change(reply: Any) -> Any:
            found = items(kind, reply)
            found[:] = found[:count] if count < 0 else [*found, found[0]]
            return reply

        server.change = change
        assert "for 2 texts" in await self.fails(kind, server, tiny)

    async def test_equal_texts_keep_their_own_scores(
        self, kind: str, server: ModelServer, tiny: TinyModels
    ) -> None:
        server.score = lambda _, __, place: place / 10
        assert await self.score(kind, server, tiny, ["same"] * 5) == [0.0, 0.1, 0.2, 0.3, 0.4]

    async def test_the_format(self, kind: str, server: ModelServer, tiny: TinyModels) -> None:
        await self.score(kind, server, tiny)
        (seen,) = server.seen
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        texts = ["one", "two"]
        if kind == "tei":
            flags = {"return_text": False, "raw_scores": False, "truncate": True}
            assert (seen.path, seen.body) == ("/rerank", {"query": QUERY, "texts": texts, **flags})
        else:
            told = {"model": "tiny", "documents": texts, "return_documents": False, "top_n": 2}
            assert (seen.path, seen.body) == ("/v1/rerank", {"query": QUERY, **told})

    async def test_the_number_of_requests_is_bounded(
        self, kind: str, server: ModelServer, tiny: TinyModels
    ) -> None:
        async with aclosing(await open_reranker(choice(kind, tiny, server))) as model:
            await asyncio.gather(*(model.score(QUERY, ["text"] * 100) for _ in range(40)))
        assert len(server.seen) == 40 * (4 if kind == "tei" else 1)
        assert 1 < server.most_in_flight <= (8 if kind == "tei" else 16)


async def test_voyage_calls_things_by_other_names(server: ModelServer) -> None:
    service = HttpService(Endpoint("voyage", server.url, KEY))
    async with aclosing(CohereReranker(service, "rerank-2.5", how_many="top_k")) as model:
        scores = await model.score(QUERY, ["one", "Alice"])
    assert scores[1] > scores[0]
    assert server.seen[0].body["top_k"] == 2
    assert "top_n" not in server.seen[0].body


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("https://api.voyageai.com/v1", "top_k"),
        ("https://api.jina.ai/v1", "top_n"),
        ("http://localhost:8000/v1", "top_n"),
        ("", "top_n"),
    ],
)
async def test_the_host_tells_the_service(url: str, word: str) -> None:
    async with aclosing(await open_reranker(RerankerChoice("cohere", url=url))) as model:
        assert isinstance(model, CohereReranker)
        assert model._how_many == word


@dataclass
class Counting:
    """A reranker that scores by length and notes what it is asked."""

    name: str = "counting"
    asked: list[list[str]] = field(default_factory=list)
    change: Callable[[list[float]], list[float]] = lambda scores: scores

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        self.asked.append(list(documents))
        return self.change([len(document) / 100 for document in documents])

    async def aclose(self) -> None:
        pass


class TestCache:
    async def test_what_is_known_is_not_asked_again(self) -> None:
        model = Counting()
        cached = CachedReranker(model, 100)
        assert await cached.score("q", ["a", "bb"]) == [0.01, 0.02]
        assert await cached.score("q", ["ccc", "bb", "a"]) == [0.03, 0.02, 0.01]
        assert await cached.score("q", ["bb"]) == [0.02]
        assert model.asked == [["a", "bb"], ["ccc"]]

    async def test_another_query_is_another_question(self) -> None:
        model = Counting()
        cached = CachedReranker(model, 100)
        await cached.score("q", ["a"])
        await cached.score("r", ["a"])
        assert model.asked == [["a"], ["a"]]

    async def test_more_documents_than_fit_are_all_scored(self) -> None:
        cached = CachedReranker(Counting(), 2)
        assert await cached.score("q", ["a" * n for n in range(1, 6)]) == [0.01, 0.02, 0.03, 0.04, 0.05]

    async def test_a_wrong_count_is_not_kept(self) -> None:
        cached = CachedReranker(Counting(change=lambda scores: scores[:-1]), 10)
        for _ in range(2):
            with pytest.raises(EncoderFailed, match="1 scores for 2"):
                await cached.score("q", ["a", "bb"])

    async def test_a_failure_is_not_kept(self, server: ModelServer, tiny: TinyModels) -> None:
        server.faults.append(Fault(400))
        async with aclosing(await open_reranker(choice("cached", tiny, server))) as cached:
            with pytest.raises(EncoderFailed):
                await cached.score("q", ["a"])
            assert len(await cached.score("q", ["a"])) == 1

    async def test_it_is_closed_with_its_model(self) -> None:
        await CachedReranker(Counting(), 1).aclose()


async def test_a_local_model_with_a_wrong_count_fails() -> None:
    class Short:
        name = "short"

        def score(self, query: str, documents: Sequence[str]) -> list[float]:
            return [0.5]

    async with aclosing(AsyncReranker(Short())) as model:
        with pytest.raises(EncoderFailed, match="1 scores for 2"):
            await model.score("q", ["a", "b"])


def test_a_key_is_never_shown() -> None:
    made = RerankerChoice("cohere", "m", "https://host", KEY)
    assert KEY not in repr(made)
    assert KEY not in repr(Endpoint("m", "https://host", KEY))
    with pytest.raises(ValueError, match="no header") as refused:
        Endpoint("m", "https://host", "two words")
    assert "two words" not in str(refused.value)
    assert json.dumps(KEY) not in repr(replace(made, model="n"))
