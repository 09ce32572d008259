"""Choice of the source type of a file that is sent without one."""

import json
import zipfile
from pathlib import Path

import pytest

from brain_pipelines.sources.choice import choose_source

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
CASES = {
    ("a.md", b"# Title\n\nwords"): "note",
    ("a.txt", b"words"): "note",
    ("ann.vcf", b"BEGIN:VCARD\r\nFN:Ann\r\nEND:VCARD"): "note",
    ("a.pdf", b"%PDF-1.7\n"): "document",
    ("a.csv", b"name,hours,rate\nAnn,3,20\nBob,5,18\n"): "document",
    ("a.jsonl", b'{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "ho"}\n'): "conversation",
    ("export.json", b'{"messages": [{"role": "user", "content": "hi"}]}'): "conversation",
    ("one.jsonl", b'{"role": "user", "content": "I moved to Kiel"}\n'): "conversation",
    ("stock.jsonl", b'{"item": "Rake", "price": 12.5, "sold": false}\n{"item": "Hoe", "price": 9, "sold": true}\n'): (
        "document"
    ),
    ("one.ndjson", b'{"item": "Rake", "price": 12.5}\n{"item": "Ho'): "document",
    ("sms.jsonl", b'{"from": "Ann", "body": "On my way"}\n{"from": "Bo", "body": "Good"}\n'): "conversation",
    ("chair.json", b'{"role": "chair", "content": "hi"}'): "document",
    ("chat.html", b"<!DOCTYPE html><html><style>.chatlog__message-group { margin: 0 }</style></html>"): "conversation",
    ("data.json", b'{"price": 3}'): "document",
    ("talk.json", b'[{"speaker": "Ann", "text": "Hi"}, {"speaker": "Bo", "text": "Ho"}]'): "conversation",
    ("calls.json", b'{"transcript": [{"start": 0.5, "speaker": "Ann", "text": "Hi"}]}'): "conversation",
    ("quotes.json", b'[{"author": "Ann", "text": "Hi"}, {"author": "Bo", "text": "Ho"}]'): "document",
    ("posts.json", b'[{"author": "A", "date": "x", "title": "T", "content": "Hi"}, {"author": "A"}]'): "document",
    ("pairs.json", b'[{"name": "price", "value": "3", "time": "x"}, {"name": "b", "value": "4", "time": "x"}]'): (
        "document"
    ),
    ("a.json", b'{"type": "agent_output", "messages": []}'): "agent-output",
    ("m.json", b'{\n "userId": "u", "type": "user_input", "content": "hi"}'): "message",
    ("c.json", b'{"type": "capture", "mediaType": "image"}'): "message",
    ("t.json", b'{"type": "slack-thread", "messages": []}'): "slack-thread",
    ("o.json", b'{"items": [{"type": "capture"}]}'): "document",
    ("t.jsonl", b'{"role": "user", "content": "hi"}\n{"content": [{"type": "tool_use"}]}\n'): "agent-output",
    ("photo.png", PNG): "image",
    ("Screenshot 2026-01-05 at 10.11.12.png", PNG): "screenshot",
    ("memo.flac", b"fLaC" + bytes(64)): "voice-memo",
    ("Weekly meeting.flac", b"fLaC" + bytes(64)): "meeting",
    ("clip.webm", b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm"): "video",
    ("clip.wmv", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11" + bytes(64)): "video",
    ("talk.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello"): "meeting",
    ("bare.srt", b"00:00:01,000 --> 00:00:02,500\nHello\n\n00:00:03,000 --> 00:00:04,000\nAgain\n"): "meeting",
    ("wide.srt", "\ufeff1\n00:00:01,000 --> 00:00:02,500\nHello\n".encode("utf-32-be")): "meeting",
    ("feed.xml", b'<rss xmlns:dc="http://purl.org/dc/" version="2.0"><p>a</p><p>b</p><p>c</p></rss>'): "document",
    ("a.ics", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR"): "calendar",
    (
        "_chat.txt",
        b"[12.07.24, 19:44:03] Ann: a\n[12.07.24, 19:45:03] Bo: b\n[12.07.24, 19:46:03] Ann: c\n",
    ): "conversation",
    ("a.eml", b"Message-ID: <1@x>\r\nFrom: Ann <a@x.org>\r\nSubject: Hi\r\n\r\nHello"): "email",
    ("page.warc", b"WARC/1.1\r\nWARC-Type: response\r\n\r\n"): "web-page",
    ("piece.html", b"<i>hello</i> there"): "document",
    ("ragged.csv", b"a,b\n1,2,3\n"): "document",
    ("nothing", b""): "document",
}


@pytest.mark.parametrize(("name", "content"), CASES)
def test_source_is_chosen_by_bytes_then_by_name(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert choose_source(tmp_path / name) == CASES[name, content]


def test_a_long_list_of_messages_is_known_by_its_beginning(tmp_path: Path) -> None:
    messages = [{"from": "Ann", "date": "2026-03-02", "body": "Good morning. " * 40} for _ in range(300)]
    (tmp_path / "list.json").write_text(json.dumps(messages))
    assert choose_source(tmp_path / "list.json") == "conversation"


@pytest.mark.parametrize(
    ("members", "expected"), [(["users.json", "channels.json"], "slack-thread"), (["a"], "document")]
)
def test_source_of_an_archive_is_chosen_by_its_members(tmp_path: Path, members: list[str], expected: str) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for member in members:
            archive.writestr(member, "[]")
    assert choose_source(tmp_path / "export.zip") == expected
