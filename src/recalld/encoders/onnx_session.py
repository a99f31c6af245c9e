"""An onnxruntime session on the CPU, and how inputs are batched for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import onnxruntime as ort


def open_session(model: Path, threads: int) -> ort.InferenceSession:
    """A session whose threads sleep when there is nothing to do."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices from short to long, in batches of at most ``budget`` tokens with padding, or of one."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
