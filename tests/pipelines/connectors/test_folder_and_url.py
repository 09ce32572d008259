"""Folder, Slack and URL connectors: new files are copied once, the origin is never changed, no path escapes."""

import os
import time
import zipfile
from pathlib import Path

import fsspec
import pytest

from brain_pipelines.connectors.connector import Connector, ConnectorError, PollRun
from brain_pipelines.connectors.delivery import TooLargeError, safe_name, write_into_inbox
from brain_pipelines.connectors.registry import build_connectors, find_connector
from brain_retrieval.errors import InvalidSettingsError, WriterBusyError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import load_settings

HOUR = 3600.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("BRAIN_HOME", str(path))
    return Home(path)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A directory with three old files."""
    root = tmp_path / "shelf"
    put(root / "a.md", "one")
    put(root / "deep" / "b.md", "two")
    put(root / "c.pdf", "three")
    return root


def put(path: Path, text: str, *, age: float = HOUR) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - age,) * 2)
    return path


def configured(home: Home, toml: str) -> Connector:
    (home.path / "brain.toml").write_text(toml)
    (connector,) = build_connectors(load_settings(home.path))
    return connector


def folder(home: Home, shelf: Path, more: str = "") -> Connector:
    return configured(home, f'[connectors.folder.shelf]\nuser = "alice"\nsource = "note"\npath = "{shelf}"\n{more}')


def url(home: Home, address: str, more: str = "") -> Connector:
    return configured(home, f'[connectors.url.store]\nuser = "alice"\nsource = "note"\nurl = "{address}"\n{more}')


def run(connector: Connector, home: Home, *, most: int = 1000, seconds: float = 20.0) -> PollRun:
    return connector.run(home.space(connector.user), seconds=seconds, max_bytes=most)


def inbox(home: Home) -> dict[str, str]:
    root = home.path / "inbox"
    return {p.relative_to(root).as_posix(): p.read_text() for p in sorted(root.rglob("*")) if p.is_file()}


def test_new_and_changed_files_are_copied_once(home: Home, shelf: Path) -> None:
    connector = folder(home, shelf)
    assert run(connector, home).taken == 3
    landed = inbox(home)
    assert landed["alice/note/shelf/deep/b.md"] == "two"
    assert len(landed) == 3
    assert run(connector, home).taken == 0
    put(shelf / "a.md", "one, changed")
    assert run(connector, home).taken == 1
    assert inbox(home)["alice/note/shelf/a.md"] == "one, changed"
    assert sorted(p.name for p in shelf.rglob("*") if p.is_file()) == ["a.md", "b.md", "c.pdf"]
    assert abs((home.path / "inbox/alice/note/shelf/c.pdf").stat().st_mtime - (shelf / "c.pdf").stat().st_mtime) < 0.01


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ('suffixes = [".md"]', ["a.md", "deep/b.md"]),
        ('pattern = "deep/*"', ["deep/b.md"]),
        ("recursive = false", ["a.md", "c.pdf"]),
    ],
)
def test_pattern_suffixes_and_recursion_select_files(home: Home, shelf: Path, more: str, names: list[str]) -> None:
    run(folder(home, shelf, more), home)
    assert list(inbox(home)) == [f"alice/note/shelf/{name}" for name in names]


def test_file_being_written_waits(home: Home, shelf: Path) -> None:
    put(shelf / "new.md", "half", age=0)
    put(shelf / "x.part", "half")
    put(shelf / ".hidden", "no")
    found = run(folder(home, shelf), home)
    assert (found.taken, found.waiting) == (3, 1)


def test_links_are_not_followed(home: Home, shelf: Path, tmp_path: Path) -> None:
    secret = put(tmp_path / "elsewhere" / "secret.md", "secret")
    (shelf / "link.md").symlink_to(secret)
    (shelf / "dir").symlink_to(secret.parent)
    os.mkfifo(shelf / "pipe.md")
    assert run(folder(home, shelf), home).taken == 3
    assert "secret" not in "".join(inbox(home).values())


def test_mirror_deletes_copies_unless_directory_is_empty(home: Home, shelf: Path) -> None:
    connector = folder(home, shelf, "mirror = true")
    run(connector, home)
    (shelf / "a.md").unlink()
    assert run(connector, home).removed == 1
    assert "alice/note/shelf/a.md" not in inbox(home)
    for path in (shelf / "c.pdf", shelf / "deep" / "b.md"):
        path.unlink()
    found = run(connector, home)
    assert "may not be mounted" in found.failures[0]
    assert len(inbox(home)) == 2
    (shelf / "deep").rmdir()
    shelf.rmdir()
    with pytest.raises(ConnectorError, match="not there"):
        run(connector, home)
    assert len(inbox(home)) == 2


def test_without_mirror_nothing_is_removed(home: Home, shelf: Path) -> None:
    connector = folder(home, shelf)
    run(connector, home)
    (shelf / "a.md").unlink()
    assert run(connector, home).removed == 0
    assert len(inbox(home)) == 3


@pytest.mark.parametrize("place", ["home", "home/inbox", "."])
def test_directory_overlapping_home_is_refused(home: Home, tmp_path: Path, place: str) -> None:
    (home.path / "inbox").mkdir(exist_ok=True)
    with pytest.raises(ConnectorError, match="own home"):
        run(folder(home, tmp_path / place), home)
    with pytest.raises(ConnectorError, match="own home"):
        run(url(home, f"file://{tmp_path / place}"), home)


def test_too_large_file_is_reported_once(home: Home, shelf: Path) -> None:
    put(shelf / "big.md", "x" * 2000)
    connector = folder(home, shelf)
    first = run(connector, home)
    assert first.taken == 3
    assert first.failures == ["big.md: larger than 1000 bytes"]
    assert not run(connector, home).failures
    assert not list((home.path / "inbox").rglob(".*"))


def test_poll_that_runs_out_of_time_continues_next_time(home: Home, shelf: Path) -> None:
    connector = folder(home, shelf)
    assert run(connector, home, seconds=-1).more
    assert run(connector, home).taken == 3


def test_concurrent_poll_is_refused(home: Home, shelf: Path) -> None:
    connector = folder(home, shelf)

    def again(_run: PollRun) -> None:
        run(connector, home)

    nested = Connector(**{**vars(connector), "poll": again})
    with pytest.raises(WriterBusyError):
        run(nested, home)


def test_damaged_state_is_reset(home: Home, shelf: Path) -> None:
    connector = folder(home, shelf)
    run(connector, home)
    (home.space("alice").root / "connectors/folder-shelf.json").write_text("{nonsense")
    assert run(connector, home).taken == 3
    assert len(inbox(home)) == 3


def test_slack_connector_copies_exports(home: Home, shelf: Path) -> None:
    put(shelf / "export.zip", "PK")
    section = f'[connectors.slack.team]\nuser = "alice"\npath = "{shelf}"\n'
    assert run(configured(home, section), home).taken == 1
    assert list(inbox(home)) == ["alice/slack-thread/team/export.zip"]
    by_url = f'[connectors.slack.other]\nuser = "alice"\nurl = "file://{shelf}"\n'
    assert run(configured(home, by_url), home).taken == 1


def test_url_connector_reads_any_fsspec_file_system(home: Home) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe({"/bucket/a.md": b"one", "/bucket/deep/b.md": b"two"})
    connector = url(home, "memory://bucket")
    try:
        assert run(connector, home).taken == 2
        assert inbox(home) == {"alice/note/store/a.md": "one", "alice/note/store/deep/b.md": "two"}
        assert run(connector, home).taken == 0
        memory.pipe("/bucket/a.md", b"longer")
        assert run(connector, home).taken == 1
    finally:
        memory.rm("/bucket", recursive=True)


def test_url_connector_reads_archive_members_and_single_file(home: Home, shelf: Path) -> None:
    with zipfile.ZipFile(shelf / "x.zip", "w") as archive:
        archive.writestr("notes/n.md", "from the archive")
        archive.writestr("../../evil.md", "out")
    run(url(home, f"zip://::file://{shelf}/x.zip"), home)
    assert inbox(home)["alice/note/store/notes/n.md"] == "from the archive"
    assert all(name.startswith("alice/note/store/") for name in inbox(home))
    run(url(home, f"file://{shelf}/a.md"), home)
    assert inbox(home)["alice/note/store/a.md"] == "one"


def test_links_in_local_url_are_not_followed_outside(home: Home, shelf: Path, tmp_path: Path) -> None:
    secret = put(tmp_path / "elsewhere" / "secret.md", "secret")
    (shelf / "dir").symlink_to(secret.parent)
    (shelf / "link.md").symlink_to(secret)
    run(url(home, f"file://{shelf}"), home)
    assert "secret" not in "".join(inbox(home).values())


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("https://example.com/x.csv", "brain ingest URL"),
        ("HTTP://example.com/x.csv", "brain ingest URL"),
        ("zip://x.csv::https://example.com/x.zip", "brain ingest URL"),
        ("simplecache::https://example.com/x", "brain ingest URL"),
        ("reference://x", "not allowed"),
        ("nonsense://x", "no file system for nonsense:// is installed"),
        ("zip://x.md::{home}/brain.toml", "own home"),
        ("simplecache::file://{home}/brain.toml", "own home"),
        ("file:///nowhere/at/all", "cannot be listed"),
    ],
)
def test_refused_url_reports_reason(home: Home, address: str, reason: str) -> None:
    with pytest.raises(ConnectorError, match=reason):
        run(url(home, address.replace("{home}", str(home.path))), home)


def test_no_secret_is_shown(home: Home) -> None:
    connector = url(
        home, "ftp://ann:hunter2@127.0.0.1:1/x?token=hunter2", '[connectors.url.store.secrets]\npassword = "hunter2"'
    )
    assert connector.place == "ftp://127.0.0.1:1/x"
    with pytest.raises(ConnectorError) as error:
        run(connector, home)
    assert "hunter2" not in str(error.value) + repr(load_settings(home.path).connectors.url["store"].secrets)


def test_connector_is_found_by_name_or_key(home: Home, shelf: Path) -> None:
    folder(home, shelf)
    settings = load_settings(home.path)
    assert find_connector(settings, "shelf").key == find_connector(settings, "folder-shelf").key == "folder-shelf"
    with pytest.raises(ConnectorError, match=r"no connector is called 'x' \(there are: folder-shelf\)"):
        find_connector(settings, "x")
    with pytest.raises(InvalidSettingsError, match="source"):
        configured(home, f'[connectors.folder.a]\nuser = "alice"\nsource = "nothing"\npath = "{shelf}"\n')
    with pytest.raises(InvalidSettingsError):
        configured(home, f'[connectors.folder."../a"]\nuser = "alice"\nsource = "note"\npath = "{shelf}"\n')


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("a/b.md", "a/b.md"),
        ("/a//b.md", "a/b.md"),
        ("../b.md", None),
        (".git/x", None),
        ("a.part", None),
        ("a\\b\n.md", "a_b_.md"),
        ("", None),
    ],
)
def test_safe_name(given: str, safe: str | None) -> None:
    assert safe_name(given) == safe


def test_long_names_stay_unique() -> None:
    one, other = safe_name("é" * 300 + "1.md"), safe_name("é" * 300 + "2.md")
    assert one and other and one != other
    assert len(one.encode()) <= 180 and one.endswith(".md")


def test_failed_write_leaves_no_file(tmp_path: Path) -> None:
    space = Space(tmp_path, "alice")
    with pytest.raises(TooLargeError):
        write_into_inbox(space, "note", "a/b.md", [b"x" * 10] * 3, most=25)
    assert not [p for p in space.inbox.rglob("*") if p.is_file()]
    (space.inbox / "note" / "out").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="leads out"):
        write_into_inbox(space, "note", "out/b.md", [b"x"], most=25)
