"""Parsing of a user's message, or a capture of a device, in JSON: its text, and the media inside it as bytes.

Media come as data URLs or base64 in content blocks as of Anthropic's or OpenAI's API. URLs of media are mentioned in
the text and never fetched.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any
from urllib.parse import unquote_to_bytes

from brain_pipelines.readers.chat.chat_message import SESSION_KEYS, TEXT_KEYS, TIME_KEYS
from brain_pipelines.readers.event_time import parse_time
from brain_retrieval.errors import BadInputError

MAX_DEPTH = 10
MEDIA_TYPES = ("image", "audio", "video", "document", "screenshot")
USER_KEYS = ("userId", "user_id")
NAME_KEYS = ("filename", "fileName", "file_name", "name", "title")
# Fields of a block that may hold its bytes, as text or in a nested object.
_DATA_KEYS = ("data", "file_data", "base64", "url", "image_url", "file", "source", "input_audio", "content", "image")
_HOLDERS = ("source", "file", "input_audio")  # if these are strings, they are a name or an origin
_LISTS = ("attachments", "images", "audio", "video", "files", "documents")
_BYTES = ("image", "audio", "video", "file")
_TYPE_KEYS = ("media_type", "mediaType", "mimeType", "mime_type", "mime", "format")
_DATA_URL = re.compile(r"data:([\w.+/-]{0,100})((?:;[\w.=+\"-]{1,100})*?)(;base64)?,", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/_=\s-]*")
_SUFFIXES = {"jpeg": "jpg", "plain": "txt", "markdown": "md", "mpeg": "mp3", "quicktime": "mov", "x-wav": "wav"}
_CAPTURE_KEYS = ("source", "capturedAt", "format", "dimensions", "duration", "deviceInfo")


@dataclass(frozen=True)
class Media:
    """One picture, recording or document inside an envelope. `kind` is the envelope's term for it."""

    name: str
    kind: str
    content: bytes


@dataclass(frozen=True)
class Envelope:
    """The parsed file of one message. `attributes` are plain JSON values; a capture has media and no text."""

    text: str
    media: list[Media]
    time: datetime | None = None  # aware UTC
    speaker: str | None = None
    capture: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_envelope(value: Any, zone: tzinfo, most: int) -> Envelope:
    """Return the message or capture in a JSON value.

    Args:
        value: {type: "user_input", content, …}, {type: "capture", mediaType, content, …}, or only the content.
        zone: the user's, for times without an offset.
        most: maximum number of media in one message.

    Raises:
        BadInputError: if it has no content, or more media than allowed.
    """
    outer = value if isinstance(value, Mapping) else {"content": value}
    inner = outer.get("raw_content")
    outer = {**outer, **(inner if isinstance(inner, Mapping) else {})}
    reader = _Reader(most)
    if outer.get("type") == "capture":
        return _capture(outer, reader, zone)
    content = next((outer[key] for key in TEXT_KEYS if outer.get(key)), outer if outer.get("type") == "text" else None)
    text = "\n".join(line for line in (*reader.words(content), *reader.beside(outer)) if line)
    if not text:
        raise BadInputError("; ".join(["no content in the message", *reader.problems[:3]]))
    found = {"session_id": _text(outer, *SESSION_KEYS), "user_id": _text(outer, *USER_KEYS)}
    return Envelope(
        text=text,
        media=reader.media,
        time=next((time for key in TIME_KEYS if (time := parse_time(outer.get(key), zone))), None),
        speaker=_text(outer, "speaker", "userName", "user_name") or None,
        attributes={key: one for key, one in found.items() if one},
        problems=reader.problems,
    )


def _capture(outer: Mapping[str, Any], reader: "_Reader", zone: tzinfo) -> Envelope:
    """Return a capture: its one medium, with its metadata as attributes."""
    given = outer.get("metadata")
    meta = given if isinstance(given, Mapping) else {}
    kind = _text(outer, "mediaType", "media_type")
    if kind not in MEDIA_TYPES:
        raise BadInputError(f"Unsupported media type: {kind[:40] or 'none given'}; known: {', '.join(MEDIA_TYPES)}")
    content = outer.get("content")
    reader.take(content, kind, _text(outer, *NAME_KEYS), _text(meta, "format"))
    if not reader.media:
        raise BadInputError("; ".join(["no content in the capture", *reader.problems[:1]]))
    found = {"capture_id": _text(outer, "captureId", "capture_id"), "media_type": kind}
    found |= {key: _bounded(meta[key]) for key in _CAPTURE_KEYS if meta.get(key)}
    time = parse_time(meta.get("capturedAt"), zone)
    time = time or next((t for key in TIME_KEYS if (t := parse_time(outer.get(key), zone))), None)
    return Envelope("", reader.media, time, None, True, {key: one for key, one in found.items() if one})


