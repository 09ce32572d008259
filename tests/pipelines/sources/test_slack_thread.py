"""slack-thread: items of an export, rendering of messages, unsafe archives."""

import io
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from brain_pipelines.readers.chat.slack_text import Directory, message_text, render
from brain_retrieval.settings import Limits
from tests.samples.taking import MTIME, take, take_one

NAMES = Directory({"U01": "Ann Lee"}, {"C01": "general"})
USERS = [
    {"id": "U01", "name": "ann", "profile": {"real_name": "Ann Lee", "display_name": "annie"}},
    {"id": "U02", "name": "bo", "profile": {"display_name": "Bo"}},
    {"id": "U03", "name": "cy"},
]


def ts(day: str, time: str = "10:00:00", micro: int = 100) -> str:
    return f"{datetime.fromisoformat(f'{day}T{time}+00:00').timestamp():.0f}.{micro:06d}"


def said(text: str, day: str = "2026-01-05", time: str = "10:00:00", user: str = "U01", **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "ts": ts(day, time), "text": text, **more}


def export(tmp_path: Path, days: Mapping[str, Any], *, top: str = "", name: str = "export.zip") -> Path:
    members = {"users.json": USERS, "channels.json": [{"id": "C01", "name": "general"}], **days}
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, value in members.items():
            archive.writestr(top + member, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def single(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "thread.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("hi <@U01> and <@U99|zoe> and <@U98>", "hi @Ann Lee and @zoe and @U98"),
        ("<#C01> <#C02|random> <!here> <!channel>", "#general #random @here @channel"),
        ("<https://a.org|the page> <https://a.org> <https://a.org|a.org>",
         "the page (https://a.org) https://a.org https://a.org"),
        ("<mailto:a@b.org|a@b.org> <!subteam^S1|@design> <!date^1392734382^{date}|18 Feb>", "a@b.org @design 18 Feb"),
        ("1 &lt; 2 &amp;&amp; &amp;lt; <b", "1 < 2 && &lt; <b"),
        ("*bold* :tada: `code`", "*bold* :tada: `code`"),
    ],
)  # fmt: skip
def test_markup_is_rendered_as_displayed(markup: str, shown: str) -> None:
    assert render(markup, NAMES) == shown


def test_blocks_attachments_and_files_replace_an_empty_text() -> None:
    rich = [{"type": "text", "text": "see "}, {"type": "user", "user_id": "U01"}, {"type": "emoji", "name": "eyes"}]
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Build"}},
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": rich}]},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "<@U01> &gt; 2"}]},
    ]
    assert message_text({"text": "", "blocks": blocks}, NAMES) == "Build\nsee @Ann Lee:eyes:\n@Ann Lee > 2"
    attachment = {"title": "Deploy", "text": "failed", "fields": [{"title": "Stage", "value": "test"}]}
    assert message_text({"attachments": [attachment]}, NAMES) == "Deploy\nfailed\nStage: test"
    assert message_text({"attachments": [{"fallback": "a chart"}]}, NAMES) == "a chart"
    files = [{"name": "a.pdf", "title": "Plan", "url_private": "https://x/a?t=secret"}, {"mode": "tombstone"}]
    assert message_text({"text": "here", "files": files}, NAMES) == "here\n[file: Plan (a.pdf)]"


def test_of_a_message_about_a_file_only_the_comment_is_said(tmp_path: Path) -> None:
    share = "<@U01> uploaded a file: <https://x.org/f/1|Plan> and commented: We meet on Friday"
    remark = "<@U02|bo> commented on <@U01|ann>'s file <https://x.org/f/1|Plan>: I sold the boat: yes"
    bare = "<@U01> uploaded a file: <https://x.org/f/2|Photo>"
    messages = [
        said(share, subtype="file_share", file={"title": "Plan"}),
        said(remark, time="10:01:00", subtype="file_comment", user=""),
        said(bare, time="10:02:00", subtype="file_share", file={"title": "Photo"}),
        said(share, time="10:03:00"),
    ]
    taken = take_one("slack-thread", export(tmp_path, {"general/2026-01-05.json": messages}))
    own = "Ann Lee: @Ann Lee uploaded a file: Plan (https://x.org/f/1) and commented: We meet on Friday"
    assert taken.text.split("\n") == [
        "Ann Lee: We meet on Friday",
        "[file: Plan]",
        "Bo: I sold the boat: yes",
        "Ann Lee: [file: Photo]",
        own,
    ]


