"""Generated recordings: a tone in every container and codec, and files with wrong headers or damage."""

import struct
import wave
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

CODECS = {
    "a.wav": "pcm_s16le",
    "a.mp3": "libmp3lame",
    "a.flac": "flac",
    "a.ogg": "libopus",
    "a.opus": "libopus",
    "a.m4a": "aac",
    "a.aac": "aac",
    "a.aiff": "pcm_s16be",
    "a.wma": "wmav2",
    "a.mka": "flac",
    "a.webm": "libopus",
    "a.caf": "pcm_s16le",
}


def tone(seconds: float, rate: int = 48_000) -> np.ndarray:
    """Return int16 samples of a quiet 440 Hz tone."""
    return (3000 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)).astype(np.int16)


def record(
    path: Path, seconds: float = 2.0, *, codec: str = "", tags: dict[str, str] | None = None, rate: int = 48_000
) -> Path:
    """Write a mono tone in the container that the suffix names."""
    options: dict[str, Any] = {"options": {"movflags": "use_metadata_tags"}} if path.suffix == ".m4a" else {}
    with av.open(str(path), "w", **options) as container:
        container.metadata.update(tags or {})
        stream = container.add_stream(codec or CODECS["a" + path.suffix], rate=rate, layout="mono")
        stream.bit_rate = 64_000
        samples = tone(seconds, rate)
        for start in range(0, len(samples), rate):
            frame = av.AudioFrame.from_ndarray(samples[None, start : start + rate], format="s16", layout="mono")
            frame.rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def wav(path: Path, samples: np.ndarray, *, rate: int = 16_000, channels: int = 1) -> Path:
    """Write int16 samples as a plain WAV."""
    with wave.open(str(path), "wb") as output:
        output.setparams((channels, 2, rate, 0, "NONE", ""))
        output.writeframes(samples.astype("<i2").tobytes())
    return path


def lying_wav(path: Path, *, claimed: float, real: float, rate: int = 16_000) -> Path:
    """Write a WAV whose header declares another length than the real one, in seconds."""
    data = tone(real, rate).tobytes()
    size = round(claimed * rate) * 2
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16, b"data", size
    )
    path.write_bytes(header + data)
    return path


def lying_mp3(path: Path, *, claimed: float, real: float = 0.5) -> Path:
    """Write an MP3 whose Xing header declares the frames of `claimed` seconds."""
    data = bytearray(record(path, real).read_bytes())
    at = max(data.find(b"Xing"), data.find(b"Info"))
    struct.pack_into(">I", data, at + 8, round(claimed * 48_000 / 1152))
    path.write_bytes(bytes(data))
    return path
