"""A full disk, a read-only home and a missing permission: their own message and exit code, and no traceback.

The faults are real where a test can make them (a limit of the file size); the rest are errors as the system gives them.
"""

import errno
import json
import logging
import os
import resource
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.landing.inbox import has_own_inbox, inbox_users
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.scan import scan_inbox
from brain_retrieval import errors
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.settings.secrecy import exposed
from brain_retrieval.stores import durable


@pytest.fixture
def small_files():
    """Let no file of this process grow beyond 64 KB: writes fail as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_ends_a_message_with_its_own_code(bench, small_files) -> None:
    words = "word " * 40_000
    small_files()
    result = CliRunner().invoke(app, ["message", words, "--user", "alice", "--json"])
    assert result.exit_code == 6, result.output
    assert json.loads(result.stdout)["error"] == "DiskFullError"
    assert "aside" not in result.output
    assert not list((bench.home.inbox / "alice").rglob("*.json"))  # not acknowledged, so not half there


def test_a_full_disk_refuses_no_file_of_the_inbox(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.drop("alice", "note", "a.md", "hello")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(bench.home.path))

    with monkeypatch.context() as patched, open_landing(bench.space(), bench.settings) as landing:
        patched.setattr(os, "fsync", full)
        with pytest.raises(errors.DiskFullError):
            scan_inbox(bench.space(), landing, until=float("inf"), settle_seconds=0)
        assert landing.refused() == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.EROFS, "Read-only file system", "/home/x"), errors.ReadOnlyHomeError),
        (PermissionError(errno.EACCES, "Permission denied", "/home/x"), errors.NoPermissionError),
        (RuntimeError("lance error: LanceError(IO): No space left on device (os error 28)"), errors.DiskFullError),
        (ValueError("the os error 28 in a text"), None),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
    ],
)
def test_errors_of_the_system_are_told_apart(error: Exception, kind: type[Exception] | None) -> None:
    found = errors.home_error(error)
    assert type(found) is (kind or type(None))


def test_the_cause_within_a_library_error_is_found(tmp_path: Path) -> None:
    connection = sqlite3.connect(f"file:{tmp_path / 'a.sqlite'}?mode=rwc", uri=True)
    connection.execute("PRAGMA max_page_count = 2")
    connection.execute("CREATE TABLE t(x)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    wrapper = RuntimeError("a library failed")
    wrapper.__cause__ = caught.value
    assert isinstance(errors.home_error_within(wrapper, tmp_path), errors.DiskFullError)
    assert errors.home_error_within(RuntimeError("other"), tmp_path) is None


def test_search_does_not_say_no_hits_when_it_could_not_look(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello"))
    bench.run()
    for path in bench.space().index.rglob("*.manifest"):
        path.write_bytes(b"")
    result = CliRunner().invoke(app, ["search", "hello", "--user", "alice"])
    assert result.exit_code == 1 and "no hits" not in result.output
    assert "could be searched" in result.output


def test_a_home_is_private_and_a_linked_user_is_not_followed(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello"))
    home = Home(bench.home.path / "deep" / "home")
    durable.write_bytes(home.space("bob").create().inbox / "note" / "a.md", b"hello")
    made = [home.path, home.inbox, home.inbox / "bob", home.path / "users", home.space("bob").root]
    assert {path.stat().st_mode & 0o777 for path in made} == {0o700}
    (bench.home.path / "users" / "mallory").symlink_to(bench.space().root)
    (bench.home.inbox / "mallory").symlink_to(bench.space().inbox)
    assert bench.home.users() == inbox_users(bench.home) == ["alice"]
    with pytest.raises(errors.LinkedUserError, match="is a link"):
        bench.home.existing_space("mallory")
    assert not has_own_inbox(bench.home.space("mallory")) and has_own_inbox(bench.space())


def test_passwords_that_others_can_read_are_warned_about(bench, caplog: pytest.LogCaptureFixture) -> None:
    path = bench.home.path / "brain.toml"
    path.write_text('[embedding]\napi_key = "sk-secret"\n')
    path.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        load_settings(bench.home.path)
    assert "embedding.api_key" in caplog.text and "sk-secret" not in caplog.text
    assert exposed(bench.home.path) == ["embedding.api_key"]
    path.chmod(0o600)
    assert exposed(bench.home.path) == []


def test_only_damage_of_the_landing_record_is_passed_over(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_pipelines.landing import landing as module

    def failing(error: Exception):
        def first_day(_: object) -> None:
            raise error

        return first_day

    monkeypatch.setattr(module, "first_day_of", failing(errors.DamagedLandingError("damaged")))
    open_landing(bench.space(), bench.settings).close()
    monkeypatch.setattr(module, "first_day_of", failing(errors.StoreError("locked by another process")))
    with pytest.raises(errors.StoreError, match="locked"):
        open_landing(bench.space(), bench.settings)
