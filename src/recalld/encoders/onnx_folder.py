"""A folder with a transformer as ONNX and its tokenizer, the way exporters write it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from recalld.encoders.onnx_session import length_batches, open_session

Input: TypeAlias = str | tuple[str, str]
Array: TypeAlias = npt.NDArray[Any]

BATCH_TOKENS = 512
"""Tokens of one batch: larger ones pad more and, on a CPU, run no faster."""
_MODEL_PLACES = ("model.onnx", "onnx/model.onnx")
_LIMITS = {
    "tokenizer_config.json": "model_max_length",
    "sentence_bert_config.json": "max_seq_length",
    "config.json": "max_position_embeddings",
}
"""Files that may say how much a model reads, and under which name."""


class OnnxFolder:
    """Runs texts, or pairs of texts, cut at the end to what the model reads, its special tokens included."""

    def __init__(self, directory: Path, *, threads: int, max_tokens: int) -> None:
        model = next((directory / place for place in _MODEL_PLACES if (directory / place).is_file()), None)
        if model is None or not (directory / "tokenizer.json").is_file():
            raise ValueError(f"{directory} is no folder with model.onnx and tokenizer.json")
        self.name = f"{directory.resolve().name}#{_digest(model)}"
        self.directory = directory
        self._tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        padding = self._tokenizer.padding
        self._pad = int(padding["pad_id"]) if padding else self._tokenizer.token_to_id("[PAD]") or 0
        self._tokenizer.no_padding()
        self.max_tokens = min(max_tokens, *_limits(self._tokenizer, directory))
        self._tokenizer.enable_truncation(self.max_tokens)
        self.session = open_session(model, threads)
        self._wanted = [one.name for one in self.session.get_inputs()]
        if odd := set(self._wanted) - {"input_ids", "attention_mask", "token_type_ids"}:
            raise ValueError(f"{model} asks for inputs of another kind: {', '.join(sorted(odd))}")

    def run(self, inputs: Sequence[Input], output: str) -> Iterator[tuple[list[int], Array, Array]]:
        """Batches of similar length: places in the input, the output's rows, and their attention masks."""
        encodings = self._tokenizer.encode_batch(list(inputs))
        for places in length_batches([len(encoding.ids) for encoding in encodings], BATCH_TOKENS):
            feeds = self._feeds([encodings[place] for place in places])
            (rows,) = self.session.run([output], {name: feeds[name] for name in self._wanted})
            yield places, np.asarray(rows), feeds["attention_mask"]

    def _feeds(self, encodings: Sequence[Encoding]) -> dict[str, Array]:
        length = max(len(encoding.ids) for encoding in encodings)
        ids = np.full((len(encodings), length), self._pad, np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            size = len(encoding.ids)
            ids[row, :size], mask[row, :size], types[row, :size] = encoding.ids, 1, encoding.type_ids
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def read_json(path: Path) -> dict[str, Any]:
    """An object in a file; empty when there is none."""
    if not path.is_file():
        return {}
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _digest(model: Path) -> str:
    with model.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:8]


def _limits(tokenizer: Tokenizer, directory: Path) -> Iterator[int]:
    if tokenizer.truncation:
        yield int(tokenizer.truncation["max_length"])
    for file, key in _LIMITS.items():
        found = read_json(directory / file)
        if isinstance(limit := found.get(key), int | float) and limit > 0:
            # The positions of RoBERTa and its kin begin behind the padding token, which is number 1.
            yield int(limit) - (2 if file == "config.json" and found.get("pad_token_id") == 1 else 0)
