"""Which source type a file belongs to when nobody says: by its format, and where that leaves it open by its name."""

import re
import zipfile
from pathlib import Path

from brain_pipelines.readers.detect import detect_format

BY_FORMAT = {
    **dict.fromkeys(("eml", "msg", "mbox"), "email"),
    "ics": "calendar",
    **dict.fromkeys(("png", "jpeg", "gif", "webp", "tiff", "bmp", "heic", "avif", "svg", "ico", "jp2"), "image"),
    **dict.fromkeys(("wav", "mp3", "flac", "ogg", "m4a", "aac", "aiff", "amr", "caf"), "voice-memo"),
    **dict.fromkeys(("mp4", "mov", "avi", "mkv", "webm", "mpeg", "flv"), "video"),
    **dict.fromkeys(("vtt", "srt"), "meeting"),
    **dict.fromkeys(("warc", "mhtml"), "web-page"),
    **dict.fromkeys(("text", "markdown"), "note"),
}
# A picture or recording does not say what it is of; people and devices put it into the name.
BY_NAME = (
    (re.compile(r"screen ?shot|screen[-_ ]?capture|bildschirmfoto|captura", re.I), "image", "screenshot"),
    (re.compile(r"meeting|standup|interview|zoom|teams|sync", re.I), "voice-memo", "meeting"),
)
DOCUMENT_SUFFIXES = (".html", ".htm", ".csv", ".tsv", ".org", ".rst")
# What a JSON value says it is, at its beginning; and what only the transcript of an agent holds.
BY_TYPE = {
    b"agent-note": "agent-note",
    b"agent_note": "agent-note",
    b"agent_output": "agent-output",
    b"user_input": "message",
    b"capture": "message",
    b"slack-thread": "slack-thread",
    b"slack_thread": "slack-thread",
}
TYPE = re.compile(rb'\s*\{[^{\[]{0,500}?"type"\s*:\s*"([\w-]{1,40})"')
AGENT_TYPES = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result|function_call|function_call_output|response_item)"')
CHAT_KEYS = re.compile(rb'"(?:messages|chat_messages|mapping|conversations|turns)"\s*:')


def choose_source(path: Path) -> str:
    """Return the name of the source type for the file at `path`. Reads at most 64 kB, and the directory of a zip."""
    detected = detect_format(path).format
    if detected == "zip" and _is_slack_export(path):
        return "slack-thread"
    if detected in ("json", "jsonl"):
        with path.open("rb") as file:
            return _of_json(file.read(1 << 16), detected)
    chosen = BY_FORMAT.get(detected, "document")
    if chosen == "note" and path.suffix.lower() in DOCUMENT_SUFFIXES:
        return "document"  # a piece of one, whose bytes alone do not say so
    return next((other for name, usual, other in BY_NAME if usual == chosen and name.search(path.name)), chosen)


def _of_json(head: bytes, detected: str) -> str:
    said = TYPE.match(head)
    if detected == "json" and said and said[1] in BY_TYPE:
        return BY_TYPE[said[1]]
    if detected == "jsonl":
        return "agent-output" if AGENT_TYPES.search(head) else "conversation"
    return "conversation" if CHAT_KEYS.search(head) else "document"


def _is_slack_export(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist()[:10_000])
    except Exception:  # zipfile lets errors of four compression libraries through
        return False
    return "users.json" in names and bool(names & {"channels.json", "groups.json", "dms.json", "mpims.json"})
