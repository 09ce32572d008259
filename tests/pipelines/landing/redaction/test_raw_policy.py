"""Redaction through the engine, and the policies for received bytes: encrypted or dropped, never left in plain text."""

import io
import os
from email.message import EmailMessage
from pathlib import Path

import pytest

from brain_pipelines.landing.encryption import BLOCK_BYTES, WrongKeyError, decrypt, encrypt
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake

SECRETS = ("alice.chen@northwind.example", "+351 912 345 678", "4111 1111 1111 1111", "hunter2-Sunflower")
NOTE = f"""---
title: Mail of {SECRETS[0]}
contact: {SECRETS[1]}
---
# Contact

Write to {SECRETS[0]} or call {SECRETS[1]}. Card {SECRETS[2]}, password: {SECRETS[3]}.

Again {SECRETS[0]}, at the Lisbon office of the component library team.
"""


@pytest.fixture(params=["encrypt", "drop"])
def policy(request, monkeypatch) -> str:
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "true")
    monkeypatch.setenv("BRAIN_PRIVACY__RAW", request.param)
    monkeypatch.setenv("BRAIN_PRIVACY__RAW_KEY", "a key of our own")
    return request.param


def take(bench) -> dict:
    """Scan the inbox, run everything that has landed, and return the reports."""
    space = bench.space()
    with open_landing(space, bench.settings) as landing:
        scan_inbox(space, landing, until=float("inf"), settle_seconds=0)
    return bench.run()


def leaks(root: Path) -> set[tuple[str, str]]:
    """Return (file, value) for every personal value found unencrypted in any file below `root`."""
    files = [p for p in root.rglob("*") if p.is_file()]
    return {(str(p.relative_to(root)), s) for p in files for s in SECRETS if s.encode() in p.read_bytes()}


def stored_values(bench) -> str:
    """Return every row of the lake and the index as one string; files are compressed, so a byte search is no proof."""
    space = bench.space()
    with Catalog(space) as catalog:
        lake, index = Lake(space, catalog), active_index(space, catalog)
        tables = [lake.read(name, source="note").to_pylist() for name in TABLES]
        assert index is not None
        return str([*tables, index.read(columns=["text", "search_text", "title", "url"]).to_pylist()])


def texts_table(bench) -> list[dict]:
    with Catalog(bench.space()) as catalog:
        return Lake(bench.space(), catalog).read("text", source="note").to_pylist()


def test_text_is_redacted_and_segment_offsets_match(bench, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "true")
    monkeypatch.setenv("BRAIN_PRIVACY__RAW", "keep")
    path = bench.drop("alice", "note", "a.md", NOTE)
    reports = take(bench)
    (row,) = texts_table(bench)
    assert row["text"].count("[EMAIL_1]") == 2 and "[CARD_1]" in row["text"] and "[SECRET_1]" in row["text"]
    assert "component library" in row["text"] and row["title"] == "Mail of [EMAIL_1]"
    assert not any(reports[name].failed for name in reports)
    assert path.is_file() and leaks(bench.space().root)  # policy "keep" leaves the bytes unchanged


def test_no_personal_data_remains_unencrypted(bench, policy: str) -> None:
    path = bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    assert not path.exists() and leaks(bench.home.path) == set()
    stored = stored_values(bench)
    assert "component library" in stored and not [value for value in SECRETS if value in stored]
    (row,) = texts_table(bench)
    assert "[PHONE_1]" in row["text"]
    suffixes = {p.suffix for p in bench.space().blobs.rglob("*") if p.is_file()}
    assert suffixes == {".enc" if policy == "encrypt" else ".dropped"}


