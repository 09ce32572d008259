"""An MPNet encoder (Song et al. 2020) as an ONNX graph with int8 weights, from its safetensors.

Each row of a weight matrix is rounded to int8 with a scale of its own; the arithmetic stays float32. Int8 arithmetic
would be faster, but then a text's vector would depend on the other texts of its batch. There is no padding, so there is
no attention mask. Positions count from 2, and attention has a bias for the distance of two tokens.
"""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.models.weights.safetensors import read_safetensors

HEADS, BUCKETS, FARTHEST = 12, 32, 128
FIRST_POSITION = 2
EPSILON = 1e-5
OPSET, IR_VERSION = 17, 8  # old enough for every onnxruntime that is allowed here
MOST_MEMBER = 1 << 30  # bytes


def read_member(archive: Path, name: str) -> bytes:
    """Return the file called `name`, in whatever folder of a zip archive.

    Raises:
        ValueError: it is no zip archive, or has no such file, or a file above 1 GiB.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            found = [item for item in opened.infolist() if item.filename.rpartition("/")[2] == name]
            if len(found) != 1 or found[0].file_size > MOST_MEMBER:
                raise ValueError(f"the archive does not have one file {name}")
            return opened.read(found[0])
    except zipfile.BadZipFile as error:
        raise ValueError(f"not a zip archive: {error}") from None


def write_mpnet_onnx(data: bytes, target: Path, heads: int = HEADS) -> None:
    """Write the graph of the safetensors in `data`: input "input_ids" (batch, tokens) int64, output "hidden".

    "hidden" is float32 (batch, tokens, width). The pooler is left out: sentence vectors are means over tokens.

    Raises:
        ValueError: weights that are missing.
    """
    import onnx
    from onnx import TensorProto, helper

    graph = _Graph(read_safetensors(data), heads)
    try:
        graph.build()
    except KeyError as error:
        raise ValueError(f"the weights have no {error}") from None
    whole = helper.make_graph(
        graph.nodes,
        "mpnet",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", "tokens", graph.width])],
        graph.constants,
    )
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="brain")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString(deterministic=True))


def distance_buckets(longest: int) -> np.ndarray:
    """Return int64 (2 * longest - 1,): the bucket of each distance from -(longest - 1), later token less earlier one.

    Half of the buckets are for each direction; of those, half for one distance each, the rest for
    wider and wider ranges.
    """
    distance = np.arange(-(longest - 1), longest)
    half, single = BUCKETS // 2, BUCKETS // 4
    size = np.abs(distance)
    ratio = np.log(np.maximum(size, 1).astype(np.float32) / np.float32(single)) / np.float32(np.log(FARTHEST / single))
    wide = np.minimum(single + (ratio * np.float32(half - single)).astype(np.int64), half - 1)
    return np.where(distance > 0, half, 0) + np.where(size < single, size, wide)


class _Graph:
    """The nodes and constants of the encoder, in the order in which they are computed."""

    def __init__(self, weights: Mapping[str, np.ndarray], heads: int) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._weights, self._heads = weights, heads
        self.width = weights["embeddings.word_embeddings.weight"].shape[1] if weights else 0
        self._count = 0
        self._places = ""

    def build(self) -> None:
        layers = sum(name.endswith("attention.attn.q.weight") for name in self._weights)
        self._places = self._numbered()
        hidden = self._embedded()
        bias = self._position_bias()
        for layer in range(layers):
            name = f"encoder.layer.{layer}"
            attended = self._attention(f"{name}.attention.attn", hidden, bias)
            hidden = self._norm(f"{name}.attention.LayerNorm", self._add("Add", attended, hidden))
            inner = self._dense(f"{name}.intermediate.dense", hidden)
            inner = self._dense(f"{name}.output.dense", self._gelu(inner))
            out = "hidden" if layer == layers - 1 else None
            hidden = self._norm(f"{name}.output.LayerNorm", self._add("Add", inner, hidden), out)

    def _embedded(self) -> str:
        words, scales = rounded(self._weights["embeddings.word_embeddings.weight"])
        table, scale = self._constant(words), self._constant(scales)
        found = self._add("Cast", self._add("Gather", table, "input_ids"), to=1)
        found = self._add("Mul", found, self._add("Gather", scale, "input_ids"))
        positions = self._constant(self._weights["embeddings.position_embeddings.weight"][FIRST_POSITION:])
        placed = self._add("Gather", positions, self._places)
        return self._norm("embeddings.LayerNorm", self._add("Add", found, placed))

    def _numbered(self) -> str:
        """Return the name of int64 (tokens,): 0, 1, …"""
        one = self._constant(np.array(1, np.int64))
        length = self._add("Gather", self._add("Shape", "input_ids"), one)
        return self._add("Range", self._constant(np.array(0, np.int64)), length, one)

    def _position_bias(self) -> str:
        """Return the name of float32 (heads, tokens, tokens): what each distance adds to the attention."""
        longest = len(self._weights["embeddings.position_embeddings.weight"]) - FIRST_POSITION
        by_distance = self._weights["encoder.relative_attention_bias.weight"][distance_buckets(longest)]
        row = self._add("Unsqueeze", self._places, self._constant(np.array([0], np.int64)))
        column = self._add("Unsqueeze", self._places, self._constant(np.array([1], np.int64)))
        distance = self._add("Add", self._add("Sub", row, column), self._constant(np.array(longest - 1, np.int64)))
        found = self._add("Gather", self._constant(by_distance), distance)
        return self._add("Transpose", found, perm=[2, 0, 1])

    def _attention(self, name: str, hidden: str, bias: str) -> str:
        each = self.width // self._heads
        shape = self._constant(np.array([0, 0, self._heads, each], np.int64))
        query, key, value = (
            self._add("Transpose", self._add("Reshape", self._dense(f"{name}.{part}", hidden), shape), perm=perm)
            for part, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3]))
        )
        root = self._constant(np.array(np.sqrt(each), np.float32))
        scores = self._add("Add", self._add("Div", self._add("MatMul", query, key), root), bias)
        mixed = self._add("MatMul", self._add("Softmax", scores, axis=-1), value)
        joined = self._constant(np.array([0, 0, self.width], np.int64))
        mixed = self._add("Reshape", self._add("Transpose", mixed, perm=[0, 2, 1, 3]), joined)
        return self._dense(f"{name}.o", mixed)

    def _dense(self, name: str, hidden: str) -> str:
        weight, scales = rounded(self._weights[f"{name}.weight"])
        # onnxruntime turns both steps into one float32 matrix when it loads the graph.
        cast = self._add("Cast", self._constant(weight.T), to=1)
        full = self._add("Mul", cast, self._constant(scales.T))
        return self._add("Add", self._add("MatMul", hidden, full), self._constant(self._weights[f"{name}.bias"]))

    def _gelu(self, hidden: str) -> str:
        spread = self._add("Erf", self._add("Div", hidden, self._constant(np.array(np.sqrt(2), np.float32))))
        doubled = self._add("Mul", hidden, self._add("Add", spread, self._constant(np.array(1, np.float32))))
        return self._add("Mul", doubled, self._constant(np.array(0.5, np.float32)))

    def _norm(self, name: str, hidden: str, out: str | None = None) -> str:
        parts = [self._constant(self._weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self._add("LayerNormalization", hidden, *parts, out=out, epsilon=EPSILON, axis=-1)

    def _add(self, kind: str, *inputs: str, out: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        self._count += 1
        name = out or f"{kind.lower()}{self._count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _constant(self, value: np.ndarray) -> str:
        from onnx import numpy_helper

        self._count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), f"constant{self._count}"))
        return f"constant{self._count}"


def rounded(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8 (rows, n) and float32 (rows, 1): each row divided by its scale and rounded to the nearest number."""
    scales = (np.abs(weight).max(axis=1, keepdims=True) / np.float32(127)).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(weight / scales).astype(np.int8), scales
