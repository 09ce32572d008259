"""Registry of conversions from published weights to the format used here."""

from collections.abc import Callable, Mapping
from pathlib import Path


def _ge2e(source: Path, target: Path) -> None:
    from brain_retrieval.models.weights.ge2e_onnx import write_ge2e_onnx
    from brain_retrieval.models.weights.torch_weights import read_torch_weights

    write_ge2e_onnx(read_torch_weights(source), target)


CONVERSIONS: Mapping[str, Callable[[Path, Path], None]] = {"ge2e-to-onnx": _ge2e}


def convert(by: str, source: Path, target: Path) -> None:
    """Convert `source` to `target` with the conversion `by`; the result is reproducible byte for byte.

    Raises:
        ValueError: `source` is not in the format that the conversion reads.
    """
    CONVERSIONS[by](source, target)
