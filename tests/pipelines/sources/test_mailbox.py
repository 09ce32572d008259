"""Mailboxes with unusual separators, digests, mails in pieces, and what a limit leaves out."""

from pathlib import Path

import pytest

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.sources import mailbox
from brain_retrieval.settings import Limits
from tests.samples.taking import Taken, take

HEAD = "From: Ann <ann@example.com>\nTo: bo@example.com\nSubject: Plans\nDate: Tue, 6 Jan 2026 10:00:00 +0100\n"


def land(tmp_path: Path, data: str, name: str = "a.eml", **options: object) -> list[Taken]:
    path = tmp_path / name
    path.write_bytes(data.encode())
    return take("email", path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("separator", ["From - ", "From -", "From 1844347792267117879@xxx", "\ufeffFrom -"])
def test_a_mailbox_without_a_year_in_its_first_line(tmp_path: Path, separator: str) -> None:
    mark, separator = separator[: separator.index("F")], separator.lstrip("\ufeff")  # only before the first line
    gap = "" if separator.startswith("From -") else "\n"
    data = mark + "".join(f"{separator}\n{HEAD}\nMail {n}.\n{gap}" for n in range(3))
    assert [one.text for one in land(tmp_path, data, "a.mbox")] == ["Mail 0.", "Mail 1.", "Mail 2."]


def test_a_text_that_begins_with_from_is_no_mailbox(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("From here on\nNote: the ferry waits.\nSubject: none\n\nMore.\n", "utf-8")
    assert detect_format(path).name != "mbox"


def test_mails_beyond_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "MAX_MESSAGES", 2)
    data = "".join(f"From a@b Tue Jan  6 10:00:00 2026\n{HEAD}\nMail {n}.\n\n" for n in range(5))
    found = land(tmp_path, data, "a.mbox")
    assert [one.text for one in found[:2]] == ["Mail 0.", "Mail 1."]
    assert [one.refusal for one in found[2:]] == ["3 mails after the first 2 are left out; split the mailbox"]


PARTS = 'MIME-Version: 1.0\nContent-Type: multipart/{}; boundary="x"\n'


def test_attachments_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    parts = "".join(f'--x\nContent-Type: text/plain; name="{n}.txt"\n\n{"a" * 60_000}\n' for n in range(3))
    found = land(tmp_path, f"{HEAD}{PARTS.format('mixed')}\n{parts}--x--\n", limits=Limits(max_archive_bytes=100_000))
    assert [one.item.fragment for one in found] == ["", "part-1", "left-out"]
    assert found[2].refusal == "2 attachments beyond 0.1 MB together are left out"


def test_mails_of_a_digest_have_no_headers_in_their_text(tmp_path: Path) -> None:
    mails = "--x\n\nFrom: Cy <cy@x>\nSubject: Two\n\nSecond text.\n\n--x\n\nMessage-ID: <3@x>\n\nThird text.\n"
    found = land(tmp_path, f"{HEAD}{PARTS.format('digest')}\n{mails}--x--\n")
    assert [one.text for one in found] == ["Plans", "Second text.", "Third text."]
    assert found[1].segments[0]["speaker"] == "Cy"


def test_a_piece_of_a_mail_is_said_to_be_one(tmp_path: Path) -> None:
    body = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\n" * 5
    (found,) = land(tmp_path, f'{HEAD}Content-Type: message/partial; id="a"; number=2; total=3\n\n{body}')
    assert found.text == "Plans"
    assert found.reasons == ["piece 2 of 3 of a mail that was sent in pieces; they are not put together"]
