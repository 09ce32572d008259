"""Voices as vectors: the speech of a recording in short windows, each embedded by the GE2E speaker encoder.

Where there is speech is silero VAD's say. Memory is bounded: a long recording is read in pieces, and its windows
are set further apart so that there are never more than MAX_WINDOWS.
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
REGION_SECONDS = 60.0  # a longer stretch of speech is read in parts
VAD_SECONDS = 600.0
LOUDNESS = 10 ** (-30 / 20)  # root mean square that quieter speech is raised to
_BATCH = 64


@dataclass(frozen=True)
class Voices:
    """Vectors of length 1, (n, 256), and the middle of the window of each, in seconds, ascending."""

    vectors: np.ndarray
    times: np.ndarray


class VoiceEncoder:
    """The GE2E encoder; it turns 1.6 s of mel spectrogram into a vector of length 1."""

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
        ModelMissingError: weights that are not here or not those of the manifest.
    """
    return VoiceEncoder(obtain(find_entry(ENTRY), models_dir)["ge2e.onnx"])


def hear_voices(sound: Path, encoder: VoiceEncoder) -> Voices:
    """Return the voices of a recording; no rows if there is no speech."""
    regions = list(_regions(sound))
    seconds = sum(end - start for start, end in regions)
    step = max(STEP_SECONDS, seconds / max(1, MAX_WINDOWS - len(regions)))
    if len(regions) > MAX_WINDOWS // 2:  # many short cries: as many as fit, evenly chosen
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
    """Yield the stretches of speech, in seconds."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=200, speech_pad_ms=30, max_speech_duration_s=REGION_SECONDS)
    for window in windows(sound, VAD_SECONDS):
        for found in get_speech_timestamps(window.samples, options, RATE):
            yield window.start + found["start"] / RATE, window.start + found["end"] / RATE


def _cut(samples: np.ndarray, step: float) -> tuple[np.ndarray, list[float]]:
    """Return the windows of a stretch of speech, (n, 160, 40), and the middle of each in seconds of the stretch."""
    length = len(samples)
    loudness = float(np.sqrt(np.mean(np.square(samples)))) if length else 0.0
    if 0 < loudness < LOUDNESS:
        samples = samples * (LOUDNESS / loudness)
    needed = WINDOW_FRAMES * HOP
    if length < needed:  # said again and again until it is long enough
        tiled = np.resize(samples, needed) if length else np.zeros(needed, np.float32)
        return mel_spectrogram(tiled)[None, :WINDOW_FRAMES], [length / RATE / 2]
    mel = mel_spectrogram(samples)
    last = len(mel) - WINDOW_FRAMES
    starts = sorted({*range(0, last + 1, round(step * RATE / HOP)), last})
    middles = [(start + WINDOW_FRAMES / 2) * HOP / RATE for start in starts]
    return np.stack([mel[start : start + WINDOW_FRAMES] for start in starts]), middles