def test_one_item_per_thread_and_one_for_the_rest_of_a_day(tmp_path: Path) -> None:
    root = ts("2026-01-05")
    path = export(
        tmp_path,
        {
            "general/2026-01-05.json": [said("Shall we?", thread_ts=root), said("Lunch?", time="12:00:00", user="U02")],
            "general/2026-01-07.json": [
                said("Later.", "2026-01-07", "09:00:00", "U03", thread_ts=root),
                said("Yes.", "2026-01-07", "08:00:00", "U02", thread_ts=root, subtype="thread_broadcast"),
                said("Yes.", "2026-01-07", "08:00:00", "U02", thread_ts=root, subtype="thread_broadcast"),
            ],
        },
    )
    found = {taken.item.fragment: taken for taken in take("slack-thread", path)}
    assert set(found) == {f"C01~general/{root}", "C01~general/2026-01-05"}
    thread = found[f"C01~general/{root}"]
    assert thread.text == "Ann Lee: Shall we?\nBo: Yes.\ncy: Later."
    assert thread.item.event_at.replace(microsecond=0) == datetime(2026, 1, 5, 10, tzinfo=UTC)
    assert [(s["kind"], s["message_id"], s["speaker"]) for s in thread.segments] == [
        ("message", root, "Ann Lee"),
        ("message", ts("2026-01-07", "08:00:00"), "Bo"),
        ("message", ts("2026-01-07", "09:00:00"), "cy"),
    ]
    assert thread.document and json.loads(thread.document["attributes"]) == {
        "channel": "#general", "channel_id": "C01", "thread_ts": root, "messages": 3,
        "context_type": "conversation", "ended_at": "2026-01-07T09:00:00.000100+00:00",
        "provenance": {"origin": "file", "confidence": 1.0},
    }  # fmt: skip
    assert thread.document["participants"] == ["Ann Lee", "Bo", "cy"]


def test_system_and_deleted_messages_are_left_out_and_the_last_edit_counts(tmp_path: Path) -> None:
    edit = {**said("Twelve."), "edited": {"user": "U01", "ts": ts("2026-01-05", "11:00:00")}}
    messages = [
        said("Ten."),
        {"type": "message", "subtype": "message_changed", "hidden": True, "message": edit},
        said("has joined", time="10:01:00", subtype="channel_join"),
        said("Gone.", time="10:02:00"),
        {"subtype": "message_deleted", "deleted_ts": ts("2026-01-05", "10:02:00"), "ts": "1767608000.1"},
        said("This message was deleted.", time="10:03:00", subtype="tombstone"),
        said("Fine.", time="10:04:00", reactions=[{"name": "tada", "users": ["U02"], "count": 1}]),
        {"type": "message", "subtype": "bot_message", "username": "CI", "ts": ts("2026-01-05", "10:05:00"),
         "text": "Build 12 failed"},
    ]  # fmt: skip
    taken = take_one("slack-thread", export(tmp_path, {"general/2026-01-05.json": messages}))
    assert taken.text == "Ann Lee: Twelve.\nAnn Lee: Fine.\nCI: Build 12 failed"
    assert taken.document and json.loads(taken.document["attributes"])["edited"] == [ts("2026-01-05")]


def test_direct_messages_are_labelled_with_their_participants(tmp_path: Path) -> None:
    days = {"dms.json": [{"id": "D0ABCDEF", "members": ["U01", "U02"]}], "D0ABCDEF/2026-01-05.json": [said("Psst.")]}
    taken = take_one("slack-thread", export(tmp_path, days, top="Acme export/"))
    assert taken.item.fragment == "D0ABCDEF/2026-01-05"
    assert taken.document and taken.document["title"] == "Ann Lee, Bo on 2026-01-05"


