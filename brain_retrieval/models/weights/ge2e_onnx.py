"""The GE2E speaker encoder (Wan et al. 2018) as an ONNX graph, from the weights of its PyTorch checkpoint.

Three LSTM layers of 256 units over 40 mel channels; the last hidden state of the last goes through a linear layer
and a ReLU, and is scaled to length 1. PyTorch keeps an LSTM's gates in the order input, forget, cell, output; ONNX
in the order input, output, forget, cell. Nothing is rounded: int8 weights give other voices.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

LAYERS, HIDDEN, CHANNELS = 3, 256, 40
OPSET, IR_VERSION = 17, 8  # old enough for every onnxruntime that is allowed here
_GATES = (0, 3, 1, 2)


def write_ge2e_onnx(weights: Mapping[str, np.ndarray], target: Path) -> None:
    """Write the graph: input "mel" (batch, frames, 40) float32, output "embedding" (batch, 256), rows of length 1.

    Raises:
        ValueError: weights that are missing or of another shape.
    """
    import onnx
    from onnx import TensorProto, helper

    nodes, constants = _layers(weights)
    nodes += [
        helper.make_node("Gemm", ["last", "linear.weight", "linear.bias"], ["linear"], transB=1),
        helper.make_node("Relu", ["linear"], ["positive"]),
        helper.make_node("LpNormalization", ["positive"], ["embedding"], axis=1, p=2),
    ]
    constants += [_constant(name, weights[name]) for name in ("linear.weight", "linear.bias")]
    graph = helper.make_graph(
        nodes,
        "ge2e",
        [helper.make_tensor_value_info("mel", TensorProto.FLOAT, ["batch", "frames", CHANNELS])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="brain")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString(deterministic=True))


def _layers(weights: Mapping[str, np.ndarray]) -> tuple[list[Any], list[Any]]:
    from onnx import helper

    nodes = [helper.make_node("Transpose", ["mel"], ["sequence0"], perm=[1, 0, 2])]  # time comes first
    constants = [_constant("direction", np.array([1], np.int64)), _constant("first", np.array([0], np.int64))]
    for layer in range(LAYERS):
        names = [f"{kind}{layer}" for kind in ("W", "R", "B")]
        constants += [_constant(name, value) for name, value in zip(names, _lstm(weights, layer), strict=True)]
        outputs = [f"states{layer}", f"hidden{layer}"]
        nodes.append(helper.make_node("LSTM", [f"sequence{layer}", *names], outputs, hidden_size=HIDDEN))
        nodes.append(helper.make_node("Squeeze", [f"states{layer}", "direction"], [f"sequence{layer + 1}"]))
    nodes.append(helper.make_node("Squeeze", [f"hidden{LAYERS - 1}", "first"], ["last"]))
    return nodes, constants


def _lstm(weights: Mapping[str, np.ndarray], layer: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the input weights (1, 4H, n), recurrent weights (1, 4H, H) and biases (1, 8H) of a layer."""
    width = CHANNELS if layer == 0 else HIDDEN
    try:
        parts = [_gates(weights[f"lstm.{kind}_l{layer}"]) for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    except KeyError as error:
        raise ValueError(f"the checkpoint has no {error}") from None
    if [part.shape for part in parts] != [(4 * HIDDEN, width), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,), (4 * HIDDEN,)]:
        raise ValueError(f"layer {layer} of the checkpoint has other sizes than GE2E's")
    return parts[0][None], parts[1][None], np.concatenate(parts[2:])[None]


def _gates(weight: np.ndarray) -> np.ndarray:
    blocks = np.split(weight, 4)
    return np.concatenate([blocks[gate] for gate in _GATES])


def _constant(name: str, value: np.ndarray) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.ascontiguousarray(value), name)
