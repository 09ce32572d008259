"""The speaker encoder: its checkpoint is read without running it, and its graph computes what the equations say."""

import os
import pickle
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from brain_retrieval.models.speech.mel import mel_spectrogram
from brain_retrieval.models.speech.voice_clusters import cluster_voices
from brain_retrieval.models.speech.waveform import RATE
from brain_retrieval.models.weights.ge2e_onnx import CHANNELS, HIDDEN, LAYERS, write_ge2e_onnx
from brain_retrieval.models.weights.torch_weights import MAGIC, PROTOCOL, read_torch_weights


def random_weights() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {"linear.weight": (HIDDEN, HIDDEN), "linear.bias": (HIDDEN,)}
    for layer in range(LAYERS):
        shapes[f"lstm.weight_ih_l{layer}"] = (4 * HIDDEN, HIDDEN if layer else CHANNELS)
        shapes[f"lstm.weight_hh_l{layer}"] = (4 * HIDDEN, HIDDEN)
        shapes |= {f"lstm.bias_{kind}_l{layer}": (4 * HIDDEN,) for kind in ("ih", "hh")}
    return {name: random.normal(0, 0.08, shape).astype(np.float32) for name, shape in shapes.items()}


def reference(weights: dict[str, np.ndarray], mel: np.ndarray) -> np.ndarray:
    """The LSTM of PyTorch's documentation, gate by gate, for one (frames, 40)."""

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    sequence = mel
    for layer in range(LAYERS):
        hidden, cell, out = np.zeros(HIDDEN), np.zeros(HIDDEN), []
        for x in sequence:
            sums = weights[f"lstm.weight_ih_l{layer}"] @ x + weights[f"lstm.bias_ih_l{layer}"]
            sums = sums + weights[f"lstm.weight_hh_l{layer}"] @ hidden + weights[f"lstm.bias_hh_l{layer}"]
            i, f, g, o = np.split(sums, 4)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            hidden = sigmoid(o) * np.tanh(cell)
            out.append(hidden)
        sequence = np.stack(out)
    found = np.maximum(0, weights["linear.weight"] @ sequence[-1] + weights["linear.bias"])
    return found / np.linalg.norm(found)


def test_the_graph_computes_the_equations(tmp_path: Path) -> None:
    weights = random_weights()
    write_ge2e_onnx(weights, tmp_path / "a.onnx")
    write_ge2e_onnx(weights, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    mels = np.random.default_rng(1).random((2, 12, CHANNELS), np.float32)
    session = onnxruntime.InferenceSession(str(tmp_path / "a.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(None, {"mel": mels})[0]
    assert np.allclose(found, [reference(weights, mel) for mel in mels], atol=1e-5)


def test_missing_or_other_weights_are_refused(tmp_path: Path) -> None:
    weights = random_weights()
    with pytest.raises(ValueError, match="other sizes"):
        write_ge2e_onnx({**weights, "lstm.weight_ih_l0": weights["lstm.weight_hh_l0"]}, tmp_path / "a.onnx")
    del weights["lstm.bias_hh_l2"]
    with pytest.raises(ValueError, match="bias_hh_l2"):
        write_ge2e_onnx(weights, tmp_path / "a.onnx")


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch evil-was-here",)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ((Evil(),), r"asks for posix\.system"),
        ((MAGIC, PROTOCOL, {}, {"model_state": Evil()}, []), r"asks for posix\.system"),
        ((1, 2, 3, 4, 5), "before version 1.6"),
        ((MAGIC,), "not a PyTorch checkpoint"),
    ],
)
def test_checkpoint_cannot_execute_code(tmp_path: Path, parts: tuple[object, ...], reason: str) -> None:
    (tmp_path / "a.pt").write_bytes(b"".join(pickle.dumps(part, 2) for part in parts))
    with pytest.raises(ValueError, match=reason):
        read_torch_weights(tmp_path / "a.pt")
    assert not Path("evil-was-here").exists()


def test_the_mel_bands_of_a_tone() -> None:
    tone = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE).astype(np.float32)
    mel = mel_spectrogram(tone)
    assert mel.shape == (101, CHANNELS)
    # 1 kHz is 15 mel of 45.2; 42 edges lie evenly from 0, so the band around it is the 13th.
    assert int(mel[50].argmax()) == 13 - 1 or int(mel[50].argmax()) == 13
    assert mel[50].max() > 100 * mel[50][25:].max()


def test_voices_are_clustered_and_stray_windows_are_discarded() -> None:
    random = np.random.default_rng(2)
    centres = np.eye(3, 64)
    vectors = np.concatenate(
        [centre + random.normal(0, 0.03, (n, 64)) for centre, n in zip(centres, (9, 7, 2), strict=True)]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert len(cluster_voices(vectors)) == 2
    assert len(cluster_voices(vectors, speakers=3)) == 3
    assert len(cluster_voices(vectors[:2])) == 1
    assert len(cluster_voices(vectors[:1])) == 1
