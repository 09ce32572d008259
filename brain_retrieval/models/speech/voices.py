"""Voice embeddings: short windows of a recording's speech, each embedded by the GE2E speaker encoder.

Silero VAD detects speech. Memory is bounded: a long recording is read in parts, and its windows are spaced so that
there are at most MAX_WINDOWS.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from brain_retrieval.models.speech.mel import HOP, mel_spectrogram
from brain_retrieval.models.speech.waveform import RATE, read_samples, windows
from brain_retrieval.models.weights.first_use import obtain
from brain_retrieval.models.weights.manifest import find_entry

ENTRY = "ge2e"
WINDOW_FRAMES = 160  # 1.6 s, what the encoder was trained on
STEP_SECONDS = 0.4
MAX_WINDOWS = 4000
REGION_SECONDS = 60.0  # longer speech segments are read in parts
VAD_SECONDS = 600.0
LOUDNESS = 10 ** (-30 / 20)  # RMS (-30 dBFS) that quieter speech is amplified to
_BATCH = 64


@dataclass(frozen=True)
class Voices:
    """Unit vectors (n, 256), and the middle of each window in seconds, ascending."""

    vectors: np.ndarray
    times: np.ndarray


class VoiceEncoder:
    """The GE2E encoder: 1.6 s of mel spectrogram → unit vector."""

    def __init__(self, model: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def embed(self, mels: np.ndarray) -> np.ndarray:
        """Return float32 (n, 256) for mel spectrograms (n, 160, 40)."""
        parts = [mels[i : i + _BATCH] for i in range(0, len(mels), _BATCH)]
        return np.concatenate([np.asarray(self._session.run(None, {"mel": part})[0]) for part in parts])


@lru_cache(maxsize=1)
def build_voice_encoder(models_dir: Path) -> VoiceEncoder:
    """Return the encoder, loaded once.

    Raises:
        ModelMissingError: weights are missing or do not match the manifest.
    """
    return VoiceEncoder(obtain(find_entry(ENTRY), models_dir)["ge2e.onnx"])


def hear_voices(sound: Path, encoder: VoiceEncoder) -> Voices:
    """Return the voice vectors of a recording; no rows if there is no speech."""
    regions = list(_regions(sound))
    seconds = sum(end - start for start, end in regions)
    step = max(STEP_SECONDS, seconds / max(1, MAX_WINDOWS - len(regions)))
    if len(regions) > MAX_WINDOWS // 2:  # too many short segments: take an even sample
        chosen = np.linspace(0, len(regions) - 1, MAX_WINDOWS // 2).round().astype(int)
        regions = [regions[i] for i in dict.fromkeys(chosen.tolist())]
        step = max(STEP_SECONDS, 2 * seconds / MAX_WINDOWS)
    vectors: list[np.ndarray] = []
    times: list[float] = []
    for start, end in regions:
        mels, offsets = _cut(read_samples(sound, start, end), step)
        vectors.append(encoder.embed(mels))
        times.extend(start + offset for offset in offsets)
    if not vectors:
        return Voices(np.zeros((0, 256), np.float32), np.zeros(0))
    return Voices(np.concatenate(vectors), np.array(times))


def _regions(sound: Path) -> Iterator[tuple[float, float]]:
    """Yield start and end of each speech segment, in seconds."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=200, speech_pad_ms=30, max_speech_duration_s=REGION_SECONDS)
    for window in windows(sound, VAD_SECONDS):
        for found in get_speech_timestamps(window.samples, options, RATE):
            yield window.start + found["start"] / RATE, window.start + found["end"] / RATE


def _cut(samples: np.ndarray, step: float) -> tuple[np.ndarray, list[float]]:
    """Return the windows of a speech segment, (n, 160, 40), and their middles in seconds from its start."""
    length = len(samples)
    loudness = float(np.sqrt(np.mean(np.square(samples)))) if length else 0.0
    if 0 < loudness < LOUDNESS:
        samples = samples * (LOUDNESS / loudness)
    needed = WINDOW_FRAMES * HOP
    if length < needed:  # repeat a short segment until it fills a window
        tiled = np.resize(samples, needed) if length else np.zeros(needed, np.float32)
        return mel_spectrogram(tiled)[None, :WINDOW_FRAMES], [length / RATE / 2]
    mel = mel_spectrogram(samples)
    last = len(mel) - WINDOW_FRAMES
    starts = sorted({*range(0, last + 1, round(step * RATE / HOP)), last})
    middles = [(start + WINDOW_FRAMES / 2) * HOP / RATE for start in starts]
    return np.stack([mel[start : start + WINDOW_FRAMES] for start in starts]), middles
