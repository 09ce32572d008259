"""The confinement of readers: a reader that tries to leave the sandbox is refused by the kernel."""

import ctypes
import io
import os
import platform
import struct
from pathlib import Path

import pytest
from rich.console import Console

from brain_pipelines.commands.status import print_status, status
from brain_pipelines.readers.confinement import box as boxes
from brain_pipelines.readers.confinement import confine, kernel, landlock, seccomp
from brain_pipelines.readers.confinement.box import Box
from brain_pipelines.readers.sandbox import Sandbox
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Home
from brain_retrieval.settings import Limits
from tests.samples.hostile_reader import FILL, HOSTILE, LEAVE_LINK

LIMITS = Limits(parse_seconds=120.0, parse_memory_mb=256)
FILES = ("read", "list", "overwrite", "delete", "take the secret", "give", "leave", "write beside", "change")
NEEDS = pytest.mark.skipif(bool(confine.missing()), reason="; ".join(confine.missing()))


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what the kernel answered to each attack of one hostile file."""
    if confine.missing():
        pytest.skip("; ".join(confine.missing()))
    folder = tmp_path_factory.mktemp("hostile")
    secret, scratch, path = folder / "other" / "id_rsa", folder / "scratch" / "one", folder / "file"
    secret.parent.mkdir()
    scratch.mkdir(parents=True)
    secret.write_text("secret")
    path.write_text(str(secret))
    sandbox = Sandbox()
    found = sandbox.read(HOSTILE, path, LIMITS, scratch).attributes
    sandbox.close()
    assert secret.read_text() == "secret" and path.read_text() == str(secret)
    assert sorted(p.name for p in scratch.iterdir()) == ["big", "picture.png"]
    assert (scratch / "big").stat().st_size == 0
    return found


def test_every_attack_is_refused(tried: dict[str, str]) -> None:
    refused = {"EPERM", "EACCES", "MemoryError", "EFBIG", "EXDEV", "not allowed to raise maximum limit"}
    known = {"thread", "NoNewPrivs", "CapEff"}
    assert {name: answer for name, answer in tried.items() if answer not in refused} == {n: tried[n] for n in known}
    assert tried["NoNewPrivs"] == "1" and tried["thread"] == "started"
    assert int(tried["CapEff"], 16) & ~0b110 == 0


def test_each_part_answers_for_its_attacks(tried: dict[str, str]) -> None:
    assert tried["take 10 GB"] == "MemoryError" and tried["write a file of 3 GB"] == "EFBIG"
    denied = {"EACCES", "EPERM", "EXDEV"}  # EXDEV: a link into another directory
    assert {tried[name] for name in tried if name.startswith(FILES)} <= denied
    assert {tried[name] for name in ("fork", "start a program", "trace the parent", "signal the parent")} == {"EPERM"}


@NEEDS
def test_a_reader_that_fills_the_disk_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "MOST_BYTES", 32 << 20)
    (tmp_path / "file").write_text("x")
    sandbox, scratch = Sandbox(), tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(BadInputError, match="wrote more than 32 MB"):
        sandbox.read(FILL, tmp_path / "file", LIMITS, scratch)
    assert list(scratch.iterdir()) == []
    with pytest.raises(BadInputError, match="something else than a plain file"):
        sandbox.read(LEAVE_LINK, tmp_path / "file", LIMITS, scratch)
    assert list(scratch.iterdir()) == []
    sandbox.close()


def test_only_plain_files_are_taken_over(tmp_path: Path) -> None:
    box, scratch = Box.make(tmp_path), tmp_path / "scratch"
    scratch.mkdir()
    (box.outside / "a.png").write_bytes(b"a")
    (box.outside / "b.png").symlink_to("/etc/hostname")
    with pytest.raises(BadInputError):
        box.take(scratch)
    box.clear()
    os.mkfifo(box.outside / "c.png")
    with pytest.raises(BadInputError):
        box.take(scratch)
    box.remove()
    assert [p.name for p in scratch.iterdir()] == ["a.png"] and not box.root.exists()


def test_a_file_of_ours_is_linked_and_any_other_copied(tmp_path: Path) -> None:
    box = Box.make(tmp_path)
    for folder, links in (("blobs", 2), ("inbox", 1)):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / folder
        path.write_bytes(b"content")
        inside = box.put(path)
        assert inside.read_bytes() == b"content" and path.stat().st_nlink == links
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "zone").write_bytes(b"Europe/Lisbon")
    box.clear()
    box.put(tmp_path / "inbox" / "inbox", tmp_path / "scratch")
    assert (box.outside / "zone").read_bytes() == b"Europe/Lisbon"
    box.clear()
    assert list(box.inside.iterdir()) == list(box.outside.iterdir()) == []


def test_boxes_of_killed_processes_are_removed(tmp_path: Path) -> None:
    killed = os.fork()
    if killed == 0:
        (Box.make(tmp_path).inside / "file").write_bytes(b"personal")
        os._exit(0)
    os.waitpid(killed, 0)
    own, other = Box.make(tmp_path), Box.make(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {own.root.name, other.root.name}


@pytest.mark.parametrize(("name", "socket", "clone"), [("x86_64", 41, 56), ("aarch64", 198, 220)])
def test_the_filter_of_each_machine(name: str, socket: int, clone: int) -> None:
    code = seccomp.program(name, 4242)
    steps = [struct.unpack_from("HBBI", code, at) for at in range(0, len(code), 8)]
    assert (seccomp.EQUALS, 0, 1, socket) in steps and (seccomp.EQUALS, 0, 4, clone) in steps
    assert (seccomp.EQUALS, 2, 0, 4242) in steps and steps[-1][3] == seccomp.ALLOW
    for at, (operation, if_true, if_false, _) in enumerate(steps):
        if operation in (seccomp.EQUALS, seccomp.AT_LEAST, seccomp.ANY_BIT):
            assert at + 1 + max(if_true, if_false) < len(steps)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setattr(seccomp, "is_available", lambda: False)
    if kernel.machine():
        assert confine.missing() == [confine.NO_LANDLOCK, confine.NO_SECCOMP]
    monkeypatch.setattr(kernel, "machine", lambda: "")
    assert confine.missing() == [confine.NO_LIMITS_HERE]


def test_files_are_read_where_the_kernel_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on another system: the child still limits its resources, and calls nothing that is not there."""
    monkeypatch.setattr(kernel, "machine", lambda: "")
    monkeypatch.setattr(confine, "_limit_resources", lambda: None)
    monkeypatch.setattr(ctypes, "CDLL", None)
    confine.confine(Box(tmp_path))
    assert platform.machine()


def test_status_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brain_pipelines.commands.status.missing", lambda: [confine.NO_LANDLOCK])
    report, output = status(Home(tmp_path)), io.StringIO()
    print_status(report, Console(file=output, width=200))
    assert report["readers_not_confined"] == [confine.NO_LANDLOCK] and confine.NO_LANDLOCK in output.getvalue()
