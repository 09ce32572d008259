"""Reader of PyTorch checkpoints without PyTorch and without executing code from the pickle.

Only the format before PyTorch 1.6 is supported: five pickles (magic, protocol, system, object, storage keys), then the
storages, each as its length in 8 bytes and its floats, little endian. The object's pickle may refer to ordered
dictionaries, float tensors and float storages only.
"""

import pickle
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
MAX_FLOATS = 1 << 28


class _Tensor:
    """A tensor's location in its storage; the values are filled in once the storages are read."""

    def __init__(self, storage: str, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides


def _rebuild_tensor(storage: str, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: Any) -> _Tensor:
    return _Tensor(storage, offset, shape, strides)


_ALLOWED: Mapping[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("collections", "OrderedDict"): OrderedDict,
    ("torch", "FloatStorage"): "float32",
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise ValueError(f"the checkpoint asks for {module}.{name}, which is not read") from None

    def persistent_load(self, pid: Any) -> str:
        return str(pid[2])  # ("storage", type, key, place, length, view)


def read_torch_weights(path: Path, part: str = "model_state") -> dict[str, np.ndarray]:
    """Return the float32 tensors of one part of a checkpoint by name.

    Raises:
        ValueError: another format, something that is not a plain float tensor, or a storage that is not there.
    """
    with path.open("rb") as stream:
        try:
            head = [_Unpickler(stream).load() for _ in range(5)]
        except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, TypeError) as error:
            raise ValueError(f"not a PyTorch checkpoint: {error}") from None
        if head[:2] != [MAGIC, PROTOCOL]:
            raise ValueError("not a PyTorch checkpoint of before version 1.6")
        storages = dict(_storages(stream, head[4]))
    tensors = head[3][part]
    return {name: _array(tensor, storages) for name, tensor in tensors.items() if isinstance(tensor, _Tensor)}


def _storages(stream: BinaryIO, keys: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    for key in keys:
        length = int.from_bytes(stream.read(8), "little")
        if length > MAX_FLOATS:
            raise ValueError("a storage of the checkpoint is too large")
        data = stream.read(4 * length)
        if len(data) != 4 * length:
            raise ValueError("the checkpoint is cut off")
        yield str(key), np.frombuffer(data, dtype="<f4")


def _array(tensor: _Tensor, storages: Mapping[str, np.ndarray]) -> np.ndarray:
    if tensor.storage not in storages:
        raise ValueError("the checkpoint lacks a storage")
    flat = storages[tensor.storage][tensor.offset : tensor.offset + int(np.prod(tensor.shape))]
    steps = tuple(int(np.prod(tensor.shape[axis + 1 :])) for axis in range(len(tensor.shape)))
    if steps != tuple(tensor.strides) or flat.size != int(np.prod(tensor.shape)):
        raise ValueError("the checkpoint holds a tensor that is a view of another")
    return flat.reshape(tensor.shape)
