"""The ONNX cross-encoder against its bare model: 48 pairs of about 60 tokens, padding and all.

    python benchmarks/cross_encoder.py

The model has the size of ms-marco-MiniLM-L6 and random weights, which cost the same time. The bare model runs
the same tokens without any padding: pairs of one length together, in batches of the same number of tokens.
Needs the extras `sentence-transformers` and `test`.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import BertProcessing
from transformers import BertConfig, BertForSequenceClassification

from recalld.encoders.onnx_folder import BATCH_TOKENS, OnnxFolder
from recalld.encoders.rerankers.onnx_folder import MAX_TOKENS, OnnxCrossEncoder
from recalld.settings import available_cpus
from tests.fixtures.tiny_models import as_onnx

PAIRS = 48
TOKENS = 60
ROUNDS = 15
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def build(folder: Path) -> Path:
    """A cross-encoder of 6 layers and 384 dimensions with random weights, as ONNX."""
    source = folder / "torch"
    config = BertConfig(
        vocab_size=30_522,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
    )
    config.num_labels = 1
    torch.manual_seed(1)
    BertForSequenceClassification(config).save_pretrained(source)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS]
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(source / "tokenizer.json"))
    (source / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    return as_onnx(source, folder / "onnx", kind="BertForSequenceClassification")


def documents() -> list[str]:
    """Texts whose pairs with the query have 45 to 75 tokens."""
    randomness = random.Random(3)
    lengths = [randomness.randint(TOKENS - 15, TOKENS + 15) - 13 for _ in range(PAIRS)]
    return [" ".join(randomness.choice(LETTERS) for _ in range(length)) for length in lengths]


def bare(model: OnnxFolder, query: str, texts: list[str]) -> Callable[[], None]:
    """The same tokens, each batch of one length, made ready beforehand."""
    by_length: dict[int, list[list[int]]] = defaultdict(list)
    for text in texts:
        ids = model._tokenizer.encode(query, text).ids
        by_length[len(ids)].append(ids)
    feeds = []
    for length, rows in by_length.items():
        size = max(1, BATCH_TOKENS // length)
        for i in range(0, len(rows), size):
            batch = np.array(rows[i : i + size], np.int64)
            full = {
                "input_ids": batch,
                "attention_mask": np.ones_like(batch),
                "token_type_ids": np.zeros_like(batch),
            }
            feeds.append({name: full[name] for name in model._wanted})

    def run() -> None:
        for one in feeds:
            model.session.run(None, one)

    return run


def main() -> None:
    """Print both medians and their ratio."""
    query = " ".join(LETTERS[:10])
    texts = documents()
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
        threads = available_cpus()
        reranker = OnnxCrossEncoder(built, threads=threads)
        alone = bare(OnnxFolder(built, threads=threads, max_tokens=MAX_TOKENS), query, texts)
        times: dict[str, list[float]] = defaultdict(list)
        for round_ in range(ROUNDS + 3):
            for name, run in (("bare", alone), ("reranker", lambda: reranker.score(query, texts))):
                start = time.perf_counter()
                run()
                if round_ >= 3:  # noqa: PLR2004 - warm
                    times[name].append(time.perf_counter() - start)
    least, whole = (statistics.median(times[name]) for name in ("bare", "reranker"))
    print(f"bare model, no padding {least * 1e3:7.1f} ms")
    print(f"reranker               {whole * 1e3:7.1f} ms   ratio {whole / least:.2f}")


if __name__ == "__main__":
    main()