def test_policy_applies_to_attachments(bench, policy: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = f"Alice <{SECRETS[0]}>", f"My number {SECRETS[1]}"
    mail["Date"], mail["Message-ID"] = "Mon, 05 Jan 2026 10:00:00 +0000", f"<{SECRETS[0]}>"
    mail.set_content(f"Call {SECRETS[1]}, the budget is attached.")
    mail.add_attachment(f"The card of the project is {SECRETS[2]}.", filename="card.txt")
    bench.drop("alice", "email", "a.eml", bytes(mail))
    take(bench)
    bench.run(source="email")
    assert leaks(bench.home.path) == set()
    texts = " ".join(bench.texts(source="email").values())
    assert "[CARD_1]" in texts and "[PHONE_1]" in texts
    assert not [p for p in bench.space().blobs.rglob("*") if p.is_file() and p.suffix == ""]


def test_files_released_from_inbox_are_not_deletions(bench, policy: str) -> None:
    bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    before = bench.texts()
    take(bench)
    assert bench.texts() == before and before
    assert bench.run()["text"].computed == []


def test_new_version_and_repeated_delivery(bench, policy: str) -> None:
    bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    bench.drop("alice", "note", "a.md", NOTE)
    assert take(bench)["text"].computed == [] and leaks(bench.home.path) == set()
    bench.drop("alice", "note", "a.md", NOTE.replace("Lisbon", "Porto"))
    take(bench)
    (text,) = bench.texts().values()
    assert "Porto office" in text and leaks(bench.home.path) == set()


def test_derived_data_is_rebuilt_from_encrypted_bytes(bench, monkeypatch) -> None:
    for name, value in {"REDACT": "true", "RAW": "encrypt", "RAW_KEY": "a key of our own"}.items():
        monkeypatch.setenv(f"BRAIN_PRIVACY__{name}", value)
    bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    before = bench.digests()
    bench.drop_derived()
    bench.run()
    assert bench.digests() == before and leaks(bench.home.path) == set()


def test_wrong_key_fails_without_data_loss(bench, monkeypatch) -> None:
    for name, value in {"REDACT": "true", "RAW": "encrypt", "RAW_KEY": "a key of our own"}.items():
        monkeypatch.setenv(f"BRAIN_PRIVACY__{name}", value)
    bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    before = bench.digests()
    monkeypatch.setenv("BRAIN_PRIVACY__RAW_KEY", "another key")
    with pytest.raises(InvalidSettingsError, match="is not the key"):
        bench.run()
    monkeypatch.delenv("BRAIN_PRIVACY__RAW_KEY")
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "false")
    with pytest.raises(InvalidSettingsError, match="BRAIN_PRIVACY__RAW_KEY"):
        bench.run()
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "true")
    monkeypatch.setenv("BRAIN_PRIVACY__RAW_KEY", "a key of our own")
    bench.run()
    assert bench.digests() == before


def test_texts_remain_after_bytes_were_dropped(bench, monkeypatch) -> None:
    for name, value in {"REDACT": "true", "RAW": "drop"}.items():
        monkeypatch.setenv(f"BRAIN_PRIVACY__{name}", value)
    bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    before = bench.texts()
    monkeypatch.setenv("BRAIN_LIMITS__MAX_PAGES", "7")  # another configuration of the text stage
    report = bench.run()["text"]
    assert report.computed == ["2026-01-05"] and bench.texts() == before
    with Catalog(bench.space()) as catalog:
        (issue,) = catalog.quarantine(stage="text")
    assert issue.kind == "repaired" and "cannot be rebuilt" in issue.reason


def test_unreadable_item_keeps_its_bytes(bench, monkeypatch) -> None:
    for name, value in {"REDACT": "true", "RAW": "drop"}.items():
        monkeypatch.setenv(f"BRAIN_PRIVACY__{name}", value)
    bench.drop("alice", "note", "bad.txt", b"\x7fELF" + bytes(range(256)) * 20)
    take(bench)
    (blob,) = [p for p in bench.space().blobs.rglob("*") if p.is_file()]
    assert blob.suffix == "" and blob.stat().st_size > 5000


def test_enabling_redaction_later_covers_existing_data(bench, monkeypatch) -> None:
    path = bench.drop("alice", "note", "a.md", NOTE)
    take(bench)
    assert path.is_file() and "hunter2" in next(iter(bench.texts().values()))
    for name, value in {"REDACT": "true", "RAW": "drop"}.items():
        monkeypatch.setenv(f"BRAIN_PRIVACY__{name}", value)
    take(bench)
    assert not path.exists() and "hunter2" not in next(iter(bench.texts().values()))
    assert leaks(bench.space().root / "raw") == set()


def test_encryption_without_key_is_refused_before_landing(bench, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "true")
    path = bench.drop("alice", "note", "a.md", NOTE)
    with pytest.raises(InvalidSettingsError, match="BRAIN_PRIVACY__RAW_KEY"):
        take(bench)
    assert path.is_file()


@pytest.mark.parametrize("size", [0, 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES])
def test_encryption_round_trip_and_tamper_detection(size: int) -> None:
    plain, key = os.urandom(size), b"k" * 32
    sealed = io.BytesIO()
    encrypt(io.BytesIO(plain), sealed, key, "name")
    back = io.BytesIO()
    decrypt(io.BytesIO(sealed.getvalue()), back, key, "name")
    assert back.getvalue() == plain
    raw = sealed.getvalue()
    for broken in (raw[:-1], raw[:-20], raw[:30] + bytes([raw[30] ^ 1]) + raw[31:], b"plain text"):
        with pytest.raises(WrongKeyError):
            decrypt(io.BytesIO(broken), io.BytesIO(), key, "name")
    for other in (("other", key), ("name", b"x" * 32)):
        with pytest.raises(WrongKeyError):
            decrypt(io.BytesIO(raw), io.BytesIO(), other[1], other[0])
