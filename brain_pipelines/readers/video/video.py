"""Reader of videos: key frames as PNG and sound as WAV in the scratch directory, for later recognition; attributes.

Runs in the sandbox's child. The video is decoded once, by one thread, incrementally: frames that no other frame depends
on are skipped, and of a very long video all but the encoder's key frames, which mostly lie at cuts. A damaged video
gives what can be decoded. Subtitle tracks are read if there is no sound; further audio tracks are left out.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.audio.audio import SOUND, write_sound
from brain_pipelines.readers.audio.audio_facts import title_of
from brain_pipelines.readers.containers import branded, chunked, is_iso_media, is_matroska
from brain_pipelines.readers.extracted import AS_DETECTED, Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_pipelines.readers.video.key_frames import HEIGHT, WIDTH, Look, SceneFinder, Still, choose, look_at
from brain_pipelines.readers.video.packets import decoded_frames
from brain_pipelines.readers.video.subtitles import read_subtitles
from brain_pipelines.readers.video.video_facts import MAX_FPS, Film, clock, film_facts, open_film, too_long
from brain_pipelines.readers.video.video_picture import shrink, turn_of, write_picture
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

SAMPLES_A_SECOND = 5.0
# Pixels of all frames together, about two minutes on one core; of a longer video only key frames are decoded.
MAX_DECODED_PIXELS = 40_000_000_000
LISTED_CUTS = 500


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return a video: one block of kind "frame" per key frame with its PNG in `scratch`, and `sound`, its WAV.

    Raises:
        BadInputError: if it cannot be opened, is too long or too large, or nothing in it can be decoded.
    """
    if scratch is None:
        raise ValueError("a video needs a scratch directory")
    repairs: list[str] = []
    with open_film(path, limits) as film:
        attributes = film_facts(film)
        blocks: list[Block] = []
        if film.picture is None:
            repairs.append("no pictures in it, sound alone")
        elif limits.max_frames:
            seen = _Viewing(film, limits)
            blocks = seen.watch(scratch)
            attributes |= seen.attributes
            repairs += seen.repairs
    sound, heard = _sound(path, limits, scratch, repairs)
    attributes["duration_seconds"] = round(max(attributes.get("duration_seconds", 0.0), heard), 3)
    if sound is None:
        blocks = sorted([*blocks, *read_subtitles(path, limits)], key=lambda block: block.start_seconds or 0.0)
    if not blocks and sound is None:
        raise BadInputError("; ".join(["nothing to see or hear in it", *repairs]))
    return Extracted(AS_DETECTED, blocks, title_of(attributes), repairs=repairs, attributes=attributes, sound=sound)


def _sound(path: Path, limits: Limits, scratch: Path, repairs: list[str]) -> tuple[str | None, float]:
    """Write the sound to scratch; return the file's name and its length in seconds. A video may have no sound."""
    with open_film(path, limits) as film:
        if film.sound is None:
            return None, 0.0
        film.sound.codec_context.thread_count = 1
        try:
            sound = write_sound(film.container, film.sound, scratch / SOUND, limits.max_video_seconds)
        except BadInputError as error:
            repairs.append(f"its sound is left out: {error}")
            return None, 0.0
    repairs += [repair for repair in sound.repairs if repair not in repairs]
    return SOUND, sound.seconds


