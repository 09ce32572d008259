"""Each bad input of the collection is refused or repaired with the reason that the user must see."""

import re
import resource
from pathlib import Path

import pytest

from brain_retrieval.settings import Limits
from tests.paths import ROOT
from tests.samples.bad_inputs import AWKWARD_NAMES, BAD_INPUTS, BadInput
from tests.samples.taking import take, take_one


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=lambda bad: bad.name)
def test_the_reason_is_clear(tmp_path: Path, bad: BadInput) -> None:
    taken = take_one(bad.source, bad.write(tmp_path), name=bad.name)
    assert any(re.search(bad.reason, reason) for reason in taken.reasons), taken.reasons
    assert bool(taken.document) == bad.repaired
    assert taken.item.event_at is not None


def test_the_reasons_for_a_pdf_differ() -> None:
    reasons = {
        bad.reason for bad in BAD_INPUTS if bad.name in ("encrypted.pdf", "truncated.pdf", "zero.pdf", "scan.pdf")
    }
    assert len(reasons) == 4


@pytest.mark.parametrize("name", AWKWARD_NAMES)
def test_awkward_names_are_read_and_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "blob"
    path.write_text("A line of text.")
    taken = take_one("note", path, name=name)
    assert taken.text == "A line of text." and taken.document is not None
    assert taken.document["title"] and "\n" not in taken.document["title"]
    assert "\n" not in taken.document["uri"] and " " not in taken.document["uri"]


def test_rest_of_a_damaged_transcript_is_read(tmp_path: Path) -> None:
    rows = ['{"speaker": "Ann", "content": "One.", "session": "s"}', "broken {", "", "[1, 2]"]
    rows += ['{"speaker": "Bob", "content": "Two.", "session": "s"}', '"a string"', '{"speaker": "Bob", "content": ""}']
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(rows))
    taken = take_one("conversation", path)
    assert taken.text == "Ann: One.\nBob: Two."
    rejected = [issue.reason for issue in taken.issues if issue.kind == "rejected"]
    assert [reason.split(":")[0] for reason in rejected] == ["line 2", "line 4", "line 6", "line 7"]


def test_many_broken_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"speaker": "Ann", "content": "One.", "session": "s"}\n' + "broken\n" * 500)
    taken = take_one("conversation", path)
    rejected = [issue.reason for issue in taken.issues if issue.kind == "rejected"]
    assert len(rejected) == 21 and rejected[-1] == "and 480 more lines that are no message"


def test_huge_files_use_little_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for bad in BAD_INPUTS:
        if bad.name.startswith("huge"):
            take(bad.source, bad.write(tmp_path), name=bad.name)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


@pytest.mark.parametrize(
    ("source", "name", "content", "limits", "reason"),
    [
        ("note", "a.txt", b"word " * 100, Limits(max_text_chars=99), r"too long: 499 characters, the limit is 99"),
        ("note", "a.txt", b"word " * 100, Limits(max_file_bytes=99), r"too large: 0\.0 MB"),
        ("document", "a.html", b"<html><p>" + b"word " * 100, Limits(max_text_chars=99), "too long"),
    ],
)
def test_limits_come_from_the_settings(
    tmp_path: Path, source: str, name: str, content: bytes, limits: Limits, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert re.search(reason, take_one(source, path, limits=limits).refusal)


@pytest.mark.parametrize("cut", range(0, 100, 9))
@pytest.mark.parametrize("name", ["budget.pdf", "page.html", "chat.jsonl"])
def test_truncated_files_never_crash(tmp_path: Path, name: str, cut: int) -> None:
    samples = {
        "budget.pdf": ("document", "alice/document/ui-redesign-budget.pdf"),
        "page.html": ("document", "bob/document/2026-01-09-virtual-tables.html"),
        "chat.jsonl": ("conversation", "alice/conversation/2026-01-28-agent.jsonl"),
    }
    source, sample = samples[name]
    data = (ROOT / "data/samples" / sample).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: len(data) * cut // 100])
    for taken in take(source, path):
        assert taken.document or taken.refusal
