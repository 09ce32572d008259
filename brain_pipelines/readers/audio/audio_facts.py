"""Metadata of a recording: length, codec, tags, creation time. No audio is decoded here.

Runs in the sandbox's child: `read_file` is the fast look that `locate` takes; `audio.py` reads the whole file.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.video.stream import VideoStream

# Audio and video containers. Other demuxers are forbidden: a playlist could make the library open other files.
CONTAINERS = "wav,w64,mp3,flac,ogg,mov,aac,amr,aiff,asf,matroska,webm,caf,avi,mpeg,flv"
MAX_TAG_CHARS, MAX_TAGS = 500, 40
_CREATED = ("com.apple.quicktime.creationdate", "creation_time", "date", "origination_date", "year")
_TITLES = ("title", "com.apple.quicktime.title", "icmt")
_TECHNICAL = re.compile(
    r"major_brand|minor_version|compatible_brands|encoder|handler|vendor|language|iTun|duration|_statistics", re.I
)


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the metadata of a recording: attributes and title, no blocks.

    Raises:
        BadInputError: if it cannot be opened, or has no audio.
    """
    with open_sound(path, limits) as (container, stream):
        attributes = facts_of(container, stream)
    return Extracted(AS_DETECTED, [], title_of(attributes), attributes=attributes)


@contextmanager
def open_sound(path: Path, limits: Limits) -> Iterator[tuple["InputContainer", "AudioStream"]]:
    """Open a recording and its first audio stream.

    Raises:
        BadInputError: if it is too large, damaged, of an unknown kind, or without audio.
    """
    import av
    from av.error import FFmpegError

    size = path.stat().st_size
    if size > limits.max_media_bytes:
        raise BadInputError(f"too large: {size} bytes, the limit is {limits.max_media_bytes} (limits.max_media_bytes)")
    options = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
    try:
        container = av.open(str(path), options=options, metadata_errors="replace")
    except (FFmpegError, ValueError) as error:
        raise BadInputError(f"the recording cannot be opened: {open_reason(error)}") from None
    with container:
        if not container.streams.audio:
            raise BadInputError("no sound in it")
        yield container, container.streams.audio[0]


def facts_of(container: "InputContainer", stream: "AudioStream") -> dict[str, Any]:
    """Return duration_seconds, codec, sample_rate, channels, bit_rate, tags and recorded_at, as far as known."""
    facts: dict[str, Any] = {
        "duration_seconds": declared_seconds(container, stream),
        "codec": stream.codec_context.name,
        "sample_rate": stream.codec_context.sample_rate,
        "channels": stream.codec_context.channels,
        "bit_rate": stream.bit_rate or container.bit_rate,
        **tag_facts({**stream.metadata, **container.metadata}),
    }
    return {key: value for key, value in facts.items() if value}


def declared_seconds(container: "InputContainer", stream: "AudioStream | VideoStream") -> float | None:
    """Return the length in the file's header, in seconds; None if there is none."""
    if stream.duration and stream.time_base:
        return round(float(stream.duration * stream.time_base), 3)
    return round(container.duration / 1_000_000, 3) if container.duration else None


def title_of(attributes: Mapping[str, Any]) -> str:
    """Return the title among a recording's tags, "" if there is none."""
    tags = attributes.get("tags", {})
    return next((" ".join(tags[key].split()) for key in _TITLES if tags.get(key, "").strip()), "")


def tag_facts(found: Mapping[str, str]) -> dict[str, Any]:
    """Return recorded_at and tags from the metadata of a container and its streams."""
    tags = _tags(found)
    shown = {key: value for key, value in tags.items() if not _TECHNICAL.search(key)}
    return {"recorded_at": _recorded(tags), "tags": shown}


def _tags(found: Mapping[str, str]) -> dict[str, str]:
    pairs = list(found.items())[:MAX_TAGS]
    return {key.lower()[:80]: value.strip()[:MAX_TAG_CHARS] for key, value in pairs if value.strip()}


def _recorded(tags: Mapping[str, str]) -> str | None:
    """Return the recording time as written; a year alone is skipped, being a year of publication."""
    found = next((tags[key] for key in _CREATED if len(tags.get(key, "")) > 4), None)
    if found and found == tags.get("origination_date") and "origination_time" in tags:
        return f"{found} {tags['origination_time']}"
    return found


def open_reason(error: Exception) -> str:
    """Return a readable reason why the library cannot open a file."""
    reason = getattr(error, "strerror", None) or str(error)
    return "it is damaged or cut off" if "Invalid data" in reason or "End of file" in reason else reason[:160]


AUDIO_FACTS = Isolated(read_file, ("av",))
