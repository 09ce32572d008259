"""Export and import of a user: equal afterwards, verified while reading, and never over data that is there."""

import gzip
import io
import os
import tarfile
from pathlib import Path

import pyarrow as pa
import pytest

from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.landing.archive.importing import UserHasDataError, import_user
from brain_pipelines.landing.archive.manifest import sealed
from brain_pipelines.landing.archive.writing import ChangedDuringExportError, export_user
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_retrieval.errors import BadInputError, InvalidQueryError
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.requests import Requests, Wanted
from tests.pipelines.conftest import RECEIVED, Bench

TOML = '[owners.alice]\nname = "Alice Chen"\naliases = ["Ali \\"A\\""]\n\n[users.bob]\nlanguage = "de"\n'
SHA = "ab" * 32


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Path]:
    """A home with a mail with an attachment, a note of an agent and recalls; and the archive of its user."""
    folder = tmp_path_factory.mktemp("exported")
    bench = Bench(Home(folder / "home"))
    mail = (
        "From: Priya Nair <priya@example.org>\nTo: Alice Chen <alice@example.org>\nSubject: Launch\n"
        "Date: Mon, 5 Jan 2026 09:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        "--b\nContent-Type: text/plain\n\nThe launch is on 30 March.\n"
        "--b\nContent-Type: text/plain; name=plan.txt\nContent-Disposition: attachment; filename=plan.txt\n\n"
        "The plan of the launch has three steps.\n--b--\n"
    )
    bench.land(bench.drop("alice", "email", "launch.eml", mail))
    bench.land(bench.drop("alice", "note", os.fsdecode(b"caf\xe9.md"), "Alice Chen leads the redesign.\n"))
    (bench.home.path / "brain.toml").write_text(TOML)
    space = bench.space()
    with open_landing(space, bench.settings) as landing:
        source = landing.all_items()[0].source_id
    with AccessLog(space) as log:
        log.record([("source", source), ("entity", "entity_1")], at=RECEIVED)
    with Requests(space) as requests:
        requests.add([Wanted("team", "note", "2026-01-05", "source_2")])
    bench.run(source="email")
    bench.run()
    export_user(space, bench.settings, folder / "alice.tar.zst")
    return bench, folder / "alice.tar.zst"


def load(bench: Bench, archive: Path, user: str | None = None):
    return import_user(bench.home, bench.settings, archive, user=user)


def test_an_imported_user_has_the_same_digests(bench: Bench, exported: tuple[Bench, Path]) -> None:
    origin, archive = exported
    done = load(bench, archive)
    assert (done.user, done.items, done.settings) == ("alice", 3, ["owners.alice"])
    assert load_settings(bench.home.path).owners == origin.settings.owners
    assert "bob" not in load_settings(bench.home.path).users
    with open_landing(bench.space(), bench.settings) as landing:
        assert not landing.dirty()
        scan_inbox(bench.space(), landing, until=float("inf"), settle_seconds=0)
        assert not landing.dirty() and not landing.seen()  # nothing is read again
        assert {item.received_at for item in landing.all_items()} == {RECEIVED}
    ensure_catalog(bench.space(), bench.settings)
    bench.run(source="email")
    bench.run()
    assert bench.digests() == origin.digests()
    with AccessLog(bench.space()) as log, Requests(bench.space()) as requests:
        assert (log.count(), len(requests.all())) == (2, 1)
    assert not list((bench.home.path / "users").glob(".*"))


def test_a_user_that_has_data_is_not_overwritten(bench: Bench, exported: tuple[Bench, Path]) -> None:
    path = bench.drop("alice", "note", "mine.md", "mine")
    with pytest.raises(UserHasDataError):
        load(bench, exported[1])
    bench.land(path)
    path.unlink()
    with pytest.raises(UserHasDataError):
        load(bench, exported[1])
    with open_landing(bench.space(), bench.settings) as landing:
        assert [item.uri for item in landing.all_items()] == ["inbox:note/mine.md"]


def test_an_import_under_another_name_has_its_own_ids(bench: Bench, exported: tuple[Bench, Path]) -> None:
    done = load(bench, exported[1], "carol")
    assert len(done.notes) == 2
    with open_landing(bench.space("carol"), bench.settings) as landing:
        items = {item.source_id: item for item in landing.all_items()}
        assert all(key == content_id("source", "carol", one.source, one.uri) for key, one in items.items())
        assert [one.parent_id in items for one in items.values() if one.parent_id] == [True]
        with AccessLog(bench.space("carol")) as log:
            assert set(log.recalls()["item_id"]) <= set(items)
    bench.run("carol", "email")
    assert len(bench.texts("carol", "email")) == 2


def test_an_interrupted_import_is_finished(bench: Bench, exported: tuple[Bench, Path]) -> None:
    load(bench, exported[1])
    space = bench.space()
    space.inbox.rename(space.arriving)
    (space.inbox / "note").mkdir(parents=True)
    with open_landing(space, bench.settings) as landing:
        assert scan_inbox(space, landing, until=float("inf")) == 0
        assert landing.waiting() == {}
    load(bench, exported[1])
    assert not space.arriving.exists() and len([path for path in space.inbox.rglob("*") if path.is_file()]) == 2


