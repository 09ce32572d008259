"""Items of e-mail files: threads, mailboxes, attachments, attached messages, Outlook."""

import json
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brain_retrieval.settings import Limits
from tests.samples.taking import Taken, take, take_one

HEAD = "From: Ann <ann@example.com>\nSubject: Plans\nMessage-ID: <1@x>\nDate: Tue, 6 Jan 2026 10:00:00 +0100\n"


def mail(subject: str, text: str = "The text.") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"] = "Ann Lee <ann@example.com>", subject
    message["Date"] = datetime(2026, 1, 6, 9, tzinfo=UTC)
    message.set_content(text)
    return message


def land(tmp_path: Path, data: bytes | str, name: str = "a.eml", **options: object) -> list[Taken]:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return take("email", path, **options)  # type: ignore[arg-type]


def test_a_message_has_its_sender_time_and_thread(tmp_path: Path) -> None:
    (taken,) = land(tmp_path, HEAD + "References: <0@x>\n\nHello.\n\n-- \nAnn\n")
    assert taken.item.event_from == "content" and taken.document is not None
    (segment,) = taken.segments
    assert (segment["kind"], segment["speaker"], segment["message_id"]) == ("message", "Ann", "1@x")
    assert segment["time"] == taken.item.event_at == datetime(2026, 1, 6, 9, tzinfo=UTC)
    assert json.loads(taken.document["attributes"])["thread_id"] == "0@x"


def test_a_date_without_an_offset_is_in_the_zone_of_the_user(tmp_path: Path) -> None:
    (taken,) = land(tmp_path, HEAD.replace(" +0100", "") + "\nx", zone=ZoneInfo("America/New_York"))
    assert taken.segments[0]["time"] == taken.item.event_at == datetime(2026, 1, 6, 15, tzinfo=UTC)


def test_attachments_are_items_of_their_own(tmp_path: Path) -> None:
    inner = mail("Inner", "Inner text.")
    inner.add_attachment("a,b,c\n1,2,3\n4,5,6\n", filename="table.csv")
    outer = mail("Outer", "Outer text.")
    outer.add_attachment("A note.", filename="note.txt")
    outer.add_attachment(inner)
    found = land(tmp_path, outer.as_bytes())
    shown = [(one.item.fragment, one.item.name, one.item.parent) for one in found]
    assert shown == [
        ("", "", None),
        ("part-1", "note.txt", "inbox:email/a.eml"),
        ("part-2", "Inner.eml", "inbox:email/a.eml"),
        ("part-2.1", "table.csv", "inbox:email/a.eml#part-2"),
    ]
    assert [one.text for one in found[:3]] == ["Outer text.", "A note.", "Inner text."]
    assert all(one.item.event_at == found[0].item.event_at for one in found)


def test_mailbox_has_one_item_per_message(tmp_path: Path) -> None:
    one = f"From a@b Tue Jan  6 10:00:00 2026\n{HEAD}X-Gmail-Labels: Inbox,Work\n\nOne.\n>From here on\n\n"
    copy, other = one, one.replace("One.", "Changed.")
    data = one + copy + other + "From c@d Wed Jan  7 10:00:00 2026\nSubject: Two\n\nTwo.\nFrom time to time: no.\n"
    found = land(tmp_path, data, "a.mbox")
    assert [taken.text for taken in found] == [
        "One.\nFrom here on",
        "Changed.\nFrom here on",
        "Two.\nFrom time to time: no.",
    ]
    assert len({taken.item.fragment for taken in found}) == 3 and found[0].item.fragment == "1@x"
    assert found[2].item.event_at == datetime(2026, 1, 7, 10, tzinfo=UTC) and found[2].item.event_from == "metadata"
    assert found[0].document is not None
    assert json.loads(found[0].document["attributes"])["labels"] == ["Inbox", "Work"]
    again = land(tmp_path, data + "From x@y Thu Jan  8 10:00:00 2026\nSubject: New\n\nNew.\n", "a.mbox")
    assert [taken.item for taken in again[:3]] == [taken.item for taken in found]


def test_broken_message_does_not_affect_the_mailbox(tmp_path: Path) -> None:
    nested = "Content-Type: message/rfc822\n\n" * 200
    data = f"From a@b Tue Jan  6 10:00:00 2026\n{nested}x\n\nFrom a@b Tue Jan  6 10:00:00 2026\n{HEAD}\nFine.\n"
    broken, fine = land(tmp_path, data, "a.mbox")
    assert "nested" in broken.refusal and fine.text == "Fine."


def test_attachments_are_bounded(tmp_path: Path) -> None:
    outer = mail("Many")
    for n in range(12):
        outer.add_attachment(f"note {n} " * 20, filename=f"{n}.txt")
    few = land(tmp_path, outer.as_bytes(), limits=Limits(max_parts=5))
    assert len(few) == 6 and few[0].reasons == ["12 attachments; the first 5 are taken"]
    small = land(tmp_path, outer.as_bytes(), limits=Limits(max_archive_bytes=500))
    assert 1 < len(small) < 6
    deep = mail("0")
    for n in range(1, 12):
        outer = mail(str(n))
        outer.add_attachment(deep)
        deep = outer
    assert len(land(tmp_path, deep.as_bytes())) == 7


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "a.eml", "empty file"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 99, "a.eml", "PNG"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "__substg1.0_".encode("utf-16-le"),
            "a.msg",
            "damaged Outlook",
        ),
        ((HEAD + "Content-Type: multipart/encrypted\n\nx").encode(), "a.eml", "encrypted with PGP"),
        ((HEAD + "\n" + "x" * 2000).encode(), "a.eml", "too large"),
    ],
)
def test_invalid_mail_lands_and_is_refused_with_a_reason(tmp_path: Path, data: bytes, name: str, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    taken = take_one("email", path, limits=Limits(max_file_bytes=1500))
    assert reason in taken.refusal


def test_outlook_file_equals_its_mail(tmp_path: Path) -> None:
    from tests.samples.outlook_file import outlook_file

    data = outlook_file(
        {0x0037: "Plans\r\nBcc: evil@example.com", 0x1000: "The text.\r\n\r\n-- \r\nAnn", 0x0C1A: "Ann Lee"}
        | {0x5D01: "ann@example.com", 0x1035: "<7@x>"},
        attachment=("note.txt", b"A note of some words. " * 200),
    )
    message, note = land(tmp_path, data, "a.msg")
    assert message.text == "The text." and message.document is not None
    assert message.document["title"] == "Plans Bcc: evil@example.com"
    attributes = json.loads(message.document["attributes"])
    assert attributes["from"] == ["Ann Lee <ann@example.com>"] and attributes["message_id"] == "7@x"
    assert note.item.name == "note.txt" and note.text.startswith("A note of some words. A note")