class _Reader:
    """Walks through a content: text is returned, media are collected."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.media: list[Media] = []
        self.problems: list[str] = []

    def words(self, content: Any, depth: int = 0, name: str = "") -> Iterator[str]:
        """Yield the texts of a content in order, with a mention in the place of each medium."""
        if isinstance(content, str):
            found = content.strip()
            yield self.take(found, name or "file") if found.startswith("data:") or name in _BYTES else found
        elif isinstance(content, list) and depth < MAX_DEPTH:
            for part in content:
                yield from self.words(part, depth + 1, name)
        elif isinstance(content, Mapping) and depth < MAX_DEPTH:
            yield from self._block(content, depth, name)

    def _block(self, block: Mapping[str, Any], depth: int, name: str) -> Iterator[str]:
        kind = _text(block, "type", "mediaType") or name
        text = block.get("text")
        if isinstance(text, str | list | Mapping) and text:
            yield from self.words(text, depth + 1)
        data = self._data(block)
        if data is not None and (kind not in ("", "text") or not text):
            mime = next((found for place in _nested(block) if (found := _text(place, *_TYPE_KEYS))), "")
            named = next((found for place in _nested(block) if (found := _text(place, *NAME_KEYS))), "")
            yield self.take(data, kind or "file", named, mime)
        elif not text and isinstance(block.get("content"), str | list | Mapping):
            yield from self.words(block["content"], depth + 1, name)
        yield from self.beside(block, depth)

    def beside(self, block: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
        """Yield the mentions of media that are listed by kind beside a text."""
        for key in _LISTS:
            if isinstance(block.get(key), str | list | Mapping):
                yield from self.words(block[key], depth + 1, key.rstrip("s"))

    def _data(self, block: Mapping[str, Any]) -> Any:
        plain = _text(block, "type") in ("", "text", "user_input")
        for place in _nested(block):
            for key in _DATA_KEYS:
                found = place.get(key)
                buffer = isinstance(found, list) and found and isinstance(found[0], int)
                text = isinstance(found, str) and found and key not in _HOLDERS
                if buffer or (text and not (plain and key == "content")):
                    return found
        return None

    def take(self, data: Any, kind: str, name: str = "", mime: str = "") -> str:
        """Collect one medium and return its mention in the text; "" if it is empty."""
        kind = kind.replace("input_", "").replace("_url", "")[:40]
        if isinstance(data, str) and re.match(r"[a-z][a-z0-9+.-]{1,20}://", data):
            return f"[{kind}: {data[:500]}]"
        try:
            content, declared = _decoded(data)
        except (ValueError, binascii.Error) as error:
            self.problems.append(f"{kind} left out: {str(error)[:100]}")
            return ""
        if len(self.media) >= self.most:
            raise BadInputError(f"more than {self.most} media in one message")
        name = _file_name(name) or f"{kind}-{len(self.media) + 1}.{_suffix(declared or mime)}".rstrip(".")
        self.media.append(Media(name, kind, content))
        return f"[{kind}: {name}]"


def _nested(block: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a block and its nested objects that may hold the bytes, two levels deep."""
    yield block
    for key in _DATA_KEYS:
        inner = block.get(key)
        if isinstance(inner, Mapping):
            yield inner
            yield from (deeper for k in _DATA_KEYS if isinstance(deeper := inner.get(k), Mapping))


def _decoded(data: Any) -> tuple[bytes, str]:
    """Return the bytes of a data URL or of base64, and the media type stated in the data URL.

    Node.js serialises a buffer as a list of byte values: {"type": "Buffer", "data": [137, 80, …]}.
    """
    if isinstance(data, Mapping):
        data = data.get("data")
    if isinstance(data, list) and data and all(isinstance(one, int) and 0 <= one < 256 for one in data):
        return bytes(data), ""
    if not isinstance(data, str) or not data.strip():
        raise ValueError("no data")
    declared = ""
    if match := _DATA_URL.match(data.lstrip()):
        declared, rest = match[1], data.lstrip()[match.end() :]
        if not match[3]:
            return unquote_to_bytes(rest), declared
        data = rest
    if not _BASE64.fullmatch(data):
        raise ValueError("neither base64 nor a data URL")
    plain = "".join(data.split()).rstrip("=").replace("-", "+").replace("_", "/")
    content = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    if not content:
        raise ValueError("no data")
    return content, declared


def _suffix(mime: str) -> str:
    part = re.sub(r"[^a-z0-9-]", "", mime.lower().split(";")[0].rpartition("/")[2].split("+")[0])[:12]
    return _SUFFIXES.get(part, part)


def _file_name(name: str) -> str:
    return "".join(char for char in re.split(r"[/\\]", name)[-1] if char.isprintable())[:120].strip(" .")


def _bounded(value: Any) -> Any:
    """Return metadata unchanged if they are small, else shortened to a string."""
    return value if isinstance(value, bool | int | float) else str(value)[:300] if not _flat(value) else value


def _flat(value: Any) -> bool:
    if isinstance(value, Mapping):
        return len(value) < 20 and all(isinstance(one, str | int | float) for one in value.values())
    return isinstance(value, str) and len(value) < 300


def _text(value: Any, *keys: str) -> str:
    values = (value.get(key) for key in keys) if isinstance(value, Mapping) else ()
    found = (str(one) for one in values if isinstance(one, str | int) and not isinstance(one, bool))
    return next((" ".join(one.split())[:300] for one in found if one.strip()), "")