def test_what_was_forgotten_here_is_left_out(bench: Bench, exported: tuple[Bench, Path]) -> None:
    load(bench, exported[1])
    with open_landing(bench.space(), bench.settings) as landing:
        [note] = [item for item in landing.all_items() if item.source == "note"]
        stones = [content_id("forgotten", "bytes", note.sha256), content_id("forgotten", "uri", note.source_id)]
        landing.forget_buried(dict.fromkeys(stones, RECEIVED.isoformat()))
    done = load(bench, exported[1], "carol")
    assert (done.items, done.forgotten) == (2, 3)  # its blob, its inbox file and its item
    space = bench.space("carol")
    assert not space.blob(note.sha256).exists() and not (space.inbox / "note").exists()


def test_a_file_that_changes_during_the_export_is_noticed(
    exported: tuple[Bench, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin, _ = exported
    from brain_pipelines.landing.archive import writing

    real = writing.entry_of
    late = origin.drop("alice", "note", "late.md", "before")
    monkeypatch.setattr(
        writing,
        "entry_of",
        lambda path, place: (real(path, place), path.endswith("late.md") and late.write_text("behind"))[0],
    )
    try:
        with pytest.raises(ChangedDuringExportError):
            export_user(origin.space(), origin.settings, tmp_path / "a.tar.gz")
    finally:
        late.unlink()
    assert list(tmp_path.glob("*.tar.gz")) == [] and not list(tmp_path.glob(".*"))
    with pytest.raises(InvalidQueryError):
        export_user(origin.space(), origin.settings, tmp_path / "a.zip")


def archive_of(path: Path, entries: list[dict], members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    manifest = {"format": 1, "user": "alice", "made_at": "", "time_zone": "UTC", "first_day": "2024-01-01"}
    content = sealed({**manifest, "files": entries, "settings": {}})
    with gzip.open(path, "wb") as stream, tarfile.open(fileobj=stream, mode="w|") as archive:
        for info, data in ((tarfile.TarInfo("manifest.json"), content), *members):
            if info.type == tarfile.REGTYPE:
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def entry(path: str, size: int = 1, sha256: str = SHA) -> dict:
    return {"path": path, "bytes": size, "mtime_ns": 0, "sha256": sha256}


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


RECORD = entry("user/raw/landing.sqlite")
BAD_PATHS = [
    "/etc/x",
    "inbox/../../x",
    "user/raw/../../../x",
    "inbox//x",
    "user/writer.lock",
    "users/bob/x",
    "inbox/a\0b",
]
BAD_MEMBERS = {
    "a link": member(f"data/{SHA}", tarfile.SYMTYPE, "/etc/passwd"),
    "a hard link": member(f"data/{SHA}", tarfile.LNKTYPE, "manifest.json"),
    "a device": member(f"data/{SHA}", tarfile.CHRTYPE),
    "another name": member("../../x"),
    "a long name": member("data/" + "x" * 200),
    "other bytes": member(f"data/{SHA}"),
}


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_leads_elsewhere_is_refused(bench: Bench, tmp_path: Path, path: str) -> None:
    refused(bench, archive_of(tmp_path / "bad.tar.gz", [RECORD, entry(path)], []))


@pytest.mark.parametrize("kind", BAD_MEMBERS)
def test_a_member_that_is_not_as_the_manifest_says_is_refused(bench: Bench, tmp_path: Path, kind: str) -> None:
    refused(bench, archive_of(tmp_path / "bad.tar.gz", [RECORD], [(BAD_MEMBERS[kind], b"x")]))


def test_bombs_and_damaged_archives_are_refused(bench: Bench, tmp_path: Path, exported: tuple[Bench, Path]) -> None:
    refused(bench, archive_of(tmp_path / "bomb.tar.gz", [entry("user/raw/landing.sqlite", 2 << 30)], []))
    refused(bench, archive_of(tmp_path / "file-and-folder.tar.gz", [RECORD, entry("inbox/a"), entry("inbox/a/b")], []))
    whole = exported[1].read_bytes()
    for name, content in (("cut", whole[: len(whole) // 2]), ("none", b"hello"), ("empty", b"")):
        (tmp_path / name).write_bytes(content)
        refused(bench, tmp_path / name)
    with pa.CompressedInputStream(pa.BufferReader(whole), "zstd") as stream:
        plain = stream.read()  # a bit of the compressed form may say the same in another way
    for position in range(200, len(plain) - 200, len(plain) // 7):
        flipped = plain[:position] + bytes([plain[position] ^ 16]) + plain[position + 1 :]
        (tmp_path / "flipped").write_bytes(gzip.compress(flipped))
        refused(bench, tmp_path / "flipped")


def refused(bench: Bench, archive: Path) -> None:
    with pytest.raises(BadInputError):
        load(bench, archive)
    assert bench.home.users() == [] and not list((bench.home.path / "users").glob("*"))
    assert not bench.space().inbox.exists()
