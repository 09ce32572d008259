"""Text subtitles inside a video, read if it has no sound: one block per line, with seconds. Runs in the child."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from brain_pipelines.readers.extracted import Block
from brain_pipelines.readers.video.video_facts import Film, open_film
from brain_retrieval.settings import Limits

if TYPE_CHECKING:
    from av.subtitles.stream import SubtitleStream

TEXT_CODECS = ("mov_text", "subrip", "ass", "ssa", "webvtt", "text")
MAX_LINES = 20_000
_STYLE = re.compile(r"\{\\[^{}]*\}")


def read_subtitles(path: Path, limits: Limits) -> list[Block]:
    """Return the lines of the first text subtitle track of a video as blocks of kind "speech", [] if it has none."""
    with open_film(path, limits) as film:
        texts = (s for s in film.container.streams.subtitles if s.codec_context.name in TEXT_CODECS)
        stream = next(texts, None)
        return _lines(film, stream) if stream is not None else []


def _lines(film: Film, stream: "SubtitleStream") -> list[Block]:
    from av.error import FFmpegError

    found: list[Block] = []
    packets = film.container.demux(stream)
    while len(found) < MAX_LINES:
        try:
            packet = next(packets, None)
            if packet is None:
                break
            subtitles = packet.decode()
        except FFmpegError:
            continue
        if packet.pts is None or packet.time_base is None:
            continue
        start = float(packet.pts * packet.time_base) - film.begin
        end = start + float((packet.duration or 0) * packet.time_base)
        for subtitle in subtitles:
            text = _text(getattr(subtitle, "dialogue", b"") or getattr(subtitle, "ass", b""))
            if text:
                found.append(Block(text, "speech", start_seconds=round(start, 3), end_seconds=round(end, 3)))
    return found


def _text(written: bytes | str) -> str:
    text = written.decode("utf-8", "replace") if isinstance(written, bytes) else written
    return " ".join(_STYLE.sub("", text).replace("\\N", " ").replace("\\n", " ").split())
