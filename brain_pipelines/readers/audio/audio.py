"""Reader of audio files: the common containers and codecs of FFmpeg → one mono 16 kHz WAV in the scratch directory.

Runs in the sandbox's child. The first audio stream is decoded incrementally, so memory does not grow with its length.
The declared length is checked first, the decoded length while decoding. A damaged recording gives what can be decoded.
Other streams and embedded covers are left out.
"""

import wave
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from brain_pipelines.readers.audio.audio_facts import declared_seconds, facts_of, open_sound, title_of
from brain_pipelines.readers.containers import branded, chunked, synced
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.video.packets import decoded_frames
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.audio.resampler import AudioResampler
    from av.audio.stream import AudioStream
    from av.container import InputContainer

RATE = 16_000
SOUND = "sound.wav"
GAP_SECONDS = 0.5  # of missing sound, from which on silence stands for it
_SILENCE = bytes(2 * RATE)
_LEVELS = {"uint8": (128.0, 128.0), "int16": (0.0, 32768.0), "int32": (0.0, 2147483648.0)}  # middle and full scale


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return a recording with its WAV in `scratch`, not yet transcribed: no blocks, metadata as attributes.

    Raises:
        BadInputError: if it cannot be opened, has no audio, is too long or too large.
    """
    if scratch is None:
        raise ValueError("a recording needs a scratch directory")
    with open_sound(path, limits) as (container, stream):
        attributes = facts_of(container, stream)
        sound = write_sound(container, stream, scratch / SOUND, limits.max_audio_seconds)
    attributes["duration_seconds"] = round(sound.seconds, 3)
    repairs = sound.repairs
    return Extracted(AS_DETECTED, [], title_of(attributes), repairs=repairs, attributes=attributes, sound=SOUND)


@dataclass
class Sound:
    """A WAV file being written: its length so far, and the faults found while decoding."""

    output: wave.Wave_write
    most: float  # seconds
    seconds: float = 0.0
    repairs: list[str] = field(default_factory=list)

    def add(self, data: bytes) -> None:
        """Append samples; raise BadInputError when the recording gets too long."""
        self.seconds += len(data) / 2 / RATE
        if self.seconds > self.most:
            raise BadInputError(_too_long("longer", self.most))
        self.output.writeframesraw(data)

    def pad(self, until: float) -> None:
        """Append silence up to a time in seconds."""
        missing = round((until - self.seconds) * RATE)
        while missing > 0:
            self.add(_SILENCE[: 2 * missing])
            missing -= RATE


def write_sound(container: "InputContainer", stream: "AudioStream", target: Path, most: float) -> Sound:
    """Write a stream to `target` as 16 kHz mono 16-bit WAV, with gaps in the container's time stamps as silence.

    Args:
        container: of the stream, at its start.
        stream: the sound.
        target: the WAV to write.
        most: maximum length in seconds, declared or decoded.

    Raises:
        BadInputError: if it is too long, or nothing of it can be decoded.
    """
    declared = declared_seconds(container, stream) or 0.0
    if declared > most:
        raise BadInputError(_too_long(_clock(declared), most))
    with wave.open(str(target), "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        sound = Sound(output, most)
        begin = (container.start_time or 0) / 1_000_000
        resampler = None
        for frame in map(_mono, _frames(container, stream, sound)):
            place = frame.time - begin if frame.time is not None else sound.seconds
            # A jump in time is filled with silence only within the declared length; beyond it, the time stamp is wrong.
            if place - sound.seconds > GAP_SECONDS and place <= declared:
                sound.pad(place)
            resampler = _add(frame, resampler, sound)
        if resampler is not None:
            _flush(resampler, sound)
    if not sound.seconds:
        raise BadInputError("nothing in it can be decoded as sound")
    if sound.seconds < 0.9 * declared - 1:
        sound.repairs.append(f"the recording breaks off at {_clock(sound.seconds)} of {_clock(declared)}")
    return sound


def _frames(container: "InputContainer", stream: "AudioStream", sound: Sound) -> Iterator["AudioFrame"]:
    """Yield the frames that can be decoded, and count those that cannot."""
    for frames in decoded_frames(container, stream, sound.repairs, "recording"):
        yield from frames


def _add(frame: "AudioFrame", resampler: "AudioResampler | None", sound: Sound) -> "AudioResampler":
    """Convert a frame and append it; sample rate and channels may change within a recording."""
    from av.audio.resampler import AudioResampler

    try:
        resampler = resampler or AudioResampler(format="s16", layout="mono", rate=RATE)
        _append(resampler.resample(frame), sound)
    except ValueError:
        if resampler is not None:
            _flush(resampler, sound)
        resampler = AudioResampler(format="s16", layout="mono", rate=RATE)
        _append(resampler.resample(frame), sound)
    return resampler


def _flush(resampler: "AudioResampler", sound: Sound) -> None:
    _append(resampler.resample(None), sound)


def _mono(frame: "AudioFrame") -> "AudioFrame":
    """Return the mean of the channels if there are more than two, because the layout of the microphones is unknown."""
    import av
    import numpy as np

    channels = frame.layout.nb_channels
    if channels <= 2:
        return frame
    found = frame.to_ndarray()
    samples = found if frame.format.is_planar else found.reshape(-1, channels).T
    middle, scale = _LEVELS.get(samples.dtype.name, (0.0, 1.0))
    mean = ((samples.mean(axis=0) - middle) / scale).astype(np.float32)
    mono = av.AudioFrame.from_ndarray(mean[None], format="flt", layout="mono")
    mono.sample_rate, mono.pts, mono.time_base = frame.sample_rate, frame.pts, frame.time_base
    return mono


def _append(frames: "list[AudioFrame]", sound: Sound) -> None:
    for frame in frames:
        sound.add(frame.to_ndarray().tobytes())


def _too_long(length: str, most: float) -> str:
    return f"too long: {length}, the limit is {_clock(most)} (limits.max_audio_seconds)"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


# Decoding hours of sound takes longer than parsing a page.
READ = Isolated(read_file, ("av", "numpy"), seconds=lambda limits: limits.media_seconds)
_sound = partial(Format, family="audio", read=READ)
FORMATS: tuple[Format, ...] = (
    _sound("wav", "audio/wav", "a WAV recording", suffixes=(".wav",), structure=chunked(b"WAVE")),
    _sound(
        "mp3",
        "audio/mpeg",
        "an MP3 recording",
        suffixes=(".mp3",),
        magic=(b"ID3",),
        structure=synced(0xFB, 0xF3, 0xF2, 0xFA, least=2),
    ),
    _sound("flac", "audio/flac", "a FLAC recording", suffixes=(".flac",), magic=(b"fLaC",)),
    _sound("ogg", "audio/ogg", "an Ogg recording", suffixes=(".ogg", ".opus"), magic=(b"OggS",)),
    _sound("m4a", "audio/mp4", "an M4A recording", suffixes=(".m4a",), structure=branded(b"m4a ", b"m4b ")),
    _sound(
        "aac",
        "audio/aac",
        "an AAC recording",
        suffixes=(".aac",),
        structure=synced(0xF0, 0xF1, 0xF8, 0xF9, least=6),
    ),
    _sound("aiff", "audio/aiff", "an AIFF recording", suffixes=(".aiff",), structure=chunked(b"AIFF", b"AIFC")),
    _sound("amr", "audio/amr", "an AMR recording", suffixes=(".amr",), magic=(b"#!AMR",)),
    _sound("caf", "audio/x-caf", "a Core Audio recording", suffixes=(".caf",), magic=(b"caff",)),
)
