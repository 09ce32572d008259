"""message: a user's message, the media inside it, captures, and invalid envelopes."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_pipelines.readers.contract import Delivery, Item
from brain_pipelines.readers.detect import format_of_bytes
from brain_pipelines.sources import message
from brain_retrieval.settings import Limits
from tests.samples.making import png
from tests.samples.taking import MTIME, RECEIVED, Taken, take, take_one

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
PICTURE = base64.b64encode(png()).decode()
TABLE = base64.b64encode(b"name,hours,rate\nAnn,3,20\nBob,5,18\n").decode()


def write(tmp_path: Path, value: Any, name: str = "m.json") -> Path:
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def sent(content: Any, **more: Any) -> dict[str, Any]:
    more = {"userId": "u1", "sessionId": "s1", "timestamp": AT.isoformat(), **more}
    return {"type": "user_input", "content": content, **more}


def items(path: Path, limits: Limits | None = None, given: datetime | None = None) -> list[Item]:
    delivery = Delivery("alice", f"inbox:message/{path.name}", path, path.stat().st_size, MTIME, RECEIVED, given)
    return message.locate(delivery, UTC, limits or Limits())


def attributes(taken: Taken) -> dict[str, Any]:
    assert taken.document is not None, taken.refusal
    return json.loads(taken.document["attributes"])


def test_a_message_is_an_item_with_its_session_and_time(tmp_path: Path) -> None:
    taken = take_one("message", write(tmp_path, sent("Buy milk.\nAnd bread.")))
    assert (taken.text, taken.item.event_at, taken.item.event_from) == ("Buy milk.\nAnd bread.", AT, "content")
    kept = {"context_type": "message", "provenance": {"origin": "file", "confidence": 1.0}}
    assert attributes(taken) == {"session_id": "s1", "user_id": "u1", **kept}
    assert taken.document and taken.document["title"] == "Buy milk."
    assert [(s["kind"], s["time"]) for s in taken.segments] == [("message", AT)]


@pytest.mark.parametrize("text", ["Buy milk.", "# List\n\n- milk\n", "a,b\n1,2\n3,4\n", "  <b>bold</b> & more\n"])
def test_plain_text_is_a_message_too(tmp_path: Path, text: str) -> None:
    taken = take_one("message", write(tmp_path, text, "2026-01-05 note.txt"))
    (segment,) = taken.segments
    assert taken.text == text.strip() == text[segment["raw_start"] : segment["raw_end"]]
    assert taken.item.event_from == "name"


URL = f"data:image/png;base64,{PICTURE}"
BLOCKS: dict[str, tuple[Any, str]] = {
    "openai": ({"type": "image_url", "image_url": {"url": URL}}, "image-1.png"),
    "openai-flat": ({"type": "input_image", "image_url": URL}, "image-1.png"),
    "anthropic": (
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
        "image-1.png",
    ),
    "mcp": ({"type": "image", "data": PICTURE, "mimeType": "image/png"}, "image-1.png"),
    "file": ({"type": "file", "file": {"filename": "shot.png", "file_data": URL}}, "shot.png"),
    "sound": ({"type": "input_audio", "input_audio": {"data": PICTURE, "format": "wav"}}, "audio-1.wav"),
    "buffer": ({"type": "image", "name": "b", "data": {"type": "Buffer", "data": list(png())}}, "b"),
    "list": ({"text": "", "images": [URL]}, "image-1.png"),
    "path": ({"type": "image", "name": "../../etc/x.png", "data": PICTURE}, "x.png"),
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_media_become_children_with_their_own_bytes(tmp_path: Path, kind: str) -> None:
    block, name = BLOCKS[kind]
    parent, child = items(write(tmp_path, sent([{"type": "text", "text": "Look:"}, block])))
    assert (child.content, child.name, child.parent) == (png(), name, "inbox:message/m.json")
    assert parent.content is None and (child.event_at, child.fragment[:2]) == (parent.event_at, "1~")
    assert format_of_bytes(child.content or b"") == "png"


def test_a_child_is_read_by_its_own_format_and_the_message_mentions_it(tmp_path: Path) -> None:
    document = {"type": "document", "title": "hours.csv", "source": {"data": TABLE}}
    parent, child = take("message", write(tmp_path, sent(["See", document, {"type": "image_url",
        "image_url": {"url": "https://example.org/a.png"}}])))  # fmt: skip
    assert parent.text == "See\n[document: hours.csv]\n[image: https://example.org/a.png]"
    assert "Ann" in child.text and "18" in child.text
    assert attributes(child)["session_id"] == "s1"


@pytest.mark.parametrize("kind", ["image", "audio", "video", "document", "screenshot"])
def test_capture_is_one_item_with_its_metadata(tmp_path: Path, kind: str) -> None:
    meta = {"source": "screen", "capturedAt": "2026-01-05T10:00:00Z", "dimensions": {"width": 3, "height": 2},
            "format": "text/csv", "deviceInfo": "phone", "other": "x"}  # fmt: skip
    value = {"type": "capture", "captureId": "c1", "mediaType": kind, "content": TABLE, "metadata": meta}
    taken = take_one("message", write(tmp_path, value))
    assert taken.item.name == f"{kind}-1.csv" and taken.item.parent is None and taken.item.event_at == AT
    found = attributes(taken)
    assert found == {**found, **{key: meta[key] for key in meta if key != "other"}}
    assert "other" not in found and (found["capture_id"], found["media_type"]) == ("c1", kind)


def test_given_time_wins_and_future_times_are_ignored(tmp_path: Path) -> None:
    path = write(tmp_path, sent("x", timestamp="2031-01-05T10:00:00Z"))
    assert items(path)[0].event_at == MTIME
    assert items(path, given=AT)[0].event_from == "given"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (sent(""), "no content"),
        (sent([]), "no content"),
        ({"price": 3}, "no content"),
        (sent([{"type": "image", "data": "!!! not base64"}]), "neither base64"),
        ({"type": "capture", "mediaType": "hologram", "content": TABLE}, "Unsupported media type: hologram"),
        ({"type": "capture", "mediaType": "image", "content": ""}, "no content in the capture"),
        ("[" * 100_000, "nested too deeply"),
        ('{"type": "user_input", "content": ' + "9" * 10_000 + "}", "not valid JSON"),
        ('{"type": "user_input"}\n{"type": "user_input"}', "several messages"),
        ('{"type": "user_input", "content": "cut o', "not valid JSON"),
        ("", "empty file"),
    ],
)
def test_invalid_message_is_refused_with_a_reason(tmp_path: Path, value: Any, reason: str) -> None:
    taken = take_one("message", write(tmp_path, value))
    assert reason in taken.refusal and taken.item.event_at in (MTIME, AT)


def test_broken_medium_is_reported_and_the_text_is_kept(tmp_path: Path) -> None:
    taken = take_one("message", write(tmp_path, sent(["Look:", {"type": "image", "data": "%%%"}])))
    assert taken.text == "Look:" and "image left out" in taken.reasons[0]


def test_limits_are_enforced(tmp_path: Path) -> None:
    path = write(tmp_path, sent(["x", *[BLOCKS["mcp"][0]] * 5]))
    assert "more than 3 media" in take_one("message", path, limits=Limits(max_parts=3)).refusal
    assert "too large" in take_one("message", path, limits=Limits(max_file_bytes=100)).refusal
    deep: Any = "bottom"
    for _ in range(50):
        deep = [deep]
    assert take_one("message", write(tmp_path, sent(["top", deep]))).text == "top"


WRONG: list[Any] = [None, 7, -1e308, "x", "", [], {}, [[]], {"a": {}}, True, 10**400, "\ud800", [None, 3, [[]]]]
KEYS = "type text source image_url data name mimeType file content images attachments title input_audio".split()


@pytest.mark.parametrize("key", KEYS)
def test_wrong_types_anywhere_do_not_crash(tmp_path: Path, key: str) -> None:
    for wrong in WRONG:
        value = sent(["Good.", {"type": "image", "data": TABLE, key: wrong}, wrong], **{f"x{key}": wrong})
        assert "Good." in take("message", write(tmp_path, value))[0].text
        capture = {"type": "capture", "mediaType": "image", "content": TABLE, "metadata": {"source": wrong}, key: wrong}
        assert all(taken.refusal or taken.text for taken in take("message", write(tmp_path, capture)))
