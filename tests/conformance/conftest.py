"""Tiny models on disk, and a server that stands for three services."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fixtures import tiny_models
from tests.fixtures.model_server import ModelServer, model_server


class TinyModels:
    """Folders of tiny models, each made when it is first asked for."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def sentence_model(self) -> Path:
        return self._made("tiny-multilingual")

    def onnx(self, *, pooled: bool) -> Path:
        folder = self.base / f"onnx-{'pooled' if pooled else 'tokens'}"
        return (
            folder if folder.exists() else tiny_models.as_onnx(self.sentence_model(), folder, pooled=pooled)
        )

    def cross_encoder(self, outputs: int) -> Path:
        folder = self.base / f"cross-encoder-{outputs}"
        return folder if folder.exists() else tiny_models.cross_encoder(folder, outputs)

    def onnx_cross_encoder(self, outputs: int) -> Path:
        folder = self.base / f"onnx-cross-encoder-{outputs}"
        kind = "BertForSequenceClassification"
        source = self.cross_encoder(outputs)
        return folder if folder.exists() else tiny_models.as_onnx(source, folder, kind=kind)

    def _made(self, name: str) -> Path:
        folder = self.base / name
        return folder if folder.exists() else tiny_models.sentence_model(folder)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    """Models with random weights."""
    return TinyModels(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
async def shared_server() -> AsyncIterator[ModelServer]:
    """A server for tests that leave it as it is."""
    async with model_server() as running:
        yield running


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    """A server to be spoilt."""
    async with model_server() as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def _no_proxy(_own_environment: None) -> None:
    """Requests to this machine go straight there."""
    patch = pytest.MonkeyPatch()
    patch.setenv("NO_PROXY", "127.0.0.1")