def test_days_are_those_of_the_user(tmp_path: Path) -> None:
    path = export(tmp_path, {"general/2026-01-06.json": [said("Late.", "2026-01-06", "03:00:00")]})
    (taken,) = take("slack-thread", path, zone=ZoneInfo("America/New_York"))
    assert taken.item.fragment == "C01~general/2026-01-05"


def test_newer_export_changes_only_items_with_new_messages(tmp_path: Path) -> None:
    root = ts("2026-01-05")
    days = {"general/2026-01-05.json": [said("Shall we?", thread_ts=root), said("Hm.", time="11:00:00")]}
    before = {t.item.fragment: t.item.digest for t in take("slack-thread", export(tmp_path, days))}
    days["general/2026-01-08.json"] = [
        said("Yes!", "2026-01-08", thread_ts=root),
        said("New.", "2026-01-08", "11:00:00"),
    ]
    after = {t.item.fragment: t.item.digest for t in take("slack-thread", export(tmp_path, days))}
    day, thread = "C01~general/2026-01-05", f"C01~general/{root}"
    assert before[day] == after[day] and before[thread] != after[thread]
    assert set(after) - set(before) == {"C01~general/2026-01-08"}


def test_a_newer_export_runs_only_the_days_that_changed(bench, tmp_path: Path) -> None:
    days = {f"general/2026-01-0{n}.json": [said(f"Day {n}.", f"2026-01-0{n}")] for n in (5, 6)}
    old = export(tmp_path, days).read_bytes()
    assert bench.land(bench.drop("alice", "slack-thread", "acme.zip", old)) == {"2026-01-05", "2026-01-06"}
    days["general/2026-01-06.json"].append(said("More.", "2026-01-06", "11:00:00"))
    new = export(tmp_path, days).read_bytes()
    assert bench.land(bench.drop("alice", "slack-thread", "acme.zip", new)) == {"2026-01-06"}
    bench.run("alice", "slack-thread")
    texts = bench.texts("alice", "slack-thread")
    assert texts["inbox:slack-thread/acme.zip#C01~general/2026-01-06"] == "Ann Lee: Day 6.\nAnn Lee: More."
    assert bench.texts("bob", "slack-thread") == {}


RAW = {"type": "slack-thread", "channel": "design", "messages": [said("Hi."), said("Ho.", time="11:00:00")]}


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        (RAW, f"design/{ts('2026-01-05')}"),
        ({"raw_content": RAW, "id": "s1"}, f"design/{ts('2026-01-05')}"),
        ({"raw_content": json.dumps(RAW)}, f"design/{ts('2026-01-05')}"),
        (RAW["messages"], "2026-01-05"),
        ({"ok": True, "messages": RAW["messages"]}, "2026-01-05"),
        ({"messages": {"matches": [{**m, "channel": {"id": "C01", "name": "x"}} for m in RAW["messages"]]}},
         "C01~x/2026-01-05"),
        ("\n".join(map(json.dumps, RAW["messages"])), "2026-01-05"),
    ],
)  # fmt: skip
def test_messages_as_json(tmp_path: Path, value: Any, fragment: str) -> None:
    taken = take_one("slack-thread", single(tmp_path, value))
    assert taken.item.fragment == fragment and taken.text == "U01: Hi.\nU01: Ho."


def test_messages_of_other_tools_are_understood(tmp_path: Path) -> None:
    rows = [
        {"author": "Ann", "content": "Hi.", "timestamp": "2026-01-05T10:00:00Z"},
        {"author": "Bo", "content": "Ho."},
    ]
    taken = take_one("slack-thread", single(tmp_path, {"type": "slack-thread", "channel": "#x", "messages": rows}))
    assert taken.text == "Ann: Hi.\nBo: Ho." and taken.item.fragment == "x"
    assert any("without a time" in reason for reason in taken.reasons)


