"""Generated videos: coloured scenes with a caption, a tone as sound, and files with wrong headers or damage."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.pipelines.readers.audio.recordings import tone

CODECS = {
    ".mp4": ("libx264", "aac"),
    ".mov": ("libx264", "aac"),
    ".mkv": ("libx264", "aac"),
    ".avi": ("mpeg4", "libmp3lame"),
    ".webm": ("libvpx", "libopus"),
}
# How to encode without taking time over it: the files are larger than they need be.
FAST = {"libx264": {"preset": "ultrafast"}, "libvpx": {"deadline": "realtime", "cpu-used": "8"}}
RATE = 48_000


@dataclass(frozen=True)
class Shot:
    """A scene of a video: a moving square and a caption on a plain background."""

    seconds: float
    colour: str
    caption: str = ""


STORY = (Shot(3, "navy", "Redesign"), Shot(2, "darkred", "Component library"), Shot(3, "darkgreen", "Lisbon"))


def film(
    path: Path,
    shots: Sequence[Shot] = STORY,
    *,
    sound: bool = True,
    size: tuple[int, int] = (320, 180),
    fps: int = 15,
    tags: dict[str, str] | None = None,
    rotation: int = 0,
    still: bool = False,
    options: dict[str, str] | None = None,
) -> Path:
    """Write the shots one after the other, in the container of the suffix."""
    picture_codec, sound_codec = CODECS[path.suffix]
    muxing: dict[str, Any] = {"options": {"movflags": "use_metadata_tags"}} if path.suffix == ".mov" else {}
    with av.open(str(path), "w", **muxing) as container:
        container.metadata.update(tags or {})
        stream = container.add_stream(picture_codec, rate=fps)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.codec_context.thread_count = 1
        stream.options = FAST.get(picture_codec, {}) | (options or {})
        if rotation:
            stream.set_display_rotation(rotation)
        heard = container.add_stream(sound_codec, rate=RATE, layout="mono") if sound else None
        n = 0
        for shot in shots:
            for i in range(round(shot.seconds * fps)):
                frame = av.VideoFrame.from_image(draw(shot, size, 0 if still else i))
                frame.pts, frame.time_base = n, Fraction(1, fps)
                container.mux(stream.encode(frame))
                n += 1
        container.mux(stream.encode(None))
        if heard is not None:
            samples = tone(n / fps, RATE)
            for start in range(0, len(samples), RATE):
                piece = av.AudioFrame.from_ndarray(samples[None, start : start + RATE], format="s16", layout="mono")
                piece.rate, piece.pts, piece.time_base = RATE, start, Fraction(1, RATE)
                container.mux(heard.encode(piece))
            container.mux(heard.encode(None))
    return path


def raw_film(path: Path) -> Path:
    """Write ten uncompressed frames, whose size is only in the container's header."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("rawvideo", rate=5)
        stream.width, stream.height, stream.pix_fmt = 64, 36, "bgr24"
        for n in range(10):
            frame = av.VideoFrame.from_image(draw(STORY[0], (64, 36), n)).reformat(format="bgr24")
            frame.pts, frame.time_base = n, Fraction(1, 5)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def draw(shot: Shot, size: tuple[int, int], step: int = 0) -> Image.Image:
    """Return a frame of a shot."""
    image = _background(shot, size).copy()
    if shot.caption:
        x = (step * 3) % size[0]
        square = [x, size[1] * 3 // 4, x + size[1] // 8, size[1] * 7 // 8]
        ImageDraw.Draw(image).rectangle(square, fill="orange")
    return image


@lru_cache(maxsize=16)
def _background(shot: Shot, size: tuple[int, int]) -> Image.Image:
    image = Image.new("RGB", size, shot.colour)
    if shot.caption:
        font = ImageFont.load_default(size[1] // 6)
        ImageDraw.Draw(image).text((size[0] // 16, size[1] // 4), shot.caption, fill="white", font=font)
    return image


def brightness(path: Path) -> np.ndarray:
    """Return the mean colour of a PNG, RGB."""
    return np.asarray(Image.open(path).convert("RGB"), dtype=float).mean(axis=(0, 1))
