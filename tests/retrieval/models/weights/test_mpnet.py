"""The MPNet encoder computes what the paper says, from weights in a safetensors file within a zip archive."""

import json
import math
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from brain_retrieval import extras
from brain_retrieval.models.weights.conversion import convert
from brain_retrieval.models.weights.download import pull
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.mpnet_onnx import distance_buckets, read_member, rounded
from brain_retrieval.models.weights.safetensors import read_safetensors

WIDTH, HEADS, LAYERS, WORDS, LONGEST = 24, 12, 2, 40, 30
TOKENS = [0, 7, 31, 7, 12, 39, 5, 20, 11, 3, 18, 2]


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    """Matrices whose rows are whole numbers of steps, so that rounding to int8 changes nothing."""
    random = np.random.default_rng(3)

    def matrix(rows: int, columns: int) -> np.ndarray:
        steps = random.integers(-127, 128, (rows, columns))
        steps[:, 0] = 127
        return (steps / np.float32(256)).astype(np.float32)

    def vector() -> np.ndarray:
        return random.normal(size=WIDTH).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": matrix(WORDS, WIDTH),
        "embeddings.position_embeddings.weight": matrix(LONGEST + 2, WIDTH),
        "encoder.relative_attention_bias.weight": matrix(32, HEADS),
        "embeddings.LayerNorm.weight": vector(),
        "embeddings.LayerNorm.bias": vector(),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        shapes = {f"attention.attn.{part}": (WIDTH, WIDTH) for part in "qkvo"}
        shapes |= {"intermediate.dense": (2 * WIDTH, WIDTH), "output.dense": (WIDTH, 2 * WIDTH)}
        for part, shape in shapes.items():
            found[f"{name}.{part}.weight"] = matrix(*shape)
            found[f"{name}.{part}.bias"] = random.normal(size=shape[0]).astype(np.float32)
        for part in ("attention.LayerNorm", "output.LayerNorm"):
            found |= {f"{name}.{part}.weight": vector(), f"{name}.{part}.bias": vector()}
    return found


def as_safetensors(weights: dict[str, np.ndarray]) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, value in weights.items():
        data = value.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    packed = json.dumps(header).encode()
    return struct.pack("<Q", len(packed)) + packed + body


def as_archive(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"model/{name}", data)
    return path


def expected(weights: dict[str, np.ndarray], tokens: list[int]) -> np.ndarray:
    """Return (tokens, WIDTH) in float64, written out step by step."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}

    def dense(name: str, x: np.ndarray) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=1, keepdims=True)
        return (
            centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * w[f"{name}.weight"] + w[f"{name}.bias"]
        )

    def bucket(later: int) -> int:
        size = abs(later)
        near = size if size < 8 else min(15, 8 + int(8 * math.log(size / 8) / math.log(16) + 1e-6))
        return near + (16 if later > 0 else 0)

    count = len(tokens)
    places = w["embeddings.position_embeddings.weight"][2 : 2 + count]
    x = norm("embeddings.LayerNorm", w["embeddings.word_embeddings.weight"][tokens] + places)
    table = w["encoder.relative_attention_bias.weight"]
    bias = np.array([[table[bucket(key - query)] for key in range(count)] for query in range(count)])
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        q, k, v = (dense(f"{name}.attention.attn.{part}", x).reshape(count, HEADS, -1) for part in "qkv")
        scores = np.einsum("qhd,khd->hqk", q, k) / math.sqrt(WIDTH / HEADS) + bias.transpose(2, 0, 1)
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", shares, v).reshape(count, WIDTH)
        x = norm(f"{name}.attention.LayerNorm", dense(f"{name}.attention.attn.o", mixed) + x)
        inner = dense(f"{name}.intermediate.dense", x)
        inner *= 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(f"{name}.output.LayerNorm", dense(f"{name}.output.dense", inner) + x)
    return x


def test_the_graph_computes_the_encoder(tmp_path: Path, weights: dict[str, np.ndarray]) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    archive = as_archive(tmp_path / "a.zip", {"model.safetensors": as_safetensors(weights)})
    convert("mpnet-zip-to-onnx", archive, tmp_path / "model.onnx")
    convert("mpnet-zip-to-onnx", archive, tmp_path / "again.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == (tmp_path / "again.onnx").read_bytes()
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    found = session.run(None, {"input_ids": np.array([TOKENS, TOKENS[::-1]], np.int64)})[0]
    assert found.shape == (2, len(TOKENS), WIDTH)
    assert np.abs(found[0] - expected(weights, TOKENS)).max() < 1e-3
    assert np.abs(found[1] - expected(weights, TOKENS[::-1])).max() < 1e-3


def test_distances_share_buckets_the_farther_the_more() -> None:
    buckets = dict(zip(range(-511, 512), distance_buckets(512).tolist(), strict=True))
    assert [buckets[n] for n in (0, -1, -7, -8, -15, -16, -64, -128, -511)] == [0, 1, 7, 8, 9, 10, 14, 15, 15]
    assert [buckets[n] for n in (1, 7, 8, 511)] == [17, 23, 24, 31]


def test_rows_are_rounded_each_by_its_own_scale() -> None:
    whole, scales = rounded(np.array([[1.0, -0.5, 0.004], [0, 0, 0], [254, 1, 3]], np.float32))
    assert whole.tolist() == [[127, -64, 1], [0, 0, 0], [127, 0, 2]]
    assert scales.ravel().tolist() == pytest.approx([1 / 127, 1, 2])


def test_what_is_not_the_archive_expected_is_named(tmp_path: Path, weights: dict[str, np.ndarray]) -> None:
    (tmp_path / "no.zip").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="not a zip archive"):
        convert("zip-to-tokenizer", tmp_path / "no.zip", tmp_path / "out")
    archive = as_archive(tmp_path / "a.zip", {"tokenizer.json": b"{}", "model.safetensors": b"short"})
    convert("zip-to-tokenizer", archive, tmp_path / "tokenizer.json")
    assert (tmp_path / "tokenizer.json").read_bytes() == b"{}"
    with pytest.raises(ValueError, match="one file other"):
        read_member(archive, "other")
    with pytest.raises(ValueError, match="not a safetensors file"):
        convert("mpnet-zip-to-onnx", archive, tmp_path / "out")
    part = {name: value for name, value in weights.items() if "output.dense" not in name}
    lacking = as_archive(tmp_path / "b.zip", {"model.safetensors": as_safetensors(part)})
    with pytest.raises(ValueError, match=r"have no 'encoder.layer.0.output.dense"):
        convert("mpnet-zip-to-onnx", lacking, tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[:-8], "does not lie within the file"),
        (lambda data: struct.pack("<Q", 1 << 40) + data[8:], "not a safetensors file"),
        (lambda data: data[:8] + b"[" + data[9:], "not a safetensors file"),
        (lambda _: struct.pack("<Q", 2) + b"[]", "not a safetensors file"),
    ],
)
def test_a_damaged_file_is_refused(change, reason: str) -> None:
    data = as_safetensors({"a": np.ones((2, 3), np.float32)})
    assert read_safetensors(data)["a"].shape == (2, 3)
    with pytest.raises(ValueError, match=reason):
        read_safetensors(change(data))


def test_without_the_library_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(extras.MissingExtraError, match=r"onnx is not installed.*brain\[media\]"):
        pull(find_entry("mpnet-int8"), tmp_path / "models")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
