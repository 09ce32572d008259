"""The mel spectrogram that the GE2E encoder was trained on, in NumPy: librosa's defaults, power instead of log.

Slaney's mel scale (linear below 1 kHz, logarithmic above) with triangles of equal area (Slaney 1998, Auditory
Toolbox); frames of 25 ms every 10 ms, centred, behind a periodic Hann window.
"""

from functools import cache

import numpy as np

from brain_retrieval.models.speech.waveform import RATE

FRAME, HOP, CHANNELS = 400, 160, 40  # samples, samples, mel bands
_LINEAR_HZ, _BREAK_HZ = 200.0 / 3, 1000.0
_STEP = np.log(6.4) / 27.0


def mel_spectrogram(samples: np.ndarray) -> np.ndarray:
    """Return float32 of shape (1 + len(samples) // 160, 40): the power in each mel band every 10 ms."""
    padded = np.pad(samples, FRAME // 2)
    count = 1 + len(samples) // HOP
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP][:count]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    return (power @ _filters().T).astype(np.float32)


@cache
def _filters() -> np.ndarray:
    """Return the weights of the bins in each band, (40, 201)."""
    bins = np.linspace(0, RATE / 2, FRAME // 2 + 1)
    edges = _hertz(np.linspace(_mels(0.0), _mels(RATE / 2), CHANNELS + 2))
    rising = (bins[None] - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins[None]) / np.diff(edges)[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return triangles * (2.0 / (edges[2:] - edges[:-2]))[:, None]


def _mels(hertz: float) -> float:
    if hertz < _BREAK_HZ:
        return hertz / _LINEAR_HZ
    return float(_BREAK_HZ / _LINEAR_HZ + np.log(hertz / _BREAK_HZ) / _STEP)


def _hertz(mels: np.ndarray) -> np.ndarray:
    above = _BREAK_HZ * np.exp(_STEP * (mels - _BREAK_HZ / _LINEAR_HZ))
    return np.where(mels < _BREAK_HZ / _LINEAR_HZ, mels * _LINEAR_HZ, above)
