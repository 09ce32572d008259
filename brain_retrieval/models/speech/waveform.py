"""Reading of 16 kHz mono 16-bit WAV files in windows that fit in memory and are cut in pauses."""

import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RATE = 16_000  # samples a second
_SEARCHED_SECONDS = 60.0  # at the end of a window, searched for a pause
_QUIET_SECONDS = 0.4  # length of the pause to look for
_HOP = RATE // 50


@dataclass(frozen=True)
class Window:
    """A part of a recording: float32 samples in -1..1 and its start in seconds."""

    start: float
    samples: np.ndarray

    @property
    def seconds(self) -> float:
        """Its length in seconds."""
        return len(self.samples) / RATE


def duration_of(sound: Path) -> float:
    """Return the length of a recording in seconds.

    Raises:
        ValueError: not a 16 kHz mono 16-bit WAV.
    """
    with _open(sound) as stream:
        return stream.getnframes() / RATE


def read_samples(sound: Path, start: float = 0.0, end: float | None = None) -> np.ndarray:
    """Return float32 samples in -1..1 between two times in seconds; `end` None: to the end."""
    with _open(sound) as stream:
        first = min(round(start * RATE), stream.getnframes())
        last = stream.getnframes() if end is None else min(round(end * RATE), stream.getnframes())
        stream.setpos(first)
        return _floats(stream.readframes(max(0, last - first)))


def windows(sound: Path, seconds: float) -> Iterator[Window]:
    """Yield a recording in windows of at most `seconds`, each but the last cut in the quietest pause near its end.

    They follow one another without gap or overlap, and each starts at an exact sample.
    """
    most = round(seconds * RATE)
    with _open(sound) as stream:
        total, position = stream.getnframes(), 0
        while position < total:
            stream.setpos(position)
            samples = _floats(stream.readframes(min(most, total - position)))
            if not len(samples):  # the file is shorter than its header says
                return
            if position + len(samples) < total:
                samples = samples[: _quietest(samples)]
            yield Window(position / RATE, samples)
            position += len(samples)


def _quietest(samples: np.ndarray) -> int:
    """Return the middle of the quietest pause in the last minute, or last half, of a window."""
    first = len(samples) - min(len(samples) // 2, round(_SEARCHED_SECONDS * RATE))
    tail = samples[first:]
    frames = len(tail) // _HOP
    if frames < 2:
        return len(samples)
    energy = np.square(tail[: frames * _HOP]).reshape(frames, _HOP).mean(axis=1)
    width = min(frames, round(_QUIET_SECONDS * RATE) // _HOP)
    smooth = np.convolve(energy, np.ones(width) / width, mode="valid")
    # Among equally quiet pauses take the last one, for the longest window.
    quietest = len(smooth) - 1 - int(np.argmin(smooth[::-1]))
    return first + quietest * _HOP + width * _HOP // 2


def _floats(data: bytes) -> np.ndarray:
    return np.frombuffer(data, dtype="<i2").astype(np.float32) / 32768.0


def _open(sound: Path) -> wave.Wave_read:
    try:
        stream = wave.Wave_read(str(sound))
    except (wave.Error, EOFError) as error:
        raise ValueError(f"{sound.name} is no WAV file: {error}") from None
    if (stream.getnchannels(), stream.getsampwidth(), stream.getframerate()) != (1, 2, RATE):
        stream.close()
        raise ValueError(f"{sound.name} is not 16 kHz, mono, 16 bits")
    return stream
