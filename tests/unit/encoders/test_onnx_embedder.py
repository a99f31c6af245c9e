"""The bundled ONNX encoder: shapes, windows, order and odd texts; and the fake beside it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from recalld.encoders.embedders.fake import FakeEmbedder
from recalld.encoders.embedders.onnx import MAX_WINDOWS, OnnxEmbedder
from recalld.encoders.protocols import Embedder

ODD_TEXTS = ["", " \n\t", "\ud83d", "caf\ud83d ok", "\x00", "\U0001f600", "漢字", "[CLS] [SEP] [PAD]"]


def load(kind: str) -> Embedder:
    if kind == "fake":
        return FakeEmbedder()
    return OnnxEmbedder(Path(str(files("recalld.encoders.bundled"))), threads=2)


@pytest.fixture(scope="module", params=["onnx", "fake"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return load(request.param)


@pytest.fixture(scope="module")
def onnx() -> Embedder:
    return load("onnx")


def norms(rows: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    return np.asarray(np.linalg.norm(rows.astype(np.float64), axis=-1))


def test_shapes_and_lengths(embedder: Embedder) -> None:
    (passage,) = embedder.embed_passages(["Alice moved to Paris."])
    query = embedder.embed_query("Where did Alice move?")
    assert (embedder.dimension, embedder.token_dimension) == (384, 96)
    assert passage.vector.shape == query.vector.shape == (384,)
    assert passage.vector.dtype == query.vector.dtype == query.tokens.dtype == np.float32
    assert passage.tokens.dtype == np.int8
    assert norms(passage.vector) == pytest.approx(1, abs=1e-5)
    assert norms(query.tokens) == pytest.approx(1, abs=1e-5)
    assert norms(passage.tokens) == pytest.approx(127, abs=3)


def test_spans_are_the_words_of_the_query(embedder: Embedder) -> None:
    text = "Is Alice at café Ünter"
    query = embedder.embed_query(text)
    assert len(query.spans) == len(query.tokens)
    assert [text[start:end] for start, end in query.spans[:4]] == ["Is", "Alice", "at", "café"]


def test_spans_fit_the_text_after_lone_surrogates(embedder: Embedder) -> None:
    text = "\ud83d\ud83d hello"
    start, end = embedder.embed_query(text).spans[-1]
    assert text[start:end] == "hello"


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts_give_unit_vectors(embedder: Embedder, text: str) -> None:
    (passage,) = embedder.embed_passages([text])
    query = embedder.embed_query(text)
    assert norms(passage.vector) == pytest.approx(1, abs=1e-5)
    assert norms(query.vector) == pytest.approx(1, abs=1e-5)
    assert passage.tokens.shape == (len(query.spans), 96)


def test_the_empty_text_has_no_tokens(embedder: Embedder) -> None:
    (passage,) = embedder.embed_passages([""])
    assert passage.tokens.shape == (0, 96)
    assert embedder.embed_query("").spans == ()


def test_no_texts(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []


def test_results_align_with_the_input(embedder: Embedder) -> None:
    texts = [f"Fact {n}: " + "the cat sat on the mat near the door. " * (n % 7) for n in range(40)]
    together = embedder.embed_passages(texts)
    for text, passage in zip(texts, together, strict=True):
        (alone,) = embedder.embed_passages([text])
        assert float(alone.vector @ passage.vector) > 0.99
        assert alone.tokens.shape == passage.tokens.shape


def test_related_texts_are_closer(embedder: Embedder) -> None:
    query = embedder.embed_query("Where does Alice live now?").vector
    near, far = embedder.embed_passages(["Alice does live in Paris now", "Compound interest is paid monthly"])
    assert near.vector @ query > far.vector @ query + 0.2


def test_a_late_fact_is_seen(onnx: Embedder) -> None:
    filler = "The weather report said it would rain again. " * 60
    fact = "Alice bought a red bicycle in Lisbon."
    plain, told = onnx.embed_passages([filler, filler + fact])
    added = len(told.tokens) - len(plain.tokens)
    assert added == len(onnx.embed_query(fact).spans)
    query = onnx.embed_query("red bicycle")
    best = (query.tokens @ told.tokens.T / 127).max(axis=1)
    assert best.mean() > (query.tokens @ plain.tokens.T / 127).max(axis=1).mean() + 0.2
    assert told.vector @ query.vector > plain.vector @ query.vector


def test_the_vector_of_a_long_text_is_the_weighted_mean_of_its_windows(onnx: Embedder) -> None:
    first, second = "apple " * 254, "river " * 100
    parts = onnx.embed_passages([first, second])
    mean = 254 * parts[0].vector + 100 * parts[1].vector
    (whole,) = onnx.embed_passages([first + second])
    assert float(whole.vector @ mean) / float(norms(mean)) > 0.99


def test_very_long_texts_are_capped(onnx: Embedder) -> None:
    (passage,) = onnx.embed_passages(["word " * (254 * (MAX_WINDOWS + 1))])
    assert len(passage.tokens) == 254 * MAX_WINDOWS
    assert norms(passage.vector) == pytest.approx(1, abs=1e-5)


def test_a_long_query_is_cut_to_one_window(onnx: Embedder) -> None:
    query = onnx.embed_query("word " * 1000)
    assert len(query.tokens) == len(query.spans) == 254