class _Viewing:
    """One pass over the frames of a video."""

    def __init__(self, film: Film, limits: Limits) -> None:
        self._film, self._limits = film, limits
        self._finder = SceneFinder(limits.max_frames)
        self._last = -1.0
        self._turn = 0
        self.repairs: list[str] = []
        self.frames: list[dict[str, Any]] = []  # measured attributes of each
        self.attributes: dict[str, Any] = {}

    def watch(self, scratch: Path) -> list[Block]:
        """Return the chosen frames, their pictures written to `scratch`."""
        due = 0.0
        for frame in self._frames():
            seconds = self._time_of(frame)
            if seconds < due or seconds <= self._last:
                continue
            due = seconds + 0.9 / SAMPLES_A_SECOND
            self._last = seconds
            self._turn = turn_of(frame)
            self._take(seconds, frame)
        self._conclude()
        chosen = choose(self._finder.scenes, self._limits.max_frames)
        return [self._block(n, still, scratch) for n, still in enumerate(chosen, 1)]

    def _take(self, seconds: float, frame: "VideoFrame") -> None:
        look = _look(frame)
        if self._finder.see(seconds, look):
            self._finder.hold(Still(seconds, look, shrink(frame)))

    def _block(self, number: int, still: Still, scratch: Path) -> Block:
        name = f"frame-{number:03}.png"
        seconds = round(still.seconds, 3)
        facts = write_picture(still.picture, self._turn, scratch / name)
        self.frames.append({"seconds": seconds, **facts})
        return Block("", "frame", start_seconds=seconds, picture=name)

    def _time_of(self, frame: "VideoFrame") -> float:
        if frame.time is None:
            return self._last + 1 / SAMPLES_A_SECOND
        seconds = frame.time - self._film.begin
        if seconds > self._limits.max_video_seconds:
            raise BadInputError(too_long(seconds, self._limits))
        return max(0.0, seconds)

    def _frames(self) -> Iterator["VideoFrame"]:
        """Yield the frames that are needed and can be decoded, and record decoding faults."""
        stream, container = self._film.picture, self._film.container
        if stream is None:
            return
        context = stream.codec_context
        context.thread_count = 1
        context.options = {"max_pixels": str(self._limits.max_pixels)}
        rate = min(float(stream.average_rate or 25), MAX_FPS)
        size = context.width * context.height
        context.skip_frame = "NONKEY" if self._film.seconds * rate * size > MAX_DECODED_PIXELS else "NONREF"
        decoded = 0
        for frames in decoded_frames(container, stream, self.repairs, "video"):
            decoded += sum(frame.width * frame.height for frame in frames)
            if decoded > MAX_DECODED_PIXELS:
                context.skip_frame = "NONKEY"
            yield from frames

    def _conclude(self) -> None:
        scenes = self._finder.scenes
        if not scenes:
            self.repairs.append("none of its pictures can be decoded")
            return
        declared = self._film.seconds
        if self._last < 0.9 * declared - 2:
            self.repairs.append(f"the pictures break off at {clock(self._last)} of {clock(declared)}")
        self.attributes = {
            "frames": self.frames,
            "cuts": [round(seconds, 3) for seconds in self._finder.cuts[:LISTED_CUTS]],
        }
        if self._turn:
            self.attributes["rotation"] = self._turn


def _look(frame: "VideoFrame") -> Look:
    return look_at(frame.reformat(WIDTH, HEIGHT, format="rgb24", interpolation="FAST_BILINEAR").to_ndarray())


def _is_quicktime(head: bytes) -> bool:
    old = head[4:8] in (b"moov", b"wide", b"mdat") and head[:2] == b"\0\0"  # old files without a brand
    return old or branded(b"qt  ")(head)


def _sound_or_film(path: Path, head: bytes) -> str:
    """Return "m4a" if all tracks of an MP4 are audio; the track list (moov) is at the beginning or the end."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 20)))
        seen = head + file.read(1 << 20)
    return "m4a" if b"moov" in seen and b"soun" in seen and b"vide" not in seen else "mp4"


def _is_mpeg_stream(head: bytes) -> bool:
    return head[0] == 0x47 and len(head) > 376 and head[188] == head[376] == 0x47 and not is_iso_media(head)


_film = partial(
    Format,
    family="video",
    read=Isolated(read_file, ("av", "cv2", "numpy"), seconds=lambda limits: limits.media_seconds),
)
# Order matters: MP4 matches all other brands, and Matroska matches WebM too. Any of them may hold audio only.
FORMATS: tuple[Format, ...] = (
    _film("mov", "video/quicktime", "a QuickTime video", suffixes=(".mov",), structure=_is_quicktime),
    _film(
        "mp4",
        "video/mp4",
        "an MP4 video",
        suffixes=(".mp4", ".m4v"),
        structure=is_iso_media,
        narrow=_sound_or_film,
    ),
    _film(
        "webm",
        "video/webm",
        "a WebM video",
        suffixes=(".webm",),
        structure=lambda head: is_matroska(head) and b"webm" in head[:64],
    ),
    _film("mkv", "video/x-matroska", "a Matroska video", suffixes=(".mkv",), structure=is_matroska),
    _film("avi", "video/x-msvideo", "an AVI video", suffixes=(".avi",), structure=chunked(b"AVI ")),
    _film(
        "asf",
        "video/x-ms-asf",
        "a Windows Media recording",
        suffixes=(".wmv", ".wma"),
        magic=(b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",),
    ),
    _film(
        "mpeg",
        "video/mpeg",
        "an MPEG video",
        suffixes=(".mpg", ".mpeg"),
        magic=(b"\0\0\x01\xba", b"\0\0\x01\xb3"),
        structure=_is_mpeg_stream,
    ),
    _film("flv", "video/x-flv", "a Flash video", suffixes=(".flv",), magic=(b"FLV\x01",)),
)
