"""Registry of conversions from published weights to the format used here."""

from collections.abc import Callable, Mapping
from pathlib import Path

from brain_retrieval.extras import require


def _ge2e(source: Path, target: Path) -> None:
    from brain_retrieval.models.weights.ge2e_onnx import write_ge2e_onnx
    from brain_retrieval.models.weights.torch_weights import read_torch_weights

    write_ge2e_onnx(read_torch_weights(source), target)


def _mpnet(source: Path, target: Path) -> None:
    from brain_retrieval.models.weights.mpnet_onnx import read_member, write_mpnet_onnx

    write_mpnet_onnx(read_member(source, "model.safetensors"), target)


def _tokenizer(source: Path, target: Path) -> None:
    from brain_retrieval.models.weights.mpnet_onnx import read_member

    target.write_bytes(read_member(source, "tokenizer.json"))


CONVERSIONS: Mapping[str, Callable[[Path, Path], None]] = {
    "ge2e-to-onnx": _ge2e,
    "mpnet-zip-to-onnx": _mpnet,
    "zip-to-tokenizer": _tokenizer,
}


def check_library(by: str) -> None:
    """Raise MissingExtraError if the library that the conversion `by` needs is not installed."""
    if by.endswith("-to-onnx"):
        require("onnx")


def convert(by: str, source: Path, target: Path) -> None:
    """Convert `source` to `target` with the conversion `by`; the result is reproducible byte for byte.

    Raises:
        ValueError: `source` is not in the format that the conversion reads.
    """
    CONVERSIONS[by](source, target)