def test_a_broken_day_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    days = {"general/2026-01-05.json": [said("Hi.")], "general/2026-01-06.json": "[{", "general/a.png": b"\x89PNG"}
    taken = take_one("slack-thread", export(tmp_path, days))
    assert taken.text == "Ann Lee: Hi." and "2026-01-06.json left out" in taken.reasons[0]


@pytest.mark.parametrize("name", ["../../etc/2026-01-05.json", "/abs/2026-01-05.json", "a/b/2026-01-05.json"])
def test_members_with_unsafe_paths_are_skipped(tmp_path: Path, name: str) -> None:
    path = export(tmp_path, {"general/2026-01-05.json": [said("Hi.")], name: [said("Evil.", time="11:00:00")]})
    assert [t.text for t in take("slack-thread", path)] == ["Ann Lee: Hi."]


def bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("general/2026-01-05.json", b"[" + b" " * (30 << 20) + b"]")
    return buffer.getvalue()


def encrypted(content: bytes) -> bytes:
    found = bytearray(content)
    for start in range(len(found) - 4):  # the flag in every local and central header
        if found[start : start + 4] == b"PK\x03\x04":
            found[start + 6] |= 1
        elif found[start : start + 4] == b"PK\x01\x02":
            found[start + 8] |= 1
    return bytes(found)


def test_an_archive_that_is_not_safe_is_refused(tmp_path: Path) -> None:
    good = export(tmp_path, {"general/2026-01-05.json": [said("Hi.")]}).read_bytes()
    many = export(tmp_path, {f"general/{n}.json": "" for n in range(10_001)}).read_bytes()
    cases = {
        "zip bomb": bomb(),
        "encrypted": encrypted(good),
        "damaged": good[: len(good) // 2],
        "members": many,
        "no messages of Slack": export(tmp_path, {}).read_bytes(),
    }
    for reason, content in cases.items():
        path = tmp_path / "bad.zip"
        path.write_bytes(content)
        taken = take_one("slack-thread", path)
        assert reason in taken.refusal and taken.item.event_at == MTIME


WRONG: list[Any] = [None, 7, -1e308, "x", "", [], {}, [[]], {"a": {}}, True, 10**400, "\ud800", "9" * 200]


@pytest.mark.parametrize("key", ["ts", "text", "user", "thread_ts", "blocks", "files", "edited", "subtype", "channel"])
def test_wrong_types_anywhere_do_not_crash(tmp_path: Path, key: str) -> None:
    messages = [{**said("Hi.", time=f"10:00:{n:02d}"), key: wrong} for n, wrong in enumerate(WRONG)]
    days = {"general/2026-01-05.json": [*WRONG, *messages, said("Good.", time="12:00:00")], "mpims.json": WRONG}
    texts = [t.text for t in take("slack-thread", export(tmp_path, days)) if not t.refusal]
    assert any("Ann Lee: Good." in text for text in texts)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"messages": ' + "9" * 10_000 + "}", "not valid JSON"),
        ('{"messages": 3}', "no list of messages"),
        ('{"ok": false, "error": "channel_not_found"}', "channel_not_found"),
        ('{"messages": []}', "no message"),
        ("", "empty file"),
    ],
)
def test_hostile_json_is_refused_with_a_reason(tmp_path: Path, content: str, reason: str) -> None:
    assert reason in take_one("slack-thread", single(tmp_path, content)).refusal


def test_deep_blocks_and_large_files_are_bounded(tmp_path: Path) -> None:
    blocks: Any = [{"type": "section", "text": {"text": "deep"}}]
    for _ in range(100):
        blocks = [{"type": "rich_text", "elements": blocks}]
    path = single(tmp_path, [{**said(""), "blocks": blocks}, said("Hi.", time="11:00:00")])
    assert take_one("slack-thread", path).text == "U01: Hi."
    assert "too large" in take_one("slack-thread", path, limits=Limits(max_file_bytes=10)).refusal
