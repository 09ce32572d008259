"""Which conversion makes a file from what it is published as. Each lives in a module of its own."""

from collections.abc import Callable, Mapping
from pathlib import Path


def _ge2e(source: Path, target: Path) -> None:
    from brain_retrieval.models.weights.ge2e_onnx import write_ge2e_onnx
    from brain_retrieval.models.weights.torch_weights import read_torch_weights

    write_ge2e_onnx(read_torch_weights(source), target)


CONVERSIONS: Mapping[str, Callable[[Path, Path], None]] = {"ge2e-to-onnx": _ge2e}


def convert(by: str, source: Path, target: Path) -> None:
    """Write to `target` what the conversion `by` makes of `source`; the same bytes every time.

    Raises:
        ValueError: `source` is not what the conversion reads.
    """
    CONVERSIONS[by](source, target)
