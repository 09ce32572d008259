"""Reader of safetensors files: a header in JSON, then the numbers of all tensors. No code is executed."""

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

MOST_HEADER = 1 << 24  # bytes


def read_safetensors(data: bytes) -> dict[str, np.ndarray]:
    """Return the float32 tensors of a file by name; those of other types are left out.

    Raises:
        ValueError: another format, or a tensor that does not lie within the file.
    """
    length = struct.unpack("<Q", data[:8])[0] if len(data) >= 8 else MOST_HEADER + 1
    if length > min(MOST_HEADER, len(data) - 8):
        raise ValueError("not a safetensors file")
    try:
        header = json.loads(data[8 : 8 + length])
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise ValueError("not a safetensors file: its header is no JSON object")
    tensors = memoryview(data)[8 + length :]
    return {name: _array(name, item, tensors) for name, item in header.items() if item.get("dtype") == "F32"}


def _array(name: str, item: Mapping[str, Any], tensors: memoryview) -> np.ndarray:
    first, last = item["data_offsets"]
    if not 0 <= first <= last <= len(tensors) or last - first != 4 * int(np.prod(item["shape"])):
        raise ValueError(f"the tensor {name[:60]} does not lie within the file")
    return np.frombuffer(tensors[first:last], dtype="<f4").reshape(item["shape"])
