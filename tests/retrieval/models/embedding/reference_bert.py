"""Makes `minilm_reference.json`: vectors of the official fp32 weights, by a BERT encoder written out in numpy.

Run by hand, with the model.safetensors of sentence-transformers/all-MiniLM-L6-v2 (its sha256 is checked):

    python -m tests.retrieval.models.embedding.reference_bert model.safetensors tokenizer.json

It shares no code with the embedder under test, and computes in float64 (Devlin et al. 2019; exact erf GELU).
"""

import hashlib
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
REFERENCE = Path(__file__).with_name("minilm_reference.json")
LAYERS, HEADS = 6, 12
SENTENCES = (
    "A dog is playing in the garden.",
    "A puppy runs around outside on the grass.",
    "The quarterly report is due on Friday.",
    "We have to hand in the Q3 figures by the end of the week.",
    "Alice asked Bob to review the database migration before the release.",
    "Der Zug nach Köln fährt um acht Uhr ab.",
)

_erf = np.vectorize(math.erf, otypes=[np.float64])


def read_tensors(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    assert hashlib.sha256(data).hexdigest() == SHA256, "not the official weights"
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, item in header.items():
        if name == "__metadata__" or item["dtype"] != "F32":
            continue
        start, end = (8 + length + offset for offset in item["data_offsets"])
        tensors[name] = np.frombuffer(data[start:end], dtype="<f4").reshape(item["shape"]).astype(np.float64)
    return tensors


class Bert:
    def __init__(self, tensors: dict[str, np.ndarray]) -> None:
        self.tensors = tensors

    def dense(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-12)
        return scaled * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def attend(self, name: str, x: np.ndarray) -> np.ndarray:
        q, k, v = (
            self.dense(f"{name}.self.{part}", x).reshape(len(x), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (weights / weights.sum(axis=-1, keepdims=True)) @ v
        return self.dense(f"{name}.output.dense", mixed.transpose(1, 0, 2).reshape(x.shape))

    def layer(self, name: str, x: np.ndarray) -> np.ndarray:
        x = self.norm(f"{name}.attention.output.LayerNorm", x + self.attend(f"{name}.attention", x))
        inner = self.dense(f"{name}.intermediate.dense", x)
        inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
        return self.norm(f"{name}.output.LayerNorm", x + self.dense(f"{name}.output.dense", inner))

    def embed(self, ids: list[int]) -> np.ndarray:
        tables = [f"embeddings.{part}_embeddings.weight" for part in ("word", "position", "token_type")]
        word, position, kind = (self.tensors[table] for table in tables)
        x = self.norm("embeddings.LayerNorm", word[ids] + position[: len(ids)] + kind[0])
        for number in range(LAYERS):
            x = self.layer(f"encoder.layer.{number}", x)
        pooled = x.mean(axis=0)
        return pooled / np.linalg.norm(pooled)


def main(weights: Path, tokenizer_file: Path) -> None:
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_padding()
    bert = Bert(read_tensors(weights))
    vectors = {text: [round(float(x), 6) for x in bert.embed(tokenizer.encode(text).ids)] for text in SENTENCES}
    document = {"weights_sha256": SHA256, "vectors": vectors}
    REFERENCE.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
