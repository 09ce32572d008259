"""Metadata of a video: length, size, codecs, rotation, chapters, tags. No frame is decoded here.

Runs in the sandbox's child: `read_file` is the fast look that `locate` takes; `video.py` reads the whole file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.audio.audio_facts import CONTAINERS, declared_seconds, open_reason, tag_facts
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.video.stream import VideoStream

MAX_CHAPTERS = 500
MAX_FPS = 1000.0  # a higher declared value is wrong


@dataclass(frozen=True)
class Film:
    """An open video: its first video stream and its first audio stream, None where it has none."""

    container: "InputContainer"
    picture: "VideoStream | None"
    sound: "AudioStream | None"

    @property
    def begin(self) -> float:
        """Return the container's first time stamp in seconds, the origin of all times in the video."""
        return (self.container.start_time or 0) / 1_000_000

    @property
    def seconds(self) -> float:
        """Return the declared length in seconds, 0 if there is none."""
        streams = [stream for stream in (self.picture, self.sound) if stream is not None]
        return max((declared_seconds(self.container, stream) or 0.0 for stream in streams), default=0.0)


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the metadata of a video: attributes, no blocks.

    Raises:
        BadInputError: if it cannot be opened, or has neither video nor audio.
    """
    with open_film(path, limits) as film:
        attributes = film_facts(film)
    return Extracted(AS_DETECTED, [], attributes=attributes)


@contextmanager
def open_film(path: Path, limits: Limits) -> Iterator[Film]:
    """Open a video.

    Raises:
        BadInputError: if it is too large in bytes or pixels, too long, damaged, of an unknown kind, or without streams.
    """
    import av
    from av.error import FFmpegError

    size = path.stat().st_size
    if size > limits.max_media_bytes:
        raise BadInputError(f"too large: {size} bytes, the limit is {limits.max_media_bytes} (limits.max_media_bytes)")
    options = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file", "max_pixels": str(limits.max_pixels)}
    try:
        container = av.open(str(path), options=options, metadata_errors="replace")
    except (FFmpegError, ValueError) as error:
        raise BadInputError(f"the video cannot be opened: {open_reason(error)}") from None
    with container:
        moving = [stream for stream in container.streams.video if not _is_cover(stream)]
        film = Film(container, next(iter(moving), None), next(iter(container.streams.audio), None))
        if film.picture is None and film.sound is None:
            raise BadInputError("neither pictures nor sound in it")
        _check(film, limits)
        yield film


def _is_cover(stream: "VideoStream") -> bool:
    from av.stream import Disposition

    return bool(stream.disposition & Disposition.attached_pic)


def _check(film: Film, limits: Limits) -> None:
    if film.seconds > limits.max_video_seconds:
        raise BadInputError(too_long(film.seconds, limits))
    if film.picture is None:
        return
    width, height = film.picture.codec_context.width, film.picture.codec_context.height
    if width * height > limits.max_pixels:
        raise BadInputError(
            f"too large: {width} × {height} pixels, the limit is {limits.max_pixels} (limits.max_pixels)"
        )


def too_long(seconds: float, limits: Limits) -> str:
    """Return the reason for refusing a video of that length."""
    return f"too long: {clock(seconds)}, the limit is {clock(limits.max_video_seconds)} (limits.max_video_seconds)"


def clock(seconds: float) -> str:
    """Format a time in a recording: 0:07, 12:30, 1:02:03."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def film_facts(film: Film) -> dict[str, Any]:
    """Return duration_seconds, width, height, fps, codecs, recorded_at, tags and chapters, as far as known."""
    streams = [stream for stream in (film.picture, film.sound) if stream is not None]
    written = {key: value for stream in reversed(streams) for key, value in stream.metadata.items()}
    facts: dict[str, Any] = {
        "duration_seconds": round(film.seconds, 3),
        **tag_facts({**written, **film.container.metadata}),
    }
    facts["codecs"] = [stream.codec_context.name for stream in streams]
    facts["chapters"] = _chapters(film)
    if film.picture is not None:
        context = film.picture.codec_context
        rate = float(film.picture.average_rate or 0)
        facts |= {"width": context.width, "height": context.height}
        facts["fps"] = round(rate, 3) if 0 < rate <= MAX_FPS else None
    return {key: value for key, value in facts.items() if value}


def _chapters(film: Film) -> list[dict[str, Any]]:
    found = []
    for chapter in film.container.chapters()[:MAX_CHAPTERS]:
        base = float(chapter["time_base"] or 0)
        title = str(chapter["metadata"].get("title", ""))[:200]
        found.append({"start_seconds": round(chapter["start"] * base - film.begin, 3), "title": title})
    return found


VIDEO_FACTS = Isolated(read_file, ("av",))
