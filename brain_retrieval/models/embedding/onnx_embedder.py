"""`OnnxEmbedder`: local embeddings with an ONNX encoder and onnxruntime. `onnx_files.py` finds the files."""

import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.errors import DimensionMismatchError, ModelMissingError
from brain_retrieval.models.embedding.onnx_files import OnnxFiles, find_onnx_files
from brain_retrieval.models.embedding.protocol import Progress
from brain_retrieval.models.embedding.tokenizer import read_tokenizer
from brain_retrieval.models.embedding.word_codes import WordCodes, word_codes
from brain_retrieval.settings import EmbeddingSettings

BATCH_SIZE = 8
# Above about 512 tokens per batch the activations exceed the core's cache: batches of 32 long texts took 1.5 times
# the CPU time of single texts.
BATCH_TOKENS = 512


class OnnxEmbedder:
    """Mean (or CLS) pooled, unit-length vectors of one encoder.

    A batch contains only texts with the same number of tokens, so there is no padding. A text therefore has the same
    vector, bit for bit, whatever else is in the batch, and digests of vectors do not depend on the batching.
    """

    at_once = None

    def __init__(self, files: OnnxFiles, *, batch_size: int = BATCH_SIZE, threads: int = 1) -> None:
        self.name = files.name
        self.max_tokens = files.max_tokens
        self._cls_pooling = files.cls_pooling
        self._prefixes = files.prefixes
        self._batch_size = batch_size
        # Encoding is read-only, so one tokenizer serves all threads.
        self._tokenizer = read_tokenizer(files.tokenizer, max_tokens=files.max_tokens)
        self._session = _open_session(files.model, threads)
        self._inputs = {node.name for node in self._session.get_inputs()}
        self.dim = _output_width(self._session, files.model)

    @classmethod
    def from_settings(cls, settings: EmbeddingSettings, models_dir: Path) -> "OnnxEmbedder":
        """Return the embedder of an entry of the manifest or of a directory.

        Raises:
            ModelMissingError: weights are missing or do not match the manifest.
            InvalidSettingsError: unknown entry, or a pooling that is not supported.
            DimensionMismatchError: the settings want another width than the model has.
        """
        files = find_onnx_files(settings, models_dir)
        embedder = cls(files, batch_size=settings.batch_size or BATCH_SIZE, threads=settings.threads)
        if settings.dimensions not in (None, embedder.dim):
            raise DimensionMismatchError(
                f"{embedder.name} makes vectors of {embedder.dim}, the settings ask for {settings.dimensions}"
            )
        return embedder

    def embed(self, texts: Sequence[str], *, questions: bool = False, progress: Progress | None = None) -> np.ndarray:
        """Return float32 (len(texts), dim), unit length, in the order of `texts`. See `Embedder.embed`."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        prefix = self._prefixes.of(questions)
        token_ids = [self._tokenizer.encode(prefix + text).ids for text in texts]
        for rows in _batches(token_ids, self._batch_size):
            vectors[rows] = self._pooled(self._run(token_ids, rows))
            if progress is not None:
                progress(len(rows))
        return vectors

    def embed_coded(
        self, texts: Sequence[str], *, questions: bool = False, progress: Progress | None = None
    ) -> tuple[np.ndarray, list[WordCodes]]:
        """Return what `embed` does, and the codes of each text's tokens, from the same run of the model."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        prefix = self._prefixes.of(questions)
        read = [self._tokenizer.encode(prefix + text) for text in texts]
        token_ids = [one.ids for one in read]
        codes: dict[int, WordCodes] = {}
        for rows in _batches(token_ids, self._batch_size):
            hidden = self._run(token_ids, rows)
            vectors[rows] = self._pooled(hidden)
            for row, own in zip(rows, hidden, strict=True):
                codes[row] = word_codes(texts[row], own, _behind(prefix, read[row].offsets))
            if progress is not None:
                progress(len(rows))
        return vectors, [codes[row] for row in range(len(texts))]

    def _run(self, token_ids: Sequence[Sequence[int]], rows: Sequence[int]) -> np.ndarray:
        """Return float32 (rows, tokens, width), the last hidden states of texts with equally many tokens."""
        ids = np.array([token_ids[row] for row in rows], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return self._session.run(None, {name: feed[name] for name in self._inputs})[0]

    def _pooled(self, hidden: np.ndarray) -> np.ndarray:
        pooled = hidden[:, 0] if self._cls_pooling else hidden.mean(axis=1, dtype=np.float32)
        # A float64 norm per row makes the result independent of the batch's shape.
        norms = np.sqrt(np.square(pooled, dtype=np.float64).sum(axis=1, keepdims=True))
        return (pooled / np.maximum(norms, 1e-12)).astype(np.float32)


def _batches(token_ids: Sequence[Sequence[int]], batch_size: int) -> Iterator[list[int]]:
    """Yield row numbers in batches of equal length, longest first, so that peak memory is reached at the start."""
    order = sorted(range(len(token_ids)), key=lambda row: (-len(token_ids[row]), row))
    for length, group in groupby(order, key=lambda row: len(token_ids[row])):
        rows = list(group)
        step = max(1, min(batch_size, BATCH_TOKENS // max(length, 1)))
        yield from (rows[start : start + step] for start in range(0, len(rows), step))


def _behind(prefix: str, spans: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Return the spans of tokens in the text behind a prefix; those of the prefix are empty, as of special tokens."""
    if not prefix:
        return spans
    return [(max(start - len(prefix), 0), max(end - len(prefix), 0)) for start, end in spans]


_SESSION_LOCK = threading.Lock()


def _open_session(model: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would occupy a core that other runs could use.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        with _SESSION_LOCK:  # graph optimisation peaks at several times the model's size; not twice at once
            return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no common base of its errors
        raise ModelMissingError(f"cannot load {model}: {type(error).__name__}: {str(error)[:200]}") from None


def _output_width(session: Any, model: Path) -> int:
    shape = session.get_outputs()[0].shape
    if len(shape) != 3 or not isinstance(shape[-1], int):
        raise ModelMissingError(f"{model}: the first output must be (batch, tokens, width), not {shape}")
    return shape[-1]
